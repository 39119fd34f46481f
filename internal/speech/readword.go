package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readShortWord reads what looks like a word and stands for another: "w/o", "Mr Smith",
// "Dec. 24", "10 x 10", "x2".
func (r *shortReader) readShortWord() bool {
	if isWord(r.at(r.i - 1)) {
		return false
	}
	return r.readWeekday() || r.readCompass() || r.readTimes() || !r.lex.german && (r.readWith() || r.readCentury()) || r.readTitle() || r.readShortMonth() || r.lex.german && r.readStreet()
}

// readCentury reads the c. of "the 18th c.".
func (r *shortReader) readCentury() bool {
	if r.at(r.i) != 'c' {
		return false
	}
	word := r.wordFrom(r.i)
	end := r.i + len(word)
	if word != "c" && word != "cent" || r.at(end) != '.' || !strings.HasSuffix(r.last, "th") && !strings.HasSuffix(r.last, "st") && !strings.HasSuffix(r.last, "nd") && !strings.HasSuffix(r.last, "rd") {
		return false
	}
	if !r.endsAt(end+1) && !unicode.IsUpper(r.after(end+1)) {
		end++
	}
	r.i = end
	r.addWords("century")
	return true
}

// readWith reads "w/", "w/o" and "b/c".
func (r *shortReader) readWith() bool {
	if r.at(r.i+1) != '/' {
		return false
	}
	c, next := unicode.ToLower(r.at(r.i)), unicode.ToLower(r.at(r.i+2))
	switch {
	case c == 'w' && next == 'o' && !isWord(r.at(r.i+3)):
		r.addWords("without")
		r.i += 3
	case c == 'b' && next == 'c' && !isWord(r.at(r.i+3)):
		r.addWords("because")
		r.i += 3
	case c == 'c' && next == 'o' && !isWord(r.at(r.i+3)):
		r.addWords("care of")
		r.i += 3
	case c == 'w' && (next == ' ' || isWord(next)):
		r.addWords("with")
		r.i += 2
	default:
		return false
	}
	return true
}

// readTimes reads the x of "10 ft x 10 ft" and "x2".
func (r *shortReader) readTimes() bool {
	if c := r.at(r.i); c != 'x' && c != 'X' || unicode.IsLetter(r.at(r.i+1)) || !isDigit(r.after(r.i+1)) {
		return false
	}
	switch {
	case r.units && !r.lex.german:
		r.addWords("by")
	case r.units, isDigit(r.at(r.i + 1)):
		r.addWords(r.lex.times)
	default:
		return false
	}
	r.i++
	return true
}

// maxTitle is the length of the longest title without a dot, in letters.
const maxTitle = 5

// readTitle reads "Mr Smith" and "Gen. Voss".
func (r *shortReader) readTitle() bool {
	if !unicode.IsUpper(r.at(r.i)) || !unicode.IsLower(r.at(r.i+1)) {
		return false
	}
	end := r.i
	for end-r.i <= maxTitle && unicode.IsLetter(r.at(end)) {
		end++
	}
	words, ok := r.lex.titled[strings.ToLower(string(r.source[r.i:end]))]
	if !ok {
		return false
	}
	dotted := r.at(end) == '.'
	if dotted {
		end++
	} else if end-r.i > 4 || !strings.Contains("mr mrs ms dr prof st capt sgt lt cpl cmdr pvt ", strings.ToLower(string(r.source[r.i:end]))+" ") {
		return false
	}
	if r.at(end) != ' ' || !unicode.IsUpper(r.at(end+1)) {
		return false
	}
	if words == "Saint" && unicode.IsUpper(firstOf(r.last)) && r.streetBefore() {
		words = "Street"
	}
	r.i = end
	r.addWords(words)
	return true
}

// streetBefore reports whether a house's number stands before the last word.
func (r *shortReader) streetBefore() bool {
	words := r.wordsBefore(3)
	if len(words) < 2 {
		return false
	}
	number := strings.FieldsFunc(words[1], func(c rune) bool { return c == '-' })
	for _, small := range append(enSmall, enTens...) {
		if len(number) > 0 && small != "" && number[len(number)-1] == small {
			return true
		}
	}
	return false
}

