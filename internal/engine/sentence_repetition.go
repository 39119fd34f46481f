package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a sentence, in lower case, and its end.
type word struct {
	text string
	end  int // in bytes
}

// wordsOf returns the words of a sentence. Apostrophes are part of a word.
func wordsOf(s string) (all []word) {
	start := -1
	for i, r := range s + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || start >= 0 && (r == '\'' || r == '’')
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			all = append(all, word{strings.ToLower(s[start:i]), i})
			start = -1
		}
	}
	return all
}

// withoutOpener returns a sentence without the opener that it repeats exactly or nearly: one word in five may
// differ. The result is empty if nothing else is left.
func withoutOpener(s, opener string) string {
	said, begun := wordsOf(s), wordsOf(opener)
	if len(begun) == 0 {
		return s
	}
	slack := len(begun) / 5
	least, at := slack+1, 0
	for n := max(1, len(begun)-slack); n <= min(len(said), len(begun)+slack); n++ {
		if d := distance(said[:n], begun); d < least || d == least && n == len(said) {
			least, at = d, n
		}
	}
	if at == 0 || least > slack {
		return s
	}
	if at == len(said) {
		return ""
	}
	rest := strings.TrimLeft(s[said[at-1].end:], " ")
	if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) || unicode.IsDigit(r) {
		return s // the opener's words are part of a longer clause
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}

// distance returns how many words must be inserted, removed or replaced to turn one sentence into the other.
func distance(a, b []word) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i].text == b[j].text {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
