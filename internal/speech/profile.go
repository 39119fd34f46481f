package speech

import (
	"strings"
	"unicode"
)

// Profile is how much of a text is put into words before a text-to-speech engine gets it. It depends on the
// notations that the engine reads correctly.
type Profile int

const (
	// Full puts everything into words. It is for engines that pronounce text literally, such as espeak,
	// and for unknown engines.
	Full Profile = iota
	// Game puts dice, units and character values into words, for example 2d6+3, 5 gp and AC 15. Everything
	// else stays as written, because the engine normalises it: Roman numerals, fractions, dates, times,
	// telephone numbers, sums of money, addresses and abbreviations.
	Game
	// AsWritten puts nothing into words.
	AsWritten
)

// readGame returns text for [Game]. With a nil lexicon, words are unchanged.
func readGame(text string, lex *lexicon) string {
	clean := cleanText(text)
	if lex == nil {
		return clean
	}
	for e := inFull; e < noSigns; e++ {
		if out := newReader([]rune(clean), lex, e).readNotation(); len(out) <= maxGrowth*len(text) {
			return out
		}
	}
	return clean
}

// cleanText removes markup, emoji and stage directions. The rest stays as written. If the text has nothing
// else, stage directions stay.
func cleanText(text string) string {
	all := tidyText(text)
	out := dropPictures(dropStage(all))
	if !hasLetter(out) && hasLetter(string(all)) {
		out = dropPictures(all)
	}
	return out
}

// dropPictures removes emoji and leftover markup.
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
