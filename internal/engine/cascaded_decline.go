package engine

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// silence records whether the model declines.
type silence struct {
	begun string // beginning of the current answer, as much as is needed to decide
	known bool   // it was reported that the turn is answered
	meant bool   // the last answer means silence
}

// maxBegun bounds how much of an answer is examined, in bytes.
const maxBegun = 200

// followBeginning examines the next words of an answer that may decline. calls says whether the answer calls
// tools. It returns [ErrDeclined] as soon as the answer declines, because the model need not continue.
func (t *turn) followBeginning(text string, calls bool) error {
	s := &t.silence
	if !t.req.MayDecline || t.said || len(s.begun) > maxBegun {
		return nil
	}
	s.begun += text
	switch {
	case speech.DeclaresSilence(s.begun):
		return ErrDeclined
	case s.known || !calls && speech.MayBeSilence(s.begun):
		return nil
	}
	s.known = true
	return t.emit(Begun{})
}

// judgeSilence examines a complete answer. An empty or incomplete answer, or one that is only a malformed
// call, has failed, because the model was told how to stay silent.
func (t *turn) judgeSilence(raw, finish string) {
	s := &t.silence
	if s.meant = finish == "" || finish == "stop"; !s.meant || !t.req.MayDecline || t.said {
		return
	}
	if strings.TrimSpace(s.begun) != "" {
		raw = s.begun
	}
	for _, name := range t.req.Names {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(raw), name+":"); ok {
			raw = rest
		}
	}
	s.meant = strings.TrimSpace(raw) != "" && speech.IsSilence(raw)
}
