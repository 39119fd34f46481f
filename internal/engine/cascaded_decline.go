package engine

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// silence is what is known of whether the model declines.
type silence struct {
	begun string // of the answer under way, as much as it takes to tell
	known bool   // it was told that the turn is answered
	meant bool   // the last answer stands for silence
}

// maxBegun bounds how much of an answer is looked at, in bytes.
const maxBegun = 200

// followBeginning takes in the next words of an answer that may decline, and whether
// it calls tools. It returns [ErrDeclined] as soon as it does: the model need
// not write on.
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

// judgeSilence takes in a complete answer. One that is empty, broke off or was nothing
// but a call in a wrong shape has failed: the model knows how to say nothing.
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
