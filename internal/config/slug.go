package config

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxID is the length of the longest id.
const maxID = 64

var transliterations = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "o",
	"å", "aa", "ð", "d", "þ", "th", "ł", "l", "đ", "d", "ı", "i",
	"'", "", "’", "", "‘", "", "ʼ", "",
)

// Slug makes an id from a name: ASCII letters and digits in lower case, words
// joined with "-". It is empty if the name has no letter that can be written in
// ASCII.
func Slug(name string) string {
	lower := transliterations.Replace(strings.ToLower(norm.NFC.String(name)))
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(lower) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
		if b.Len() >= maxID {
			break
		}
	}
	return strings.TrimRight(b.String()[:min(b.Len(), maxID)], "-")
}

// FoldName makes names comparable: letter case and spacing do not count.
func FoldName(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(s))), " ")
}
