package chain

import (
	"sync"
	"time"
)

// breaker keeps a failing provider out of the way. Closed, it lets everything
// through. Open, it lets nothing through until its pause is over, and then one
// utterance, by which it is judged. It is safe for concurrent use.
type breaker struct {
	limit int           // failures in a row that open it
	first time.Duration // the first pause

	mu       sync.Mutex // guards the fields below
	failures int        // in a row
	pause    time.Duration
	until    time.Time // zero if closed
	trial    bool      // the one utterance is under way
}

// closed reports whether nothing is known against the provider.
func (b *breaker) closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until.IsZero()
}

// enter reports whether the provider may be tried. If so, the caller reports
// how it went.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return true
	}
	if b.trial || now.Before(b.until) {
		return false
	}
	b.trial = true
	return true
}

// due returns when an open breaker lets something through.
func (b *breaker) due() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until
}

// succeeded closes the breaker.
func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.pause, b.until, b.trial = 0, 0, time.Time{}, false
}

// abandoned is for a try that told nothing about the provider.
func (b *breaker) abandoned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// failed counts a failure and opens the breaker if there were enough of them,
// if it was being tried, or if the failure is severe.
func (b *breaker) failed(now time.Time, severe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.trial = false
	if b.until.IsZero() && !severe && b.failures < b.limit || now.Before(b.until) {
		return
	}
	b.pause = min(max(2*b.pause, b.first), maxBackOff)
	b.until = now.Add(b.pause)
}
