package speech

import (
	"strings"
	"unicode"
)

// readWord reads a word.
func (r *reader) readWord() {
	if r.lex != nil && r.effort != noSigns && (r.readLink() || r.readAddress() || r.readShortWord() || r.readAbbreviation() || r.readDie()) {
		return
	}
	start := r.i
	for r.i < len(r.text) {
		c := r.at(r.i)
		joint := (c == '\'' || c == '-') && unicode.IsLetter(r.at(r.i+1))
		if !unicode.IsLetter(c) && !unicode.IsMark(c) && !joint {
			break
		}
		r.i++
	}
	word := r.text[start:r.i]
	if r.readRoman(word) {
		return
	}
	r.addWords(r.lowerCapitals(word, start))
}

// readOptional reads the "(s)" of "key(s)" as part of the word.
func (r *reader) readOptional() bool {
	end := r.i + 1
	for end-r.i < 7 && unicode.IsLower(r.at(end)) {
		end++
	}
	if n := end - r.i - 1; r.mark != 0 || len(r.out) == 0 || n == 0 || n > 3 && string(r.text[r.i+1:min(end, len(r.text))]) != "innen" || !unicode.IsLetter(r.at(r.i-1)) || r.at(end) != ')' {
		return false
	}
	r.out = append(r.out, string(r.text[r.i+1:end])...)
	r.i = end + 1
	return true
}

// lowerCapitals returns a word, part by part: character values by name, abbreviations spelled out, and
// shouted words in lower case.
func (r *reader) lowerCapitals(word []rune, start int) string {
	text := string(word)
	if r.effort == noSigns {
		return text
	}
	shouted := len(word) > 1 && unicode.IsUpper(word[1]) && r.isShouted(start, start+len(word))
	if _, ok := r.valueNamed(text, shouted); !ok && !shouted && !strings.Contains(text, "-") {
		return r.lowerPart(text) // nearly every word
	}
	parts := strings.Split(text, "-")
	var b strings.Builder
	joined := false
	for i, p := range parts {
		v, ok := r.valueNamed(p, shouted)
		switch {
		case !ok && shouted && r.lex.values[p].many != "":
			b.WriteString(strings.ToLower(p))
		case !ok && joined:
			b.WriteString(strings.ToLower(p))
		case !ok:
			b.WriteString(r.lowerPart(p))
		case i+1 < len(parts) && v.stem != "":
			b.WriteString(v.stem)
		default:
			b.WriteString(v.many)
		}
		joined = ok && v.stem != ""
		if i+1 < len(parts) && !joined {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// valueNamed returns the character value that part stands for.
func (r *reader) valueNamed(part string, shouted bool) (v value, ok bool) {
	if r.lex == nil || shouted {
		return value{}, false
	}
	v, ok = r.lex.values[part]
	return v, ok
}

// isShouted reports whether the word from start to end is next to another word in capitals.
func (r *reader) isShouted(start, end int) bool {
	if r.lex == nil {
		return false
	}
	next := end
	for next-end < 3 && !isWord(r.at(next)) && next < len(r.text) {
		next++
	}
	if r.isCapitals(r.wordFrom(next)) {
		return true
	}
	i := start - 1
	for start-i < 4 && i >= 0 && !isWord(r.at(i)) {
		i--
	}
	last := i + 1
	for last-i < 20 && i >= 0 && unicode.IsLetter(r.at(i)) {
		i--
	}
	return i >= -1 && last > i+1 && r.isCapitals(string(r.text[i+1:last]))
}

// isCapitals reports whether word is in capitals but is not a value, unit or abbreviation.
func (r *reader) isCapitals(word string) bool {
	if len(word) < 2 || strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsUpper(c) }) {
		return false
	}
	_, exact := r.lex.exact[word]
	_, unit := r.lex.units[strings.ToLower(word)]
	return !exact && !unit && !r.lex.spokenValue(word) && strings.ContainsAny(word, "AEIOUYÄÖÜ")
}

// maxSpelled is the maximum number of consonants that are spelled out. maxShort is the length up to which an
// unknown word in capitals is left alone.
const (
	maxSpelled = 5
	maxShort   = 3
)

func (r *reader) lowerPart(part string) string {
	if stem, ok := strings.CutSuffix(part, "s"); ok && r.lex != nil {
		own := "s"
		if name, is := strings.CutSuffix(stem, "'"); is {
			stem, own = name, "'s"
		}
		if r.isSpelled(stem) {
			return spellLetters(stem) + own
		}
	}
	c := []rune(part)
	if r.lex != nil && len(c) == 3 && isASCII(part) && unicode.IsUpper(c[0]) && unicode.IsLower(c[1]) && unicode.IsUpper(c[2]) {
		return spellLetters(part) // "AoE"
	}
	n := len(c)
	if n < 2 || strings.ContainsFunc(part, func(c rune) bool { return !unicode.IsUpper(c) && c != '\'' && !unicode.IsMark(c) }) {
		return part
	}
	lower := strings.ToLower(part)
	if len(lower) > len(part) { // in some scripts a lower-case letter takes more bytes
		return part
	}
	switch {
	case r.lex != nil && r.isSpelled(part):
		return spellLetters(part)
	case n > maxShort, interjections[lower], r.lex != nil && r.lex.shouted[lower]:
		return lower
	}
	return part
}

// isSpelled reports whether part, in capitals, is read letter by letter.
func (r *reader) isSpelled(part string) bool {
	if len(part) < 2 || r.lex.shouted[strings.ToLower(part)] || strings.ContainsFunc(part, func(c rune) bool { return !unicode.IsUpper(c) }) {
		return false
	}
	lower := strings.ToLower(part)
	if interjections[lower] || len(lower) > 2 && strings.Count(lower, lower[len(lower)-1:]) > 2 {
		return false
	}
	return r.lex.spelled[lower] || !strings.ContainsAny(lower, "aeiouyäöüáéíóú") && len(part) <= maxSpelled && isASCII(part)
}

// interjections are sounds without vowels.
var interjections = wordSet("hm hmm hmmm pst psst grr brr sh shh shhh tsk pff pfft mhm zzz hmpf mm mmm ssh ach aah ooh huh hah heh argh igitt")

func spellLetters(s string) string { return strings.Join(strings.Split(s, ""), " ") }
