package scenario

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// recognition is a scripted speech recogniser, which knows the players' words
// from their script.
type recognition struct {
	script STT
	rec    *record

	mu   sync.Mutex // guards used
	used map[int]bool
}

// newRecogniser returns the scripted recogniser of players with these words.
func newRecogniser(script STT, rec *record, wordsOf func(speaker string) *rig.Words) *rig.Recogniser {
	r := &recognition{script: script, rec: rec}
	out := &rig.Recogniser{WordsOf: wordsOf, NoteStream: r.noteStream, Transcribe: r.transcribe}
	if !script.Interims {
		out.InterimEvery = -1
	}
	return out
}

func (r *recognition) noteStream(speaker string) { r.rec.noteNow(kindOpened, "speaker", speaker) }

// pickFault returns the fault of an utterance.
func (r *recognition) pickFault(said string) STTFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, f := range r.script.Faults {
		if !contains(said, f.On) || f.Once && r.used[i] {
			continue
		}
		if r.used == nil {
			r.used = map[int]bool{}
		}
		r.used[i] = true
		return f
	}
	return STTFault{}
}

// contains reports whether s contains part, ignoring case.
func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

// transcribe returns the utterance at the scripted time, or the script's
// replacement.
func (r *recognition) transcribe(s *rig.Stream, speaker string, said stt.Result, now time.Time) {
	r.rec.noteNow(kindFinish, "speaker", speaker, "text", said.Text)
	f := r.pickFault(said.Text)
	due := now.Add(time.Duration(r.script.Delay))
	if f.Delay != 0 {
		due = now.Add(time.Duration(f.Delay))
	}
	said.Confidence = 0.9
	if f.Text != "" {
		said.Text = f.Text
	}
	switch f.Fault {
	case "never":
		return
	case "empty":
		said.Text = ""
	case "error":
		said.Text, said.Err = "", fmt.Errorf("%w: as the scene has it", stt.ErrUnavailable)
	case "broken":
		due, said.Text = now, ""
		said.Err = fmt.Errorf("%w: the connection broke, as the scene has it", stt.ErrUnavailable)
		r.noteStream(speaker) // the stream stays open
	case "duplicate":
		s.Final(said, due)
	}
	s.Final(said, due)
}

// errScripted is the error of scripted failures.
var errScripted = errors.New("as the scene has it")
