package speech

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// addNumeral says a Roman numeral that only counts, and the end of a range behind it.
func (r *dateReader) addNumeral(n int64, own string) {
	if n >= 1000 && n <= 2100 {
		r.addWords(r.yearWords(strconv.FormatInt(n, 10)) + own)
	} else {
		r.addWords(r.lex.cardinal(n) + own)
	}
	r.numeralEnd = r.i
	i := after(r.source, r.i)
	if c := r.at(i); c != '-' && c != '–' {
		return
	}
	if next, end, ok := r.numeralFrom(after(r.source, i+1)); ok {
		r.i = end
		r.addWords(r.lex.to + " " + r.lex.cardinal(next))
		r.numeralEnd = end
	}
}

// numeralFrom returns the Roman numeral that is the word at i.
func (r *dateReader) numeralFrom(i int) (n int64, end int, ok bool) {
	word := []rune(r.wordFrom(i))
	end = i + len(word)
	n, ok = romanNumeral(word)
	return n, end, ok && !isWord(r.at(end))
}

// isNumbered reports whether the numeral word, of which r.i is the end, counts what stands
// before it or is read off something: "chapter IX", "struck XII".
func (r *dateReader) isNumbered(word []rune) bool {
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

// articleWords stand before German nouns.
var articleWords = wordSet("der die das den dem des ein eine einen einem einer eines")

// isCommonNoun reports whether a German word in lower case names things, not somebody.
func isCommonNoun(word string) bool {
	return slices.Contains(feminineNouns, word) || slices.Contains(neuterNouns, word) || slices.Contains(masculineNouns, word) && word != "könig"
}

// pastJoint returns the place behind "and", "–" or a comma between two numerals, i if
// there is none.
func (r *writer) pastJoint(i int) int {
	j := after(r.source, i)
	if strings.ContainsRune(",-–", r.at(j)) {
		j = after(r.source, j+1)
	}
	for _, joint := range []string{r.lex.and, r.lex.or, r.lex.to} {
		if r.wordAt(j, joint) {
			return after(r.source, j+len(joint))
		}
	}
	if j == after(r.source, i) {
		return i
	}
	return j
}

// joinsNumeral reports whether only a joint is between the last numeral and the one of n
// letters before here.
func (r *dateReader) joinsNumeral(n int) bool {
	return r.numeralEnd > 0 && r.pastJoint(r.numeralEnd) == r.i-n && r.i-n > r.numeralEnd
}

// readNumeralBefore reads the numeral of "II. Weltkrieg" and "the XX century".
func (r *dateReader) readNumeralBefore(n int64, word []rune) bool {
	next := r.wordFrom(after(r.source, r.i))
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
func (r *writer) readRomanOrdinal(word []rune) bool {
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
func (r *dateReader) readWorldWar(word []rune) bool {
	rest, ok := strings.CutPrefix(string(word), "WW")
	end := r.i
	if !ok {
		return false
	}
	if rest == "" {
		start := after(r.source, r.i)
		end = start
		for end-start < 2 && (r.at(end) == 'I' || r.at(end) == '1' || r.at(end) == '2') {
			end++
		}
		rest = string(r.source[min(start, len(r.source)):min(end, len(r.source))])
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
