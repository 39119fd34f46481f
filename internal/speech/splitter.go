package speech

import (
	"strings"
	"unicode"
)

const (
	// maxSentence is the number of runes without a stop after which text is cut at a pause, so that speech
	// can start.
	maxSentence = 300
	// minCut is the minimum length before a comma for such a cut.
	minCut = 100
	// pushPiece is the number of bytes processed at a time. It bounds the buffers for any chunk length.
	pushPiece = 512
)

// Splitter cuts streamed text into sentences. The zero value is ready to use.
//
// The sentences together are the text that was pushed, except that runs of white space become one space or
// vanish between sentences, and invalid UTF-8 becomes U+FFFD.
type Splitter struct {
	dec  decoder
	raw  []rune // scratch for Push
	text []rune // not yet returned, white space collapsed
	seen int    // runes of text without a boundary
}

// Push adds a piece of text and returns the sentences that are certain by now.
func (s *Splitter) Push(text string) []string {
	var out []string
	for text != "" {
		piece := text[:min(len(text), pushPiece)]
		text = text[len(piece):]
		s.raw = s.dec.decode(s.raw[:0], piece)
		out = s.processRaw(out, false)
	}
	return out
}

// Flush returns the remaining text and resets s for another text.
func (s *Splitter) Flush() []string {
	s.raw = s.dec.drain(s.raw[:0], true)
	out := s.processRaw(nil, true)
	if rest := sentence(s.text); rest != "" {
		out = append(out, rest)
	}
	s.text, s.seen = s.text[:0], 0
	return out
}

// processRaw moves raw to text and appends complete sentences to out.
func (s *Splitter) processRaw(out []string, final bool) []string {
	for _, r := range s.raw {
		s.addRune(r)
	}
	return s.cutSentences(out, final)
}

// addRune appends r. A run of white space becomes ' ', or '\n' or " \n" if it contains a line break. This
// form allows acting on its first rune at once.
func (s *Splitter) addRune(r rune) {
	if r == '\n' || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f' || r == '\u0085' {
		if n := len(s.text); n > 0 && s.text[n-1] != '\n' {
			s.text = append(s.text, '\n')
		}
		return
	}
	if !unicode.IsSpace(r) {
		s.text = append(s.text, r)
	} else if n := len(s.text); n > 0 && s.text[n-1] != ' ' && s.text[n-1] != '\n' {
		s.text = append(s.text, ' ')
	}
}

// cutSentences appends all sentences that are certain to out.
func (s *Splitter) cutSentences(out []string, final bool) []string {
	for {
		end := s.boundary(final)
		if end == 0 {
			return out
		}
		if found := sentence(s.text[:end]); found != "" {
			out = append(out, found)
		}
		for end < len(s.text) && isBlank(s.text[end]) {
			end++
		}
		n := copy(s.text, s.text[end:])
		s.text, s.seen = s.text[:n], 0
	}
}

// sentence returns runes as text with single spaces and none at its ends.
func sentence(runes []rune) string {
	for len(runes) > 0 && isBlank(runes[len(runes)-1]) {
		runes = runes[:len(runes)-1]
	}
	var b strings.Builder
	b.Grow(len(runes) + len(runes)/8)
	for i, r := range runes {
		switch {
		case !isBlank(r):
			b.WriteRune(r)
		case i > 0 && !isBlank(runes[i-1]):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isBlank reports whether r is white space in the form that addRune stores.
func isBlank(r rune) bool { return r == ' ' || r == '\n' }

// boundary returns the length of the first sentence in text, or 0 if it is not known yet. The result never
// changes when more text arrives, so it does not depend on the chunks.
func (s *Splitter) boundary(final bool) int {
	for i := s.seen; i < len(s.text); i++ {
		if i >= maxSentence {
			return s.pausePlace()
		}
		verdict, end := s.endsAt(i, final)
		if verdict == wait {
			s.seen = i
			return 0
		}
		if verdict == yes && hasWord(s.text[:end]) {
			return end
		}
	}
	s.seen = len(s.text)
	return 0
}

// endsAt reports whether a sentence ends with the mark at i, and where. wait means that it needs more runes
// after i.
func (s *Splitter) endsAt(i int, final bool) (verdict, int) {
	r := s.text[i]
	if r == '\n' {
		return yes, i
	}
	if !isStop(r) || i > 0 && isStop(s.text[i-1]) {
		return no, 0
	}
	run := s.skipRunes(i+1, isStop)
	closer := isCloser
	if isWide(s.text[run-1]) {
		closer = isWideCloser
	}
	end := s.skipRunes(run, closer)
	switch {
	case end == maxSentence:
		return no, 0
	case end == len(s.text) && final:
		return yes, end
	case end == len(s.text):
		return wait, 0
	case s.text[end] == '\n', isWide(s.text[run-1]):
		return yes, end
	case s.text[end] != ' ':
		return no, 0
	}
	return s.beforeSpace(i, run, end, final), end
}

// skipRunes returns the first index from i on whose rune does not satisfy those, at most maxSentence.
func (s *Splitter) skipRunes(i int, those func(rune) bool) int {
	for i < min(len(s.text), maxSentence) && those(s.text[i]) {
		i++
	}
	return i
}

// beforeSpace decides about a run of stops from i to run, closing marks up to end, and a space.
func (s *Splitter) beforeSpace(i, run, end int, final bool) verdict {
	next := lookahead{text: s.text[end+1:], final: final}
	if run == i+1 && s.text[i] == '.' {
		if v := afterWord(s.text[:i], next); v != yes || end == run {
			return v
		}
		return next.notLower()
	}
	// "Halt!" he cried; well... perhaps
	if end > run || isEllipsis(s.text[i:run]) {
		return next.notLower()
	}
	return yes
}

// pausePlace returns where to cut a text of maxSentence runes without a stop.
func (s *Splitter) pausePlace() int {
	for i := maxSentence - 1; i >= minCut; i-- {
		if isPause(s.text[i-1]) && (s.text[i] == ' ' || isWidePause(s.text[i-1])) {
			return i
		}
	}
	for i := maxSentence - 1; i > 0; i-- {
		if s.text[i] == ' ' {
			return i
		}
	}
	return maxSentence
}

func hasWord(text []rune) bool {
	for _, r := range text {
		if isWord(r) {
			return true
		}
	}
	return false
}
