package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of an utterance.
type token struct {
	start, end int    // byte offsets in the text
	fold       string // lower case
	stop       rune   // the punctuation that follows, 0 if there is none
}

// tokenize splits text into words. Hyphens, dots and slashes within a word are part of it, so
// "notes/day-1.txt" is one word.
func tokenize(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWord(r) {
			if n := len(out); n > 0 && out[n-1].stop == 0 && strings.ContainsRune(",.;:!?", r) {
				out[n-1].stop = r
			}
			i += size
			continue
		}
		end := wordEnd(text, i)
		out = append(out, token{start: i, end: end, fold: strings.ToLower(text[i:end])})
		i = end
	}
	return out
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWord(r) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if !strings.ContainsRune("-./", r) || !isWord(next) {
				return i
			}
		}
		i += size
	}
	return i
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\''
}

// span returns the text of tokens.
func span(text string, toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return text[toks[0].start:toks[len(toks)-1].end]
}

// slug converts text to an ID such as "rusty-flagon".
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		if ascii, ok := umlauts[r]; ok {
			b.WriteString(ascii)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

var umlauts = map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss"}

// isSlug reports whether word looks like an entity's ID.
func isSlug(word string) bool {
	return strings.Contains(word, "-") && word == slug(word)
}
