package voice

import (
	"slices"
	"sync"
	"time"
)

// media is the part of a Group that processes frames. Its exported methods are safe for concurrent use.
type media struct {
	woken chan struct{}

	mu           sync.Mutex // guards the fields below
	version      int        // protocol version of outgoing frames
	active       *epoch
	receiving    []*epoch // pending and replaced epochs
	sending      *keyStream
	passUntil    time.Time
	failures     int  // consecutive
	failing      bool // too many failures; Tick starts over
	failed       bool // permanently
	recoverAfter time.Time
	pause        time.Duration
	stats        GroupStats
}

// Woken returns a channel that receives when Tick must run before Due.
func (m *media) Woken() <-chan struct{} { return m.woken }

// signalTick makes the controlling goroutine call Tick.
func (m *media) signalTick() {
	select {
	case m.woken <- struct{}{}:
	default: // already signalled
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

// recordRecovery records that the keys in use will expire, and when failed frames may request new ones again.
func (m *media) recordRecovery(now time.Time, givesUp bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures, m.failed = 0, givesUp
	if !givesUp {
		m.stats.Recoveries++
	}
	if now.Sub(m.recoverAfter) > maxRecoveryPause {
		m.pause = recoveryPause
	}
	m.recoverAfter = now.Add(m.pause)
	m.pause = min(2*m.pause, maxRecoveryPause)
	if m.active != nil && m.active.expires.IsZero() {
		m.active.expires = now.Add(keyLife) // the other members continue without us
	}
}

// replaceActive makes e the epoch for sending, and lets other epochs expire that are not pending. The caller
// must hold mu.
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
	m.active, m.sending, m.failures, m.failing, m.failed = e, nil, 0, false, false
	if e == nil {
		return
	}
	e.expires = time.Time{}
	m.sending = e.own(self)
	m.stats.Epochs++
	m.bound()
}

// bound drops keys that are no longer useful. The caller must hold mu.
func (m *media) bound() {
	now := time.Now()
	m.receiving = slices.DeleteFunc(m.receiving, func(e *epoch) bool { return !e.live(now) })
	if extra := len(m.receiving) - maxPending; extra > 0 {
		m.receiving = slices.Delete(m.receiving, 0, extra)
	}
}

// openPassthrough accepts unencrypted frames for a while.
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

func (m *media) count(change func(*GroupStats)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.stats)
}
