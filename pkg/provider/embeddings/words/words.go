// Package words splits text into folded words, which compare equal regardless of case, accents, umlauts and
// ligatures. Everything that matches text by words uses it, so that stored text and queries are split in the
// same way.
//
//	words.Split("Über den Fluß") // "uber", "den", "fluss"
//
// The package does no I/O.
package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLen is the maximum length of a word in runes. Longer words are not language and would only bloat an
// index.
const MaxLen = 64

// Split returns the folded words of s in order: every maximal run of letters and digits, truncated to
// [MaxLen] runes. It accepts any input, including invalid UTF-8. No word is empty or contains ASCII other
// than a-z and 0-9.
func Split(s string) []string {
	folded := Fold(s)
	out := make([]string, 0, len(folded)/6+1)
	start, runes := -1, 0
	for i, r := range folded {
		if !isWord(r) {
			if start >= 0 {
				out = append(out, cut(folded[start:i], runes))
			}
			start, runes = -1, 0
			continue
		}
		if start < 0 {
			start = i
		}
		runes++
	}
	if start >= 0 {
		out = append(out, cut(folded[start:], runes))
	}
	return out
}

// Key returns the folded words of s joined by single spaces. Two names are the same if their keys are equal.
func Key(s string) string { return strings.Join(Split(s), " ") }

// Fold returns s in lower case without accents. It spells out letters that do not decompose: "ß" becomes
// "ss", "æ" becomes "ae".
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, "\ufffd")) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		r = unicode.ToLower(r)
		if plain, ok := spelledOut(r); ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Match reports whether name has the same [Key] as one of names. An empty key matches none.
func Match(name string, names ...string) bool {
	key := Key(name)
	return key != "" && slices.ContainsFunc(names, func(n string) bool { return Key(n) == key })
}

// spelledOut returns the plain spelling of a lower-case letter without a decomposition in Unicode.
func spelledOut(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'ı':
		return "i", true
	case 'ς':
		return "σ", true
	}
	return "", false
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	// Spacing marks carry the vowels of Indic scripts; they are not accents.
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r))
}

// cut truncates a word of n runes to MaxLen.
func cut(word string, n int) string {
	if n <= MaxLen {
		return word
	}
	seen := 0
	for i := range word {
		if seen == MaxLen {
			return word[:i]
		}
		seen++
	}
	return word
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
