package fallback

// A breaker leaves a provider that fails alone for a while, so that
// nobody waits for it in vain.
//
// It starts no goroutine, does no
// I/O and imports only the standard library.

import (
	"sync"
	"time"
)

// Defaults of [NewBreaker].
const (
	DefaultFailures = 3
	DefaultBackOff  = 10 * time.Second
)

// MaxBackOff bounds the doubling of a pause.
const MaxBackOff = 5 * time.Minute

// Breaker stands between callers and one provider. Closed, it lets everything
// through. Open, it lets nothing through until its pause is over, and then one
// try, by which the provider is judged. It is safe for concurrent use.
type Breaker struct {
	limit int           // failures in a row that open it
	first time.Duration // the first pause

	mu       sync.Mutex // guards the fields below
	failures int        // in a row
	open     bool
	until    time.Time     // an open one lets one try through from here on
	pause    time.Duration // the next one
	trial    bool          // that try is under way
}

// NewBreaker returns a closed breaker that failures in a row open for backOff at
// first, and for twice as long each time the provider fails again. What is not
// positive is [DefaultFailures] or [DefaultBackOff].
func NewBreaker(failures int, backOff time.Duration) *Breaker {
	if failures <= 0 {
		failures = DefaultFailures
	}
	if backOff <= 0 {
		backOff = DefaultBackOff
	}
	return &Breaker{limit: failures, first: backOff, pause: backOff}
}

// Enter reports whether the provider may be tried now. If so, the caller
// reports how it went, by Succeeded, Failed or Abandoned.
func (b *Breaker) Enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.passes() {
		return false
	}
	b.trial = b.open
	return true
}

// Ready reports whether Enter would.
func (b *Breaker) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passes()
}

func (b *Breaker) passes() bool {
	return !b.open || !b.trial && !time.Now().Before(b.until)
}

// Closed reports whether nothing is known against the provider.
func (b *Breaker) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.open
}

// Due returns when an open breaker lets a try through.
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

// Abandoned is for a try that tells nothing about the provider.
func (b *Breaker) Abandoned() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// Failed counts a failure. It opens the breaker, for wait at least, if there
// were enough of them, if the provider was being tried, or if atOnce is set.
func (b *Breaker) Failed(atOnce bool, wait time.Duration) {
	now := time.Now()
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
	b.pause = min(2*b.pause, MaxBackOff)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Breakers are the breakers of a chain's links, by falling preference.
type Breakers []*Breaker

// NewBreakers returns n breakers as from [NewBreaker].
func NewBreakers(n, failures int, backOff time.Duration) Breakers {
	s := make(Breakers, n)
	for i := range s {
		s[i] = NewBreaker(failures, backOff)
	}
	return s
}

// Enter enters the first link that may be tried and is not excluded, and
// returns its index, -1 if there is none. Excluded has an entry for each link.
func (s Breakers) Enter(excluded []bool) int {
	for i, b := range s {
		if !excluded[i] && b.Enter() {
			return i
		}
	}
	return -1
}

// Soonest returns the link that is not excluded and due first, -1 if all are
// excluded. It is for those who have nothing to lose; they need not enter.
func (s Breakers) Soonest(excluded []bool) int {
	soonest := -1
	for i, b := range s {
		if !excluded[i] && (soonest < 0 || b.Due().Before(s[soonest].Due())) {
			soonest = i
		}
	}
	return soonest
}

// Ready counts the links that may be tried and are not excluded.
func (s Breakers) Ready(excluded []bool) int {
	n := 0
	for i, b := range s {
		if !excluded[i] && b.Ready() {
			n++
		}
	}
	return n
}