// readShortMonth reads "Dec. 24" and "24 Dec".
func (r *shortReader) readShortMonth() bool {
	if !unicode.IsUpper(r.at(r.i)) {
		return false
	}
	word := r.wordFrom(r.i)
	month, ok := r.lex.shortMonths[strings.ToLower(word)]
	if !ok {
		return false
	}
	end := r.i + len([]rune(word))
	dot := r.at(end) == '.'
	if dot {
		end++
	}
	if day := r.last == "of" || r.ending != "" && r.lex.german; !day && !isDigit(r.after(end)) || r.lex.german && !dot {
		return false
	}
	if dot && r.endsAt(end) {
		end--
	}
	r.i = end
	r.addWords(month)
	return true
}

// shortCompounds are the last parts of German nouns cut short; some of them only before
// a number.
var shortCompounds = []struct {
	short, whole string
	numbered     bool
}{
	{"str", "straße", false}, {"nr", "nummer", false}, {"nrn", "nummern", false}, {"bhf", "bahnhof", false}, {"abt", "abteilung", false}, {"hptm", "hauptmann", false},
	{"pl", "platz", true}, {"g", "gasse", true}, {"kap", "kapitel", true}, {"std", "stunden", false}, {"kto", "konto", false}, {"verz", "verzeichnis", false}, {"wm", "wachtmeister", false},
}

// readStreet reads "Lindenstr. 4" and "Marktpl. 3".
func (r *shortReader) readStreet() bool {
	word := r.wordFrom(r.i)
	end := r.i + len([]rune(word))
	if r.at(end) != '.' || len(word) < 6 || !unicode.IsUpper(r.at(r.i)) {
		return false
	}
	whole := ""
	for _, c := range shortCompounds {
		if stem, ok := strings.CutSuffix(word, c.short); ok && len(stem) > 2 && (!c.numbered || isDigit(r.after(end+1))) {
			whole = stem + c.whole
			break
		}
	}
	if whole == "" {
		return false
	}
	if !r.endsAt(end+1) && !unicode.IsUpper(r.after(end+1)) {
		end++
	}
	r.i = end
	r.addWords(whole)
	return true
}

// isStreet reports whether a German word is the name of a street.
func isStreet(word string) bool {
	return slices.ContainsFunc([]string{"straße", "str", "gasse", "weg", "platz", "allee", "ufer", "zeile"}, func(end string) bool {
		return len(word) > len(end) && strings.HasSuffix(word, end)
	})
}

// readOptional reads the "(s)" of "key(s)" as part of the word.
func (r *reader) readOptional() bool {
	end := r.i + 1
	for end-r.i < 7 && unicode.IsLower(r.at(end)) {
		end++
	}
	if n := end - r.i - 1; r.mark != 0 || len(r.out) == 0 || n == 0 || n > 3 && string(r.source[r.i+1:min(end, len(r.source))]) != "innen" || !unicode.IsLetter(r.at(r.i-1)) || r.at(end) != ')' {
		return false
	}
	r.out = append(r.out, string(r.source[r.i+1:end])...)
	r.i = end + 1
	return true
}

// readBareDecimal reads ".5".
func (r *reader) readBareDecimal() bool {
	prev := r.at(r.i - 1)
	if r.lex == nil || r.effort == noSigns || !isDigit(r.at(r.i+1)) || prev != ' ' && prev != '(' && prev != '-' && prev != '+' && prev != '−' {
		return false
	}
	end := r.digitsEnd(r.i + 1)
	digits := string(r.source[r.i+1 : end])
	words := r.lex.point + " " + r.lex.spellDigits(digits)
	if r.lex.german {
		words = r.lex.cardinal(0) + " " + words
	}
	r.i = end
	r.addWords(words)
	if u, end, ok := r.unitAt(r.i, r.lex); ok {
		r.i = end
		r.addWords(u.many)
		r.units = true
	} else {
		r.readSuffix(end)
	}
	return true
}
