package vendor

import (
	"context"
	"fmt"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Results is a mailbox of transcripts. It keeps each utterance's final transcript until it is fetched, in
// order and once, and only the newest interim transcript. It is safe for concurrent use, but only one
// goroutine may call Recv.
//
// It needs no limit of its own because only finished utterances have a final, and [Audio.Finish] limits
// those.
type Results struct {
	wake chan struct{} // holds one token if there may be something to fetch

	mu      sync.Mutex // guards the fields below
	finals  []stt.Result
	interim *stt.Result
	next    int // number of the utterance whose final comes next
	late    int64
	err     error
}

// NewResults returns an empty mailbox.
func NewResults() *Results { return &Results{wake: make(chan struct{}, 1)} }

// Put adds a transcript. It counts and drops a late one, whose utterance already has its final. If a final
// arrives for a later utterance than the next, Put adds an empty final for each utterance in between, so that
// each has exactly one.
func (m *Results) Put(r stt.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
	case r.Utterance < m.next:
		m.late++
	case !r.Final:
		m.interim = &r
		wakeup.Signal(m.wake)
	default:
		for ; m.next < r.Utterance; m.next++ {
			m.finals = append(m.finals, stt.Result{Utterance: m.next, Final: true})
		}
		m.finals = append(m.finals, r)
		m.next++
		if m.interim != nil && m.interim.Utterance < m.next {
			m.interim = nil
		}
		wakeup.Signal(m.wake)
	}
}

// Pending returns how many of the first n utterances have no fetched final.
func (m *Results) Pending(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return n - m.next + len(m.finals)
}

// Fail makes Recv return err once all earlier transcripts are fetched. Only the first error counts.
func (m *Results) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
		wakeup.Signal(m.wake)
	}
}

// Err returns the error passed to Fail, or nil.
func (m *Results) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Late returns the number of transcripts that came too late.
func (m *Results) Late() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.late
}

// Recv returns the next transcript, as specified by [stt.Stream].
func (m *Results) Recv(ctx context.Context) (stt.Result, error) {
	for {
		if r, err, ok := m.popNext(); ok {
			return r, err
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return stt.Result{}, fmt.Errorf("receiving a transcript: %w", ctx.Err())
		}
	}
}

func (m *Results) popNext() (r stt.Result, err error, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case len(m.finals) > 0:
		r = m.finals[0]
		m.finals = append(m.finals[:0], m.finals[1:]...)
		return r, nil, true
	case m.interim != nil:
		r, m.interim = *m.interim, nil
		return r, nil, true
	case m.err != nil:
		return stt.Result{}, m.err, true
	}
	return stt.Result{}, nil, false
}
