package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readRoman reads a numeral behind a name or after a word such as "chapter".
func (r *dateReader) readRoman(word []rune) bool {
	if r.lex == nil || r.effort == noSigns || len(word) == 0 || !unicode.IsUpper(word[0]) {
		return false
	}
	if r.readWorldWar(word) {
		return true
	}
	own := ""
	if n := len(word) - 2; n > 0 && word[n] == '\'' && word[n+1] == 's' {
		word, own = word[:n], "'s"
	}
	n, ok := romanNumeral(word)
	if !ok {
		return r.readRomanOrdinal(word)
	}
	if r.readNumeralBefore(n, word) {
		return true
	}
	if r.last == "" && !r.joinsNumeral(len(word)) {
		return false
	}
	if r.isNumbered(word) {
		r.addNumeral(n, own)
		return true
	}
	if n > 39 || !r.isRegnal(word) {
		return false
	}
	if !r.lex.german {
		r.addWords("the " + ordinalEN(n) + own)
		return true
	}
	g, k := r.regnalCase()
	r.addWords(article(g, k) + " " + titleFirst(ordinalDE(n)) + weakEnding(g, k))
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) { // the dot makes the ordinal
		next := r.after(r.i + 1)
		if unicode.IsLower(next) || strings.ContainsRune(",;:!?", r.at(r.i+1)) || k == genitive && unicode.IsUpper(next) {
			r.i++
		}
	}
	return true
}

func firstOf(s string) rune { c, _ := utf8.DecodeRuneInString(s); return c }

// endsPhrase reports whether a pause or the end follows.
func (r *dateReader) endsPhrase() bool { return r.at(r.i) != ' ' || r.endsAt(r.i) }

// isRegnal reports whether a numeral behind the last word, a name, is part of it.
// One letter other than V needs a ruler's title, or in German its dot, too.
func (r *dateReader) isRegnal(word []rune) bool {
	_, size := utf8.DecodeRuneInString(r.last)
	if !unicode.IsUpper(firstOf(r.last)) || utf8.RuneCountInString(r.last) < 3 || r.lex.noNames[strings.ToLower(r.last)] || !unicode.IsLower(firstOf(r.last[size:])) {
		return false
	}
	if len(word) > 1 || word[0] == 'V' && !r.lex.german {
		return true
	}
	if word[0] != 'I' && word[0] != 'V' && word[0] != 'X' {
		return false
	}
	words := r.wordsBefore(3)
	titled := slices.ContainsFunc(words[min(1, len(words)):], func(w string) bool { return r.lex.rulers[strings.ToLower(w)] })
	if r.lex.german {
		return r.at(r.i) == '.' && (titled || !r.endsAt(r.i+1) && !unicode.IsUpper(r.after(r.i+1)) || r.endsAt(r.i+1)) || titled && r.endsPhrase() ||
			word[0] == 'V' && !r.endsPhrase()
	}
	next := strings.ToLower(r.wordFrom(r.i + 1))
	verb := slices.Contains([]string{"was", "had", "and", "of", "has", "did", "died", "is", "himself", "herself", "built", "fell", "rules", "ruled", "reigned", "sat", "came", "took", "who"}, next)
	if len(words) > 1 && word[0] == 'I' && strings.ContainsRune(".,;", r.at(r.i)) {
		return true
	}
	return titled && (r.endsPhrase() || verb || strings.HasSuffix(next, "ed"))
}

// regnalCase returns gender and case of the ruler whose name was last.
func (r *dateReader) regnalCase() (gender, kasus) {
	words := r.wordsBefore(5)
	name := words[0]
	g := masculine
	if strings.HasSuffix(name, "a") || strings.HasSuffix(name, "as") && unicode.IsUpper(r.after(r.i+1)) {
		g = feminine
	}
	for _, w := range words[1:] {
		lower := strings.ToLower(w)
		if r.lex.rulers[lower] && strings.HasSuffix(lower, "in") {
			g = feminine
		}
		if unicode.IsUpper(firstOf(w)) && r.lex.rulers[lower] {
			continue
		}
		if slices.Contains(dativeVerbs, lower) {
			return g, dative
		}
		if k, ok := caseAfter(lower); ok && g == feminine && lower == "der" {
			return g, dative
		} else if ok {
			return g, k
		}
		return g, r.ownCase(name)
	}
	return g, r.ownCase(name)
}

// dativeVerbs are German verbs whose only object is in the dative.
var dativeVerbs = strings.Fields("gehört gehörte gehörten dient diente dienten folgt folgte folgten hilft half halfen gleicht glich dankt dankte untersteht unterstand glaubt traut")

// ownCase returns the case a name shows by itself: "Karls V. Krone".
func (r *dateReader) ownCase(name string) kasus {
	if !strings.HasSuffix(name, "s") || slices.ContainsFunc([]string{"us", "es", "is", "as", "ss"}, func(e string) bool { return strings.HasSuffix(name, e) }) {
		return nominative
	}
	if words := r.wordsBefore(2); len(words) > 1 && unicode.IsUpper(firstOf(words[1])) {
		return genitive
	}
	if r.at(r.i) == '.' && unicode.IsUpper(r.after(r.i+1)) && !r.endsAt(r.i+1) {
		return genitive
	}
	return nominative
}

func titleFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// romanNumeral reads I to MMMCMXCIX; ok is false for anything else.
func romanNumeral(word []rune) (n int64, ok bool) {
	if len(word) == 0 || len(word) > 12 {
		return 0, false
	}
	for i, c := range word {
		v := romanValue(c)
		if v == 0 {
			return 0, false
		}
		if i+1 < len(word) && romanValue(word[i+1]) > v {
			v = -v
		}
		n += v
	}
	return n, n > 0 && n < 4000 && toRoman(n) == string(word)
}

func romanValue(c rune) int64 {
	switch c {
	case 'I':
		return 1
	case 'V':
		return 5
	case 'X':
		return 10
	case 'L':
		return 50
	case 'C':
		return 100
	case 'D':
		return 500
	case 'M':
		return 1000
	}
	return 0
}

// toRoman writes n, 1 to 3999.
func toRoman(n int64) string {
	var b strings.Builder
	for _, step := range []struct {
		value int64
		text  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; n >= step.value; n -= step.value {
			b.WriteString(step.text)
		}
	}
	return b.String()
}
