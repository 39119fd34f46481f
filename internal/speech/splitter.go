package speech

import (
	"strings"
	"unicode"
)

const (
	// maxSentence is how many runes without a stop are held before they are
	// cut at a pause, so that speech starts.
	maxSentence = 300
	// minCut is the least length such a cut leaves in front of a comma.
	minCut = 100
	// pushPiece is how many bytes are taken in at a time, which bounds the
	// buffers however long a chunk is.
	pushPiece = 512
)

// Splitter cuts streamed text into sentences. The zero value is ready.
//
// The sentences it yields are, put together, the text it was given, except
// that runs of white space become one space or vanish between sentences and
// invalid UTF-8 becomes U+FFFD.
type Splitter struct {
	dec  decoder
	raw  []rune // scratch for Push
	text []rune // not yet yielded, white space collapsed
	seen int    // runes of text known to hold no boundary
}

// Push takes the next piece of text and returns the sentences that are
// certain by now.
func (s *Splitter) Push(text string) []string {
	var out []string
	for text != "" {
		piece := text[:min(len(text), pushPiece)]
		text = text[len(piece):]
		s.raw = s.dec.decode(s.raw[:0], piece)
		out = s.takeRaw(out, false)
	}
	return out
}

// Flush returns what is left and makes s ready for another text.
func (s *Splitter) Flush() []string {
	s.raw = s.dec.drain(s.raw[:0], true)
	out := s.takeRaw(nil, true)
	if rest := sentence(s.text); rest != "" {
		out = append(out, rest)
	}
	s.text, s.seen = s.text[:0], 0
	return out
}

// takeRaw moves raw into text and appends the sentences found to out.
func (s *Splitter) takeRaw(out []string, final bool) []string {
	for _, r := range s.raw {
		s.addRune(r)
	}
	return s.cutSentences(out, final)
}

// addRune appends r. A run of white space becomes ' ', or '\n' or " \n" if it
// holds a line break: the first sign of it can be acted on at once.
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

// cutSentences appends every sentence that is certain to out.
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

// sentence returns a part of text with single spaces, without one at its ends.
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

// isBlank reports whether r is white space as addRune lets it into text.
func isBlank(r rune) bool { return r == ' ' || r == '\n' }

// boundary returns the length of the first sentence in text, 0 if it is not
// known yet. Its answer for a text never differs from its answer for a longer
// one, which makes the outcome independent of chunks.
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

// endsAt reports whether a sentence ends with the sign at i, and where. An answer
// of wait means the runes after i do not suffice.
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

// skipRunes returns the first index from i on whose rune is none of those, at most
// maxSentence.
func (s *Splitter) skipRunes(i int, those func(rune) bool) int {
	for i < min(len(s.text), maxSentence) && those(s.text[i]) {
		i++
	}
	return i
}

// beforeSpace decides about a run of stops from i to run, with closing marks
// up to end and a space after them.
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
