// Package speech turns a model's streamed text into sentences an NPC may
// speak. A [Scrubber] takes out what is not speech, such as tool calls the
// model writes by mistake, reasoning, markup and its own name; a [Splitter]
// cuts the rest into sentences as early as is safe:
//
//	text := scrubber.Push(chunk.Text)
//	for _, sentence := range splitter.Push(text) { … }
//
// and at the end of the answer
//
//	for _, sentence := range splitter.Push(scrubber.Flush()) { … }
//	for _, sentence := range splitter.Flush() { … }
//
// [Speakable] then turns a sentence into what a voice can pronounce.
//
// Both types hold back a bounded amount of text, depend only on the text and not on how it was cut into
// chunks, start no goroutine and do no I/O. Values belong to one goroutine at a
// time. English and German abbreviations are known; other languages are cut at
// the same signs.
//
// [FindSalient] finds the sentences of a conversation that are worth keeping: promises, debts, deaths, kin,
// what something is called, where somebody lives, what has changed. It knows English and German by lists
// of phrases and understands nothing: who reads what it found decides.
package speech

import (
	"unicode"
	"unicode/utf8"
)

// verdict is the outcome of looking at text that may not be complete yet.
type verdict int

const (
	no   verdict = iota // this is not it, whatever follows
	yes                 // this is it, whatever follows
	wait                // more text decides
)

// decoder turns chunks that may end within a rune into runes. Each invalid
// byte becomes U+FFFD.
type decoder struct {
	part [utf8.UTFMax]byte
	n    int
}

// decode appends the runes that text completes to dst.
func (d *decoder) decode(dst []rune, text string) []rune {
	for d.n > 0 && text != "" {
		d.part[d.n] = text[0]
		d.n++
		text = text[1:]
		dst = d.drain(dst, false)
	}
	for text != "" {
		if !utf8.FullRuneInString(text) {
			d.n = copy(d.part[:], text)
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		dst = append(dst, r)
		text = text[size:]
	}
	return dst
}

// drain appends what the partial rune amounts to by now, or to the end of the
// text if final.
func (d *decoder) drain(dst []rune, final bool) []rune {
	for d.n > 0 && (final || utf8.FullRune(d.part[:d.n])) {
		r, size := utf8.DecodeRune(d.part[:d.n])
		dst = append(dst, r)
		d.n = copy(d.part[:], d.part[size:d.n])
	}
	return dst
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isQuote reports whether r opens or closes a quotation in some language.
func isQuote(r rune) bool {
	switch r {
	case '"', '\'', '“', '”', '„', '‟', '‘', '’', '‚', '«', '»', '‹', '›', '「', '」', '『', '』':
		return true
	}
	return false
}
