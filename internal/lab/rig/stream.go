package rig

import (
	"context"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Pause waits for d, or until ctx ends, and then returns its error.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stream is a stream of a [Recogniser]: it returns its scheduled results at
// their times. Finals come in order; a newer interim or the final replaces an
// interim that was not received. It is safe for concurrent use.
type Stream struct {
	recogniser *Recogniser
	speaker    string
	words      *Words
	interims   bool

	hearing   sync.Mutex // guards the fields below; held while an utterance is transcribed
	utterance int        // in progress
	unheard   int        // samples since the last interim transcript
	shown     string     // that transcript

	changed chan struct{} // holds a token when there may be a result to receive
	closed  chan struct{}
	closing sync.Once

	mu      sync.Mutex // guards the fields below
	finals  []transcript
	interim *stt.Result
}

// transcript is a result that becomes ready at a time.
type transcript struct {
	stt.Result
	due time.Time
}

// Interim queues an interim transcript for now.
func (s *Stream) Interim(utterance int, text string) {
	s.mu.Lock()
	s.interim = &stt.Result{Utterance: utterance, Text: text}
	s.mu.Unlock()
	wakeup.Signal(s.changed)
}

// Final queues a final transcript for its time, but not before the previous
// one.
func (s *Stream) Final(r stt.Result, due time.Time) {
	s.mu.Lock()
	if n := len(s.finals); n > 0 && due.Before(s.finals[n-1].due) {
		due = s.finals[n-1].due
	}
	s.finals = append(s.finals, transcript{r, due})
	if s.interim != nil && s.interim.Utterance <= r.Utterance {
		s.interim = nil
	}
	s.mu.Unlock()
	wakeup.Signal(s.changed)
}

// Pending returns the number of waiting finals.
func (s *Stream) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.finals)
}

// Closed reports whether Close was called.
func (s *Stream) Closed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Recv implements stt.Stream.
func (s *Stream) Recv(ctx context.Context) (stt.Result, error) {
	for {
		r, due := s.nextTranscript(time.Now())
		if r != nil {
			return *r, nil
		}
		if err := s.awaitChange(ctx, due); err != nil {
			return stt.Result{}, err
		}
	}
}

// nextTranscript takes the ready transcript, if any; otherwise due is when the
// next one is ready, zero if unknown.
func (s *Stream) nextTranscript(now time.Time) (r *stt.Result, due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.finals) > 0 {
		if first := s.finals[0]; !first.due.After(now) {
			s.finals = append(s.finals[:0], s.finals[1:]...)
			return &first.Result, due
		}
		due = s.finals[0].due
	}
	r, s.interim = s.interim, nil
	return r, due
}

// awaitChange waits until there may be a result to receive, at most until due
// unless that is zero.
func (s *Stream) awaitChange(ctx context.Context, due time.Time) error {
	var alarm <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-s.changed:
		return nil
	case <-alarm:
		return nil
	case <-s.closed:
		return stt.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stats implements stt.Stream.
func (s *Stream) Stats() stt.Stats { return stt.Stats{} }

// Close implements stt.Stream.
func (s *Stream) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return nil
}
