package config

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxID is the maximum length of an id.
const maxID = 64

var transliterations = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "o",
	"å", "aa", "ð", "d", "þ", "th", "ł", "l", "đ", "d", "ı", "i",
	"'", "", "’", "", "‘", "", "ʼ", "",
)

// Slug derives an id from a name. It consists of lower-case ASCII letters and digits, with words joined by
// "-". It is empty if no letter of the name can be written in ASCII.
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

// FoldName prepares names for comparison. Letter case and spacing do not count.
func FoldName(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(s))), " ")
}
