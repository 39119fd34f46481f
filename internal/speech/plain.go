package speech

import (
	"strings"
	"unicode"
)

// Plain returns text for a voice that puts numbers, signs and abbreviations into words by
// itself: what [Speakable] returns, but for those, which stay as they were written.
// It is on one line, and not empty if text has a letter, escape sequences of terminals
// aside. It takes time in proportion to the text, and is safe for concurrent use.
func Plain(text string) string {
	all := tidyText(text)
	out := dropPictures(dropStage(all))
	if !hasLetter(out) && hasLetter(string(all)) {
		out = dropPictures(all)
	}
	return out
}

// dropPictures takes out what only shows, such as emoji, and what is left of markup.
func dropPictures(text []rune) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == '°':
		case unicode.In(r, unicode.So, unicode.Sk, unicode.Variation_Selector), r == '`', r == '\u200d':
			return -1
		case r == '*', r == '_':
			return ' '
		}
		return r
	}, string(text))
	return strings.Join(strings.Fields(kept), " ")
}
