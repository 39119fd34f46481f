package simulate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
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
	return &transcripts{hearing: h, mouth: m, interims: o.Interim, news: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

// transcripts is the stream of one speaker.
type transcripts struct {
	hearing  *hearing
	mouth    *mouth
	interims bool
	news     chan struct{} // holds a token when Recv has to look again
	closing  sync.Once
	closed   chan struct{}

	mu      sync.Mutex // guards the fields below
	number  int        // of the utterance that is being sent
	heard   int        // samples since the last interim
	interim string     // latest, not yet received if fresh
	fresh   bool
	pending []final
}

// final is a transcript and when it is ready.
type final struct {
	stt.Result
	due time.Time
}

func (t *transcripts) Send(samples []int16) error {
	if t.over() {
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
	if text := t.mouth.said(time.Now().Add(-interimDelay), false); text != t.interim && text != "" {
		t.interim, t.fresh = text, true
		wakeup.Signal(t.news)
	}
	return nil
}

func (t *transcripts) Finish(context.Context) (int, error) {
	if t.over() {
		return 0, stt.ErrClosed
	}
	now := time.Now()
	latency := t.hearing.dice.latency(t.hearing.latency)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) >= stt.MaxPending {
		return 0, stt.ErrBusy
	}
	f := final{stt.Result{Utterance: t.number, Final: true, Text: t.mouth.said(now, true)}, now.Add(latency)}
	if n := len(t.pending); n > 0 && f.due.Before(t.pending[n-1].due) {
		f.due = t.pending[n-1].due // finals come in order
	}
	t.pending = append(t.pending, f)
	t.number++
	t.heard, t.interim, t.fresh = 0, "", false
	wakeup.Signal(t.news)
	return f.Utterance, nil
}

func (t *transcripts) Recv(ctx context.Context) (stt.Result, error) {
	for {
		r, due, ok := t.next(time.Now())
		if ok {
			return r, nil
		}
		if err := t.await(ctx, due); err != nil {
			return stt.Result{}, err
		}
	}
}

// await waits until there may be something to receive, at due at the latest
// unless that is zero.
func (t *transcripts) await(ctx context.Context, due time.Time) error {
	var alarm <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-t.news:
		return nil
	case <-alarm:
		return nil
	case <-t.closed:
		return stt.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next takes the transcript that is ready, if any; else due is when one will
// be, if that is known.
func (t *transcripts) next(now time.Time) (r stt.Result, due time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) > 0 {
		if first := t.pending[0]; !first.due.After(now) {
			t.pending = append(t.pending[:0], t.pending[1:]...)
			return first.Result, due, true
		}
		due = t.pending[0].due
	}
	if t.fresh {
		t.fresh = false
		return stt.Result{Utterance: t.number, Text: t.interim}, due, true
	}
	return r, due, false
}

func (t *transcripts) Stats() stt.Stats { return stt.Stats{} }

func (t *transcripts) Close() error {
	t.closing.Do(func() { close(t.closed) })
	return nil
}

// over reports whether the stream is closed.
func (t *transcripts) over() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}
