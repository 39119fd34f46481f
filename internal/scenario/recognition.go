package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
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
	return &hearing{recogniser: r, mouth: m, interim: o.Interim && r.script.Interims, changed: make(chan struct{}, 1), gone: make(chan struct{})}, nil
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
	mouth   *mouth
	interim bool
	changed chan struct{} // holds one token when there may be something to receive
	gone    chan struct{} // closed by Close
	once    sync.Once

	hmu    sync.Mutex // guards the fields below
	number int        // of the utterance under way
	shown  string     // its last interim transcript
	due    []result   // in order
}

// result is a transcript that is ready at a time.
type result struct {
	at time.Time
	stt.Result
}

func (h *hearing) poke() {
	wakeup.Signal(h.changed)
}

// Send implements stt.Stream. What is sent is not listened to; that it comes is
// what makes interim transcripts come.
func (h *hearing) Send([]int16) error {
	h.hmu.Lock()
	defer h.hmu.Unlock()
	if !h.interim {
		return nil
	}
	now := time.Now()
	if text := h.mouth.take(now.Add(-interimLag), false); text != "" && text != h.shown {
		h.shown = text
		h.due = append(h.due, result{now, stt.Result{Utterance: h.number, Text: text}})
		h.poke()
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
	r := result{now.Add(delay), stt.Result{Utterance: n, Text: said, Final: true, Confidence: 0.9}}
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
		r.at, r.Text = now, ""
		r.Err = fmt.Errorf("%w: the connection broke, as the scene has it", stt.ErrUnavailable)
		h.rec.note(kindOpened, "speaker", h.mouth.player.Name) // the stream lasts
	case "duplicate":
		h.due = append(h.due, r)
	}
	h.due = append(h.due, r)
	h.poke()
	return n, nil
}

// Recv implements stt.Stream.
func (h *hearing) Recv(ctx context.Context) (stt.Result, error) {
	for {
		r, wait, err := h.ready(time.Now())
		if err != nil || r != nil {
			if r == nil {
				return stt.Result{}, err
			}
			return *r, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-h.changed:
		case <-h.gone:
			timer.Stop()
			return stt.Result{}, stt.ErrClosed
		case <-ctx.Done():
			timer.Stop()
			return stt.Result{}, ctx.Err()
		}
		timer.Stop()
	}
}

// ready returns the next transcript, or how long there is none.
func (h *hearing) ready(now time.Time) (*stt.Result, time.Duration, error) {
	h.hmu.Lock()
	defer h.hmu.Unlock()
	switch {
	case len(h.due) == 0:
		return nil, time.Hour, nil
	case h.due[0].at.After(now):
		return nil, h.due[0].at.Sub(now), nil
	}
	r := h.due[0].Result
	h.due = h.due[1:]
	return &r, 0, nil
}

// Stats implements stt.Stream.
func (h *hearing) Stats() stt.Stats { return stt.Stats{} }

// Close implements stt.Stream.
func (h *hearing) Close() error {
	h.once.Do(func() { close(h.gone) })
	return nil
}

// errScripted is what a scripted failure is made of.
var errScripted = errors.New("as the scene has it")
