package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// at returns the rune at i, or a space if i is outside the text.
func (r *reader) at(i int) rune {
	if i < 0 || i >= len(r.text) {
		return ' '
	}
	return r.text[i]
}

// after returns the first rune at or after i that is not a space. It skips at most two.
func (r *reader) after(i int) rune {
	for range 2 {
		if r.at(i) != ' ' {
			break
		}
		i++
	}
	return r.at(i)
}

// before returns the first rune at or before i that is not a space. It skips at most two.
func (r *reader) before(i int) rune {
	for range 2 {
		if r.at(i) != ' ' {
			break
		}
		i--
	}
	return r.at(i)
}

// endsAt reports whether the dot before i is also a full stop, because nothing but spaces follows.
func (r *reader) endsAt(i int) bool {
	for r.at(i) == ' ' && i < len(r.text) {
		i++
	}
	return i >= len(r.text)
}

// wordAt reports whether w is at i as a whole word.
func (r *reader) wordAt(i int, w string) bool {
	for _, c := range w {
		if r.at(i) != c {
			return false
		}
		i++
	}
	return !isWord(r.at(i))
}

// wordFrom returns the word at i, up to 40 letters.
func (r *reader) wordFrom(i int) string {
	end := i
	for end-i < 40 && unicode.IsLetter(r.at(end)) {
		end++
	}
	if end == i {
		return ""
	}
	return string(r.text[i:end])
}

// nounAt returns the German noun at i, expanded if it is abbreviated, or "" if there is none.
func (r *reader) nounAt(i int) string {
	if !unicode.IsUpper(r.at(i)) {
		return ""
	}
	word := r.wordFrom(i)
	if noun := german.shortNouns[word]; noun != "" && (r.at(i+len(word)) == '.' || unicode.IsUpper(r.at(i+1))) {
		return noun
	}
	if !unicode.IsLower(r.at(i + 1)) {
		return ""
	}
	return word
}

// wordBefore returns the word before i, up to 40 letters, skipping a pause.
func (r *reader) wordBefore(i int) string {
	i--
	for n := 0; n < 3 && i >= 0 && !unicode.IsLetter(r.at(i)); n++ {
		if !strings.ContainsRune(" .,:;(-", r.at(i)) {
			return ""
		}
		i--
	}
	end := i + 1
	for end-i <= 40 && unicode.IsLetter(r.at(i)) {
		i--
	}
	if end <= i+1 {
		return ""
	}
	return string(r.text[i+1 : end])
}

// startsWithFold reports whether the rest begins with an ASCII text, ignoring case.
func (r *reader) startsWithFold(text string) bool {
	for i, c := range text {
		if unicode.ToLower(r.at(r.i+i)) != c {
			return false
		}
	}
	return true
}

// startsWith reports whether the rest begins with an ASCII text.
func (r *reader) startsWith(text string) bool {
	for i, c := range text {
		if r.at(r.i+i) != c {
			return false
		}
	}
	return true
}

// digitsEnd returns the end of the run of digits at i.
func (r *reader) digitsEnd(i int) int {
	for isDigit(r.at(i)) {
		i++
	}
	return i
}

// smallNumber returns the value of the one or two digits from i to end.
func (r *reader) smallNumber(i, end int) int64 {
	n := int64(0)
	for ; i < end; i++ {
		n = 10*n + int64(r.at(i)-'0')
	}
	return n
}

// wordsBefore returns up to n of the last words, newest first, back to a pause.
func (r *reader) wordsBefore(n int) []string {
	if r.last == "" {
		return nil
	}
	tail := string(r.out[max(0, len(r.out)-maxLookBack):])
	words := strings.Fields(tail)
	slices.Reverse(words)
	words = words[:min(n, len(words))]
	for i, w := range words[min(1, len(words)):] {
		if last, _ := utf8.DecodeLastRuneInString(w); !unicode.IsLetter(last) {
			return words[:i+1]
		}
	}
	return words
}

// maxLookBack is how far wordsBefore looks back, in bytes.
const maxLookBack = 80

// skipSpace returns i, or i+1 if a space is at i.
func (r *reader) skipSpace(i int) int {
	if r.at(i) == ' ' {
		return i + 1
	}
	return i
}

// countsNext reports whether the word after the space at i can be counted: it is a noun rather than a
// function word.
func (r *reader) countsNext(i int) bool {
	word := r.wordFrom(i + 1)
	if r.at(i) != ' ' || word == "" {
		return false
	}
	if r.lex.german {
		if unicode.IsUpper([]rune(word)[0]) {
			return true
		}
		after := i + 1 + len([]rune(word))
		adjective := strings.HasSuffix(word, "e") || strings.HasSuffix(word, "en") || strings.HasSuffix(word, "er")
		verb := strings.HasSuffix(word, "te") || strings.HasSuffix(word, "ten")
		return adjective && !verb && !r.lex.grammar[word] && r.at(after) == ' ' && r.nounAt(after+1) != ""
	}
	return !r.lex.grammar[strings.ToLower(word)]
}

// determiners are words before English nouns.
var determiners = wordSet("a an the this that my your his her our their its each every another one")

func firstOf(s string) rune { c, _ := utf8.DecodeRuneInString(s); return c }

func titleFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// endsPhrase reports whether a pause or the end of the text follows.
func (r *reader) endsPhrase() bool { return r.at(r.i) != ' ' || r.endsAt(r.i) }
