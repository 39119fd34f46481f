package speech

import (
	"strings"
	"unicode"
)

// readAbbreviation reads the longest matching abbreviation of the lexicon.
func (r *reader) readAbbreviation() bool {
	if unicode.IsLetter(r.at(r.i - 1)) {
		return false
	}
	if r.lex.german && r.readGermanShort() || r.readNumero() {
		return true
	}
	var key strings.Builder
	best, written, end := "", "", 0
	i := r.i
	for part := 0; part < maxParts; part++ {
		start := i
		for i-start <= maxAbbreviation && unicode.IsLetter(r.at(i)) {
			key.WriteRune(unicode.ToLower(r.at(i)))
			i++
		}
		if i == start || r.at(i) != '.' {
			break
		}
		key.WriteByte('.')
		i++
		if words, ok := r.lex.abbreviations[key.String()]; ok {
			best, written, end = words, strings.TrimSuffix(key.String(), "."), i
		}
		if r.at(i) == ' ' {
			i++
		}
	}
	if best == "" || r.lex.weak[written] && (r.endsAt(end) || unicode.IsUpper(r.after(end))) {
		return false
	}
	if best == "Saint" && !unicode.IsUpper(r.after(end)) { // "Mill St."
		best = "Street"
	}
	stop := r.endsAt(end)
	r.i = end
	r.addWords(best)
	if stop {
		r.mark = '.'
		r.last = ""
	}
	return true
}

// maxParts is the maximum number of dots in an abbreviation.
const maxParts = 3

// readNumero reads "No. 5" and "vol. 2".
func (r *reader) readNumero() bool {
	end := r.i
	for end-r.i <= maxNumbered && unicode.IsLetter(r.at(end)) {
		end++
	}
	if r.at(end) != '.' {
		return false
	}
	words, ok := r.lex.numbered[strings.ToLower(string(r.text[r.i:end]))]
	if words == "number" && r.wordAt(r.skipSpace(end+1), "of") {
		r.i = end + 1
		r.addWords(words)
		return true
	}
	if ok && !r.lex.german && end-r.i == 1 {
		i := r.skipSpace(end + 1)
		ok = r.at(r.i) == 'p' || r.at(r.i) == 'P' || unicode.IsLower(r.at(r.i)) && (words != "born" && words != "died" || r.digitsEnd(i)-i > 2)
	}
	if !ok || !isDigit(r.after(end+1)) && (end-r.i < 2 || words == r.lex.number || !r.lex.sections[strings.ToLower(words)] || !r.numbersSection(r.skipSpace(end+1))) {
		return false
	}
	r.i = end + 1
	r.addWords(words)
	return true
}

// maxNumbered is the length of the longest abbreviation that readNumero knows.
const maxNumbered = 7

// numbersSection reports whether a Roman numeral or a single capital is at i, other than the words "I" and
// "A".
func (r *reader) numbersSection(i int) bool {
	alone := !isWord(r.at(i + 1))
	if alone && (r.at(i) == 'I' || r.at(i) == 'A') {
		return false
	}
	_, _, numeral := r.numeralFrom(i)
	return numeral || alone && unicode.IsUpper(r.at(i)) && r.at(i+1) != '.'
}

// readShortWord reads a short form that looks like a word: "w/o", "Mr Smith", "Dec. 24", "10 x 10", "x2".
func (r *reader) readShortWord() bool {
	if isWord(r.at(r.i - 1)) {
		return false
	}
	return r.readWeekday() || r.readCompass() || r.readTimes() || !r.lex.german && (r.readWith() || r.readCentury()) || r.readTitle() || r.readShortMonth() || r.lex.german && r.readStreet()
}

// readWith reads "w/", "w/o" and "b/c".
func (r *reader) readWith() bool {
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

// readTitle reads "Mr Smith" and "Gen. Voss".
func (r *reader) readTitle() bool {
	if !unicode.IsUpper(r.at(r.i)) || !unicode.IsLower(r.at(r.i+1)) {
		return false
	}
	end := r.i
	for end-r.i <= maxTitle && unicode.IsLetter(r.at(end)) {
		end++
	}
	words, ok := r.lex.titled[strings.ToLower(string(r.text[r.i:end]))]
	if !ok {
		return false
	}
	dotted := r.at(end) == '.'
	if dotted {
		end++
	} else if end-r.i > 4 || !strings.Contains("mr mrs ms dr prof st capt sgt lt cpl cmdr pvt ", strings.ToLower(string(r.text[r.i:end]))+" ") {
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

// maxTitle is the length of the longest title without a dot, in letters.
const maxTitle = 5
