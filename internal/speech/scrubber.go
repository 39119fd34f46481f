package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Options configures a [Scrubber].
type Options struct {
	// Names are the NPC's name and aliases, which a model may put before its lines as in a script. Case is
	// ignored.
	Names []string
	// Tools are the names of the tools that the model knows. Without them, only marked-up calls are
	// recognised, not calls like roll("2d6").
	Tools []string
	// KeepStageDirections speaks "*smiles*" as "smiles". If false, stage directions in asterisks are removed.
	// Emphasised words are always kept.
	KeepStageDirections bool
}

// Scrubber removes from streamed text what an NPC must not say: objects and code, such as calls that no tool
// could answer, the NPC's own name before its lines, stage directions, Markdown and HTML markup, and invisible
// characters. Ordinary text passes unchanged, even with characters such as "<", "{" or "[". Reasoning and the
// control tokens of chat templates have been removed by the provider, see package dialect.
//
// An answer that is an object, such as {"speech": "Well met."}, is unwrapped: the object is held back until
// it ends, and the text in it is spoken.
//
// A call that never ends is removed up to the end of the paragraph, and a tool tag up to the end of the
// answer. At most a few hundred runes are held back while the scrubber cannot decide.
type Scrubber struct {
	names     [][]rune // lower case
	tools     map[string]bool
	keepStage bool

	dec  decoder
	raw  []rune // scratch for Push
	text []rune // not yet decided
	out  []byte // decided, for the current Push

	removal removal // what is being removed
	wrapped []rune  // the object at the beginning of the text so far; nil if there is none
	speech  []rune  // extracted from that object, to be decided next
	state   position
}

// position is the state that decides about the next rune.
type position struct {
	prev      rune // the last rune consumed, 0 at the start
	last      rune // the last rune emitted, 0 at the start
	midLine   bool // something visible was emitted on this line
	midPhrase bool // something visible was emitted since the last stop
	starred   bool // emphasis has begun and not ended
	removed   bool // nothing visible was emitted since a removal
}

// NewScrubber returns a scrubber. opts may be nil.
func NewScrubber(opts *Options) *Scrubber {
	s := &Scrubber{}
	if opts == nil {
		return s
	}
	s.keepStage = opts.KeepStageDirections
	for _, name := range opts.Names {
		if name = strings.TrimSpace(untrusted.Clean(name, maxName)); name != "" {
			s.names = append(s.names, []rune(strings.ToLower(name)))
		}
	}
	// Longest first, so that "Bartok the Bold" comes before "Bartok".
	slices.SortFunc(s.names, func(a, b []rune) int { return len(b) - len(a) })
	if len(opts.Tools) > 0 {
		s.tools = make(map[string]bool, len(opts.Tools))
		for _, tool := range opts.Tools {
			s.tools[strings.ToLower(tool)] = true
		}
	}
	return s
}

// Push adds a piece of text and returns the text that is certainly speech.
func (s *Scrubber) Push(text string) string {
	s.out = s.out[:0]
	for text != "" {
		piece := text[:min(len(text), pushPiece)]
		text = text[len(piece):]
		s.raw = s.dec.decode(s.raw[:0], piece)
		s.processRaw(false)
	}
	return string(s.out)
}

// Flush returns the remaining speech and resets s for another text.
func (s *Scrubber) Flush() string {
	s.out = s.out[:0]
	s.raw = s.dec.drain(s.raw[:0], true)
	s.processRaw(true)
	s.removal, s.state, s.wrapped = removal{}, position{}, nil
	return string(s.out)
}

// processRaw moves raw to text, without invisible runes, and decides as much as it can.
func (s *Scrubber) processRaw(final bool) {
	for _, r := range s.raw {
		switch {
		case r == '\u2028', r == '\u2029':
			s.text = append(s.text, '\n')
		case !untrusted.Hidden(r):
			s.text = append(s.text, r)
		}
	}
	done := 0
	for done < len(s.text) {
		n := s.decideNext(s.text[done:], final)
		if n == 0 {
			break
		}
		s.state.prev = s.text[done+n-1]
		done += n
		if s.speech != nil {
			s.text = slices.Insert(s.text, done, s.speech...)
			s.speech = nil
		}
	}
	s.text = s.text[:copy(s.text, s.text[done:])]
}

// decideNext decides about the beginning of rest and returns the number of runes it consumed, or 0 if it
// needs more. If final, it always consumes some.
func (s *Scrubber) decideNext(rest []rune, final bool) int {
	if s.removal.kind != nothing {
		n, done := s.removal.consume(rest, final)
		s.collectWrapped(rest[:n])
		if done {
			s.removal = removal{}
			s.state.removed = true
			s.unwrap()
		}
		return n
	}
	if !s.state.midLine && !unicode.IsSpace(rest[0]) {
		if v, n := s.removeLineStart(rest, final); v != no {
			return n // 0 if more text is needed
		}
	}
	var (
		v verdict
		n int
	)
	switch r := rest[0]; r {
	case '<':
		v, n = s.removeTag(rest, final)
	case '{':
		v, n = s.removeObject(rest, final)
	case '[':
		v, n = s.removeBracket(rest, final)
	case '`':
		v, n = s.removeTicks(rest, final)
	case '*':
		v, n = s.removeStars(rest, final)
	case '_', '~':
		v, n = s.removeUnderline(rest, final)
	default:
		v, n = s.removeCall(rest, final)
	}
	if v == no {
		s.emitRune(rest[0])
		return 1
	}
	return n
}

// emitRune emits r. White space on both sides of a removal is reduced to that of one side.
func (s *Scrubber) emitRune(r rune) {
	p := &s.state
	space := unicode.IsSpace(r)
	doubled := space && p.removed && (p.last == 0 || p.last == '\n' || r != '\n' && unicode.IsSpace(p.last))
	switch {
	case r == '\n':
		p.midLine, p.midPhrase = false, false
	case space:
	case isStop(r), r == ':', r == ';', r == '–', r == '—':
		p.midLine, p.midPhrase, p.removed = true, false, false
	case isCloser(r):
		p.midLine, p.removed = true, false
	default:
		p.midLine, p.midPhrase, p.removed = true, true, false
	}
	if !doubled {
		s.out = utf8.AppendRune(s.out, r)
		p.last = r
	}
}

// beginRemoval starts a removal whose first n runes have been read.
func (s *Scrubber) beginRemoval(w removal, n int) (verdict, int) {
	s.removal = w
	return yes, n
}

// dropRunes removes n runes.
func (s *Scrubber) dropRunes(n int) (verdict, int) {
	s.state.removed = true
	return yes, n
}
