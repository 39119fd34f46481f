package chain

import (
	"sync"
	"time"
)

// breaker keeps a failing provider out of the way. Closed, it lets everything
// through; open, nothing until its pause is over, and then one sentence, which
// decides. It is safe for concurrent use.
type breaker struct {
	limit int           // failures in a row that open it
	first time.Duration // the first pause

	mu       sync.Mutex // guards the fields below
	failures int        // in a row
	open     bool
	until    time.Time     // an open one lets one sentence through from here on
	pause    time.Duration // the next one
	trial    bool          // that sentence is under way
}

// enter reports whether a sentence may be tried now. The caller reports how it
// went.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.passes(now) {
		return false
	}
	b.trial = b.open
	return true
}

// ready reports whether enter would.
func (b *breaker) ready(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passes(now)
}

func (b *breaker) passes(now time.Time) bool {
	return !b.open || !b.trial && !now.Before(b.until)
}

// due returns when an open breaker lets a sentence through.
func (b *breaker) due() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until
}

// succeeded closes the breaker.
func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.open, b.trial, b.pause = 0, false, false, b.first
}

// abandoned is for a try that says nothing about the provider.
func (b *breaker) abandoned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// failed counts a failure, and opens the breaker if there were enough or at
// once, for wait at least.
func (b *breaker) failed(now time.Time, atOnce bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.trial = false
	switch {
	case !b.open && !atOnce && b.failures < b.limit:
		return
	case b.open && now.Before(b.until): // begun before the one that opened it failed
		b.until = latest(b.until, now.Add(wait))
		return
	}
	b.open = true
	b.until = now.Add(max(b.pause, wait))
	b.pause = min(2*b.pause, maxBackOff)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
