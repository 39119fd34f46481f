package speech

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readRoman reads a Roman numeral after a name or after a word such as "chapter".
func (r *reader) readRoman(word []rune) bool {
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
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) { // the dot marks an ordinal
		next := r.after(r.i + 1)
		if unicode.IsLower(next) || strings.ContainsRune(",;:!?", r.at(r.i+1)) || k == genitive && unicode.IsUpper(next) {
			r.i++
		}
	}
	return true
}

// isRegnal reports whether a numeral is part of the name before it. A single letter other than V also
// requires a ruler's title, or in German its dot.
func (r *reader) isRegnal(word []rune) bool {
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

// regnalCase returns the gender and case of the ruler whose name was the last word.
func (r *reader) regnalCase() (gender, kasus) {
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

// ownCase returns the case that a name itself shows, as in "Karls V. Krone".
func (r *reader) ownCase(name string) kasus {
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

// romanNumeral parses I to MMMCMXCIX. ok is false for anything else.
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

// toRoman returns n, 1 to 3999, as a Roman numeral.
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

// addNumeral adds a Roman numeral that counts something, and the end of a range after it.
func (r *reader) addNumeral(n int64, own string) {
	if n >= 1000 && n <= 2100 {
		r.addWords(r.yearWords(strconv.FormatInt(n, 10)) + own)
	} else {
		r.addWords(r.lex.cardinal(n) + own)
	}
	r.numeralEnd = r.i
	i := r.skipSpace(r.i)
	if c := r.at(i); c != '-' && c != '–' {
		return
	}
	if next, end, ok := r.numeralFrom(r.skipSpace(i + 1)); ok {
		r.i = end
		r.addWords(r.lex.to + " " + r.lex.cardinal(next))
		r.numeralEnd = end
	}
}

// numeralFrom parses the word at i as a Roman numeral.
func (r *reader) numeralFrom(i int) (n int64, end int, ok bool) {
	word := []rune(r.wordFrom(i))
	end = i + len(word)
	n, ok = romanNumeral(word)
	return n, end, ok && !isWord(r.at(end))
}

// isNumbered reports whether the numeral word, which ends at r.i, numbers the word before it or is a reading,
// for example "chapter IX" and "struck XII".
func (r *reader) isNumbered(word []rune) bool {
	last := strings.ToLower(r.last)
	listed := r.joinsNumeral(len(word)) && (len(word) > 1 || r.at(r.i) != '.' || r.endsAt(r.i+1)) // not an initial
	section := r.lex.sections[last] || r.lex.sections[strings.TrimSuffix(last, "s")] || r.lex.german && isCommonNoun(last)
	if section || listed {
		_, _, more := r.numeralFrom(r.pastJoint(r.i))
		return len(word) > 1 || word[0] == 'V' || r.endsPhrase() && (listed || unicode.IsUpper(firstOf(r.last))) || more && r.pastJoint(r.i) > r.i
	}
	small := !slices.ContainsFunc(word, func(c rune) bool { return !strings.ContainsRune("IVX", c) })
	switch {
	case len(word) < 2 || !small && len(word) < 4, unicode.IsUpper(firstOf(r.last)), r.isShouted(r.i-len(word), r.i):
		return false
	case determiners[last] || r.lex.german && articleWords[last]:
		return last == "a" && string(word) != "IV"
	}
	return string(word) != "IV" || r.endsPhrase() || r.lex.numerals[last]
}

// articleWords are articles before German nouns.
var articleWords = wordSet("der die das den dem des ein eine einen einem einer eines")

// isCommonNoun reports whether a lower-case German word names a thing rather than a person.
func isCommonNoun(word string) bool {
	return slices.Contains(feminineNouns, word) || slices.Contains(neuterNouns, word) || slices.Contains(masculineNouns, word) && word != "könig"
}

// pastJoint returns the index after "and", "–" or a comma between two numerals, or i if there is none.
func (r *reader) pastJoint(i int) int {
	j := r.skipSpace(i)
	if strings.ContainsRune(",-–", r.at(j)) {
		j = r.skipSpace(j + 1)
	}
	for _, joint := range []string{r.lex.and, r.lex.or, r.lex.to} {
		if r.wordAt(j, joint) {
			return r.skipSpace(j + len(joint))
		}
	}
	if j == r.skipSpace(i) {
		return i
	}
	return j
}

// joinsNumeral reports whether only a joint separates the last numeral from the n letters before r.i.
func (r *reader) joinsNumeral(n int) bool {
	return r.numeralEnd > 0 && r.pastJoint(r.numeralEnd) == r.i-n && r.i-n > r.numeralEnd
}

// readNumeralBefore reads the numeral of "II. Weltkrieg" and "the XX century".
func (r *reader) readNumeralBefore(n int64, word []rune) bool {
	next := r.wordFrom(r.skipSpace(r.i))
	if !r.lex.german {
		if r.at(r.i) != ' ' || next != "century" || n > 30 {
			return false
		}
		r.addWords(ordinalEN(n))
		return true
	}
	i := r.i + 1
	if r.at(i) == ' ' {
		i++
	}
	noun, last := r.nounAt(i), strings.ToLower(r.last)
	if r.at(r.i) != '.' || noun == "" || n > 99 || r.last != "" && !r.lex.grammar[last] && r.endingByArticle(noun) == "" {
		return false
	}
	if len(word) == 1 && !articleWords[last] && r.endingByArticle(noun) == "" && !r.lex.sections[strings.ToLower(noun)] {
		return false // an initial
	}
	ending := r.ordinalEnding(i)
	if ending == "" {
		g, _ := genderOf(noun)
		ending = strongEnding(g, nominative)
	}
	r.i++
	r.ending = ending
	r.addWords(ordinalDE(n) + ending)
	return true
}

// readRomanOrdinal reads "XIIth".
func (r *reader) readRomanOrdinal(word []rune) bool {
	cut := len(word) - 2
	if r.lex.german || cut < 1 || !slices.Contains([]string{"st", "nd", "rd", "th"}, string(word[cut:])) {
		return false
	}
	n, ok := romanNumeral(word[:cut])
	if !ok {
		return false
	}
	r.addWords(ordinalEN(n))
	return true
}

// readWorldWar reads "WWII", "WW II" and "WW2".
func (r *reader) readWorldWar(word []rune) bool {
	rest, ok := strings.CutPrefix(string(word), "WW")
	end := r.i
	if !ok {
		return false
	}
	if rest == "" {
		start := r.skipSpace(r.i)
		end = start
		for end-start < 2 && (r.at(end) == 'I' || r.at(end) == '1' || r.at(end) == '2') {
			end++
		}
		rest = string(r.text[min(start, len(r.text)):min(end, len(r.text))])
	}
	n := map[string]int64{"I": 1, "II": 2, "1": 1, "2": 2}[rest]
	if n == 0 || isWord(r.at(end)) {
		return false
	}
	r.i = end
	if r.lex.german {
		r.addWords(map[int64]string{1: "Erster", 2: "Zweiter"}[n] + " Weltkrieg")
	} else {
		r.addWords("World War " + titleFirst(r.lex.cardinal(n)))
	}
	return true
}
