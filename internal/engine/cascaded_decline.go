package engine

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// silence records whether the model declines.
type silence struct {
	answerStart    string // beginning of the current answer, as much as is needed to decide
	answerReported bool   // it was reported that the turn is answered
	declared       bool   // the last answer means silence
}

// maxExamined bounds how much of an answer is examined, in bytes.
const maxExamined = 200

// examineBeginning examines the next words of an answer that may decline. calls says whether the answer calls
// tools. It returns [ErrDeclined] as soon as the answer declines, because the model need not continue.
func (t *turn) examineBeginning(text string, calls bool) error {
	s := &t.silence
	if !t.req.MayDecline || t.hasSpoken || len(s.answerStart) > maxExamined {
		return nil
	}
	s.answerStart += text
	switch {
	case speech.DeclaresSilence(s.answerStart):
		return ErrDeclined
	case s.answerReported || !calls && speech.MayBeSilence(s.answerStart):
		return nil
	}
	s.answerReported = true
	return t.emit(Begun{})
}

// recordSilence examines a complete answer. An empty or incomplete answer, or one that is only a malformed
// call, has failed, because the model was told how to stay silent.
func (t *turn) recordSilence(raw, finish string) {
	s := &t.silence
	if s.declared = finish == "" || finish == "stop"; !s.declared || !t.req.MayDecline || t.hasSpoken {
		return
	}
	if strings.TrimSpace(s.answerStart) != "" {
		raw = s.answerStart
	}
	for _, name := range t.req.Names {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(raw), name+":"); ok {
			raw = rest
		}
	}
	s.declared = strings.TrimSpace(raw) != "" && speech.IsSilence(raw)
}
