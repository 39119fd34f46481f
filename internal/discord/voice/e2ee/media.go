package e2ee

import (
	"slices"
	"sync"
	"time"
)

// media is what frames need of a session. Its exported methods are safe for
// concurrent use.
type media struct {
	woken chan struct{}

	mu           sync.Mutex // guards the fields below
	version      int        // that frames are sent with
	active       *epoch
	receiving    []*epoch // to be, and replaced ones
	sending      *stream
	passUntil    time.Time
	failures     int  // in a row
	failing      bool // too many; Tick begins anew
	recoverAfter time.Time
	pause        time.Duration
	stats        Stats
}

// Woken is sent to when Tick has something to do before Due.
func (m *media) Woken() <-chan struct{} { return m.woken }

// wake has the controlling goroutine call Tick.
func (m *media) wake() {
	select {
	case m.woken <- struct{}{}:
	default: // it will
	}
}

// hasFailed reports, once, whether too many frames failed.
func (m *media) hasFailed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	failing := m.failing
	m.failing = false
	return failing
}

// replaceActive has an epoch be the one that is sent in, and the others die out.
// The caller holds mu.
func (m *media) replaceActive(e *epoch, self uint64, now time.Time, waits func(*epoch) bool) {
	if m.active != nil {
		m.receiving = append(m.receiving, m.active)
	}
	m.receiving = slices.DeleteFunc(m.receiving, func(o *epoch) bool { return o == e })
	for _, o := range m.receiving {
		if o.expires.IsZero() && !waits(o) {
			o.expires = now.Add(keyLife)
		}
	}
	m.active, m.sending, m.failures, m.failing = e, nil, 0, false
	if e == nil {
		return
	}
	e.expires = time.Time{}
	m.sending = e.own(self)
	m.stats.Epochs++
	m.bound()
}

// bound drops keys that are beyond what can be of use. The caller holds mu.
func (m *media) bound() {
	now := time.Now()
	m.receiving = slices.DeleteFunc(m.receiving, func(e *epoch) bool { return !e.live(now) })
	if extra := len(m.receiving) - maxPending; extra > 0 {
		m.receiving = slices.Delete(m.receiving, 0, extra)
	}
}

// openPassthrough lets plain frames through for a while.
func (m *media) openPassthrough(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.passUntil = later(m.passUntil, time.Now().Add(d))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (m *media) count(change func(*Stats)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.stats)
}
