// Package speech turns a model's streamed text into sentences that an NPC may speak. A [Scrubber] removes
// text that is not speech, such as tool calls that the model writes by mistake, reasoning, markup and its
// own name. A [Splitter] cuts the rest into sentences as early as is safe:
//
//	text := scrubber.Push(chunk.Text)
//	for _, sentence := range splitter.Push(text) { … }
//
// and at the end of the answer
//
//	for _, sentence := range splitter.Push(scrubber.Flush()) { … }
//	for _, sentence := range splitter.Flush() { … }
//
// [Speakable] then turns a sentence into text that a voice can pronounce.
//
// Both types hold back a bounded amount of text, depend only on the text and not on how it was split into
// chunks, start no goroutine and do no I/O. They are not safe for concurrent use. They know English and
// German abbreviations; other languages are cut at the same punctuation marks.
//
// [FindSalient] finds sentences of a conversation that are worth keeping, such as promises, debts, deaths,
// kinship, names, homes and changes. It uses lists of English and German phrases and understands nothing, so
// the caller has to judge the results.
package speech

import (
	"unicode"
	"unicode/utf8"
)

// verdict is the result of examining text that may be incomplete.
type verdict int

const (
	no   verdict = iota // no match, whatever follows
	yes                 // a match, whatever follows
	wait                // more text decides
)

// decoder decodes chunks that may end within a rune. Each invalid byte becomes U+FFFD.
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

// drain appends the complete runes of the partial input to dst, or all of it if final.
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
