package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readAngle reads an angle in degrees, minutes and seconds, such as a map coordinate.
func (r *reader) readAngle() bool {
	whole, rest, end := r.numeralAt(r.i)
	if r.at(end) != '°' || rest != "" {
		return false
	}
	minutes, next, ok := r.partOfAngle(end+1, '′')
	if !ok {
		return false
	}
	seconds, last, ok := r.partOfAngle(next, '″')
	r.addDegrees(whole, r.lex.degree)
	r.addDegrees(minutes, r.lex.minute)
	r.i = next
	if ok {
		r.addDegrees(seconds, r.lex.second)
		r.i = last
	}
	r.units = true
	return true
}

// partOfAngle returns the digits before the sign of a part of an angle.
func (r *reader) partOfAngle(i int, sign rune) (digits string, next int, ok bool) {
	i = r.skipSpace(i)
	end := r.digitsEnd(i)
	if end == i || end-i > 2 || r.at(end) != sign {
		return "", 0, false
	}
	return string(r.text[i:end]), end + 1, true
}

// addDegrees adds a part of an angle.
func (r *reader) addDegrees(digits string, u unit) {
	n, ok := r.valueOf(strings.TrimPrefix(digits, "0"))
	if !ok {
		r.addWords(r.lex.spellDigits(digits) + " " + u.many)
		return
	}
	r.addOf(n, u)
}

// maxCompass is the length of the longest compass point.
const maxCompass = 3

// compassPoint returns the name of a compass point in capitals, such as NNW. beyond selects the German form
// before "von": "nördlich von".
func (l *lexicon) compassPoint(letters string, beyond bool) string {
	const poles, sides = "NS", "EOW"
	n := len(letters)
	if n == 0 || n > maxCompass || n > 1 && (!strings.Contains(poles, letters[n-2:n-1]) || !strings.Contains(sides, letters[n-1:])) {
		return ""
	}
	var name strings.Builder
	for i, c := range letters {
		word := l.compass[c]
		switch {
		case word == "":
			return ""
		case i == n-1 && beyond && l.german:
			word = map[rune]string{'N': "nördlich", 'S': "südlich", 'W': "westlich"}[c]
			if word == "" {
				word = "östlich"
			}
		case i > 0 || beyond:
			word = strings.ToLower(word)
		}
		name.WriteString(word)
		if i == 0 && n == maxCompass && !l.german {
			name.WriteByte('-')
		}
	}
	return name.String()
}

// readCompass reads "10 km S", "47° 9′ S", "N. of here" and "500 N. Main St.".
func (r *reader) readCompass() bool {
	if !strings.ContainsRune("NSEOW", r.at(r.i)) {
		return false
	}
	word := r.wordFrom(r.i)
	if len(word) > maxCompass {
		return false
	}
	end := r.i + len(word)
	dot := r.at(end) == '.'
	next := end
	if dot {
		next++
	}
	follow := r.wordFrom(r.skipSpace(next))
	beyond := follow == "of" || r.lex.german && (follow == "von" || follow == "der" || follow == "des" || follow == "vom")
	name := r.lex.compassPoint(word, beyond)
	street := dot && !r.lex.german && isDigit(r.before(r.i-1)) && (unicode.IsUpper(r.after(next)) || isDigit(r.after(next)))
	cued := len(word) > 1 && (r.lex.courses[strings.ToLower(r.last)] || len(word) == 3 && !r.lex.shouted[strings.ToLower(word)])
	if name == "" || !(r.units || street || beyond && (dot || len(word) > 1) || cued) {
		return false
	}
	if r.units && r.mark == '.' {
		r.mark = 0 // the dot belongs to the unit
	}
	if dot && !r.endsAt(next) {
		end = next
	}
	r.i = end
	r.addWords(name)
	return true
}

// readStreet reads "Lindenstr. 4" and "Marktpl. 3".
func (r *reader) readStreet() bool {
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

// isStreet reports whether a German word is a street name.
func isStreet(word string) bool {
	return slices.ContainsFunc([]string{"straße", "str", "gasse", "weg", "platz", "allee", "ufer", "zeile"}, func(end string) bool {
		return len(word) > len(end) && strings.HasSuffix(word, end)
	})
}

// streetBefore reports whether a house number is before the last word.
func (r *reader) streetBefore() bool {
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

// shortCompounds are abbreviated last parts of German nouns. Some are expanded only before a number.
var shortCompounds = []struct {
	short, whole string
	numbered     bool
}{
	{"str", "straße", false}, {"nr", "nummer", false}, {"nrn", "nummern", false}, {"bhf", "bahnhof", false}, {"abt", "abteilung", false}, {"hptm", "hauptmann", false},
	{"pl", "platz", true}, {"g", "gasse", true}, {"kap", "kapitel", true}, {"std", "stunden", false}, {"kto", "konto", false}, {"verz", "verzeichnis", false}, {"wm", "wachtmeister", false},
}
