package speech

import (
	"strings"
	"unicode"
)

// maxGrowth bounds how much longer than the text its spoken form may be.
const maxGrowth = 8

// effort says how much of a text is put into words.
type effort int

const (
	inFull   effort = iota // numbers as people say them
	byDigit                // numbers digit by digit
	noSigns                // only words and pauses
	attempts               // how many efforts there are
)

// Speakable returns text as a text-to-speech engine should get it, by the engine's profile:
// without markup, emoji and stage directions, and with [Full] also without quotes, with calm
// punctuation and with numbers, dice, units, dates, signs and abbreviations in words. English
// and German are known, by a tag such as "de" or "en-GB"; an empty one means English. In any
// other language numbers and abbreviations stay as they are.
//
// The result is on one line, at most 8 times as long as text in bytes, and not empty if text
// has a letter, escape sequences of terminals aside. Speakable takes time in proportion to the
// text, and is safe for concurrent use. With Full it is idempotent and returns valid UTF-8.
//
// Text that people read does not belong in it.
func Speakable(text, language string, engine Profile) string {
	lex := lexiconOf(language)
	switch engine {
	case Game:
		return readGame(text, lex)
	case AsWritten:
		return cleanText(text)
	}
	for e := inFull; e < attempts; e++ {
		out := readUntilStable(text, lex, e)
		if len(out) <= maxGrowth*len(text) {
			return out
		}
	}
	return "" // not reached: noSigns adds nothing
}

// maxPasses bounds how often a text is read until nothing changes. The
// second pass only confirms the first, unless what a sign or a mark of emphasis
// held apart becomes an abbreviation or a numeral without it.
const maxPasses = 6

// readUntilStable puts text into words until nothing is left to do.
func readUntilStable(text string, lex *lexicon, e effort) string {
	out := readOnce(text, lex, e)
	for range maxPasses {
		again := readOnce(out, lex, e)
		if again == out {
			break
		}
		out = again
	}
	return out
}

// readOnce reads text once. It drops stage directions, unless the text has nothing else.
func readOnce(text string, lex *lexicon, e effort) string {
	plain := tidyText(dropEmoticons(text))
	if !strings.ContainsFunc(string(plain), isWord) {
		plain = tidyText(text)
	}
	out := newReader(dropStage(plain), lex, e).readAll()
	if !hasLetter(out) && hasLetter(string(plain)) {
		out = newReader(plain, lex, e).readAll()
	}
	return out
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }
