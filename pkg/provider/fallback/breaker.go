package fallback

// A breaker skips a failing provider for a while, so that requests do not wait for it in vain. It starts no
// goroutine, does no I/O and imports only the standard library.

import (
	"sync"
	"time"
)

// Defaults of [NewBreaker].
const (
	DefaultFailures = 3
	DefaultBackOff  = 10 * time.Second
)

// MaxBackOff is the maximum pause, up to which the pause doubles.
const MaxBackOff = 5 * time.Minute

// Breaker controls access to one provider. Closed, it lets every request through. Open, it blocks requests
// until its pause is over, and then lets a single trial through, whose result closes or reopens it. It is
// safe for concurrent use.
type Breaker struct {
	limit int           // consecutive failures that open it
	first time.Duration // initial pause

	mu       sync.Mutex // guards the fields below
	failures int        // consecutive
	open     bool
	until    time.Time     // while open: when it lets a trial through
	pause    time.Duration // length of the next pause
	trial    bool          // a trial is under way
}

// NewBreaker returns a closed breaker that opens after failures consecutive failures. The first pause is
// backOff; it doubles each time the provider fails again. Values that are not positive mean [DefaultFailures]
// and [DefaultBackOff].
func NewBreaker(failures int, backOff time.Duration) *Breaker {
	if failures <= 0 {
		failures = DefaultFailures
	}
	if backOff <= 0 {
		backOff = DefaultBackOff
	}
	return &Breaker{limit: failures, first: backOff, pause: backOff}
}

// Enter reports whether the provider may be tried now. If so, the caller has to report the outcome with
// Succeeded, Failed or Abandoned.
func (b *Breaker) Enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.passes() {
		return false
	}
	b.trial = b.open
	return true
}

// Ready reports whether Enter would return true.
func (b *Breaker) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passes()
}

func (b *Breaker) passes() bool {
	return !b.open || !b.trial && !time.Now().Before(b.until)
}

// Closed reports whether the breaker is closed.
func (b *Breaker) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.open
}

// Due returns the time from which an open breaker lets a trial through.
func (b *Breaker) Due() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until
}

// Succeeded closes the breaker.
func (b *Breaker) Succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.open, b.trial, b.pause = 0, false, false, b.first
}

// Abandoned reports a try that says nothing about the provider.
func (b *Breaker) Abandoned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// Failed counts a failure. It opens the breaker, for at least wait, if the limit is reached, if this was a
// trial, or if atOnce is set.
func (b *Breaker) Failed(atOnce bool, wait time.Duration) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.trial = false
	switch {
	case !b.open && !atOnce && b.failures < b.limit:
		return
	case b.open && now.Before(b.until): // started before the failure that opened it
		b.until = latest(b.until, now.Add(wait))
		return
	}
	b.open = true
	b.until = now.Add(max(b.pause, wait))
	b.pause = min(2*b.pause, MaxBackOff)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Breakers are the breakers of a chain's links, in order of preference.
type Breakers []*Breaker

// NewBreakers returns n breakers, each made by [NewBreaker].
func NewBreakers(n, failures int, backOff time.Duration) Breakers {
	s := make(Breakers, n)
	for i := range s {
		s[i] = NewBreaker(failures, backOff)
	}
	return s
}

// Enter enters the first link that may be tried and is not excluded. It returns the link's index, or -1 if
// there is none. excluded has one entry per link.
func (s Breakers) Enter(excluded []bool) int {
	for i, b := range s {
		if !excluded[i] && b.Enter() {
			return i
		}
	}
	return -1
}

// Soonest returns the link that is due first among those not excluded, or -1 if all are excluded. It is for
// callers without an alternative; they need not call Enter.
func (s Breakers) Soonest(excluded []bool) int {
	soonest := -1
	for i, b := range s {
		if !excluded[i] && (soonest < 0 || b.Due().Before(s[soonest].Due())) {
			soonest = i
		}
	}
	return soonest
}

// Ready returns the number of links that may be tried and are not excluded.
func (s Breakers) Ready(excluded []bool) int {
	n := 0
	for i, b := range s {
		if !excluded[i] && b.Ready() {
			n++
		}
	}
	return n
}
