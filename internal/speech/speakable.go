package speech

import (
	"strings"
	"unicode"
)

// maxGrowth limits how many times longer than the text its spoken form may be.
const maxGrowth = 8

// effort is how much of a text is put into words.
type effort int

const (
	inFull   effort = iota // numbers as people read them
	byDigit                // numbers digit by digit
	noSigns                // only words and punctuation
	attempts               // the number of efforts
)

// Speakable returns text as a text-to-speech engine with the given profile should get it. Markup, emoji and
// stage directions are removed. With [Full], quotes are removed as well, punctuation is simplified, and
// numbers, dice, units, dates, signs and abbreviations are put into words. It supports English and German,
// given by a tag such as "de" or "en-GB"; an empty tag means English. In other languages, numbers and
// abbreviations stay as written. For example:
//
//	Speakable("Roll 2d6+3 for damage.", "en", Full) // "Roll two d six plus three for damage."
//
// The result is on one line, at most 8 times as long as text in bytes, and not empty if text contains a
// letter outside terminal escape sequences. Speakable takes time proportional to the length of text, and is
// safe for concurrent use. With Full, it is idempotent and returns valid UTF-8.
//
// Do not use it for text that people read.
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

// maxPasses limits how often a text is read until nothing changes. The second pass usually only confirms the
// first. Sometimes removing a sign or an emphasis mark creates an abbreviation or a numeral.
const maxPasses = 6

// readUntilStable puts text into words until nothing changes.
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
