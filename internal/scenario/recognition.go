package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// interimLag is how far interim transcripts are behind the speaker.
const interimLag = 150 * time.Millisecond

// recogniser is the scripted speech recognition: it knows what players say,
// since they say what their script says, and tells it when the script allows.
// It implements stt.Recogniser.
type recogniser struct {
	script STT
	rec    *record
	mouths func(speaker string) *mouth

	mu   sync.Mutex // guards used
	used map[int]bool
}

func (*recogniser) Name() string { return "script" }

// Listen implements stt.Recogniser.
func (r *recogniser) Listen(_ context.Context, o stt.Options) (stt.Stream, error) {
	m := r.mouths(o.Speaker)
	if m == nil {
		return nil, fmt.Errorf("%w: nobody is called %q", stt.ErrRejected, o.Speaker)
	}
	r.rec.note(kindOpened, "speaker", o.Speaker)
	return &hearing{recogniser: r, Stream: rig.NewStream(), mouth: m, interim: o.Interim && r.script.Interims}, nil
}

// fault returns what goes wrong with an utterance.
func (r *recogniser) fault(said string) STTFault {
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

// contains reports whether part is in s, in any case; an empty part is.
func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

// hearing is one stream.
type hearing struct {
	*recogniser
	*rig.Stream
	mouth   *mouth
	interim bool

	hmu    sync.Mutex // guards the fields below
	number int        // of the utterance under way
	shown  string     // its last interim transcript
}

// Send implements stt.Stream. What is sent is not listened to; that it comes is
// what makes interim transcripts come.
func (h *hearing) Send([]int16) error {
	h.hmu.Lock()
	defer h.hmu.Unlock()
	if !h.interim {
		return nil
	}
	if text := h.mouth.take(time.Now().Add(-interimLag), false); text != "" && text != h.shown {
		h.shown = text
		h.Interim(h.number, text)
	}
	return nil
}

// Finish implements stt.Stream.
func (h *hearing) Finish(context.Context) (int, error) {
	h.hmu.Lock()
	defer h.hmu.Unlock()
	now := time.Now()
	said := h.mouth.take(now, true)
	h.rec.note(kindFinish, "speaker", h.mouth.player.Name, "text", said)
	n := h.number
	h.number++
	h.shown = ""
	f := h.fault(said)
	delay := time.Duration(h.script.Delay)
	if f.Delay != 0 {
		delay = time.Duration(f.Delay)
	}
	r, due := stt.Result{Utterance: n, Text: said, Final: true, Confidence: 0.9}, now.Add(delay)
	if f.Text != "" {
		r.Text = f.Text
	}
	switch f.Fault {
	case "never":
		return n, nil
	case "empty":
		r.Text = ""
	case "error":
		r.Text, r.Err = "", fmt.Errorf("%w: as the scene has it", stt.ErrUnavailable)
	case "broken":
		due, r.Text = now, ""
		r.Err = fmt.Errorf("%w: the connection broke, as the scene has it", stt.ErrUnavailable)
		h.rec.note(kindOpened, "speaker", h.mouth.player.Name) // the stream lasts
	case "duplicate":
		h.Final(r, due)
	}
	h.Final(r, due)
	return n, nil
}

// errScripted is what a scripted failure is made of.
var errScripted = errors.New("as the scene has it")
