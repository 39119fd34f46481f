package simulate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// interimEvery is how much sound lies between two interim transcripts, and
	// interimDelay how far they lag behind what is said.
	interimEvery = 300 * time.Millisecond
	interimDelay = 150 * time.Millisecond
)

// hearing is a simulated speech recognition for one table: it hears every word
// right, after the latency that was drawn. It is safe for concurrent use.
type hearing struct {
	mouths  map[string]*mouth // by speaker; read only
	dice    *dice
	latency Latency // from the end of an utterance to its transcript
}

func (h *hearing) Name() string { return "simulated" }

// Listen starts a stream for o.Speaker, who has to be one of the table's players.
func (h *hearing) Listen(_ context.Context, o stt.Options) (stt.Stream, error) {
	m, ok := h.mouths[o.Speaker]
	if !ok {
		return nil, fmt.Errorf("%w: nobody here is called %q", stt.ErrRejected, o.Speaker)
	}
	return &transcripts{Stream: rig.NewStream(), hearing: h, mouth: m, interims: o.Interim}, nil
}

// transcripts is the stream of one speaker.
type transcripts struct {
	*rig.Stream
	hearing  *hearing
	mouth    *mouth
	interims bool

	mu     sync.Mutex // guards the fields below
	number int        // of the utterance that is being sent
	heard  int        // samples since the last interim
	shown  string     // the last interim
}

// Send implements stt.Stream.
func (t *transcripts) Send(samples []int16) error {
	if t.Closed() {
		return stt.ErrClosed
	}
	if !t.interims {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.heard += len(samples); audio.Duration(t.heard, audio.SampleRate) < interimEvery {
		return nil
	}
	t.heard = 0
	if text := t.mouth.said(time.Now().Add(-interimDelay), false); text != t.shown && text != "" {
		t.shown = text
		t.Interim(t.number, text)
	}
	return nil
}

// Finish implements stt.Stream.
func (t *transcripts) Finish(context.Context) (int, error) {
	if t.Closed() {
		return 0, stt.ErrClosed
	}
	now := time.Now()
	latency := t.hearing.dice.latency(t.hearing.latency)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Pending() >= stt.MaxPending {
		return 0, stt.ErrBusy
	}
	n := t.number
	t.Final(stt.Result{Utterance: n, Final: true, Text: t.mouth.said(now, true)}, now.Add(latency))
	t.number++
	t.heard, t.shown = 0, ""
	return n, nil
}
