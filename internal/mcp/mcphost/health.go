package mcphost

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// A demoted tool is tried again after firstHeal, then twice that, up to
	// lastHeal.
	firstHeal = time.Second
	lastHeal  = time.Minute
	// healStreak is how many probes in a row bring a demoted tool back.
	healStreak = 5
)

// healthState is a breaker's: a healthy tool is demoted when it fails too
// often; after a while it is on trial (half-open), where the next call decides.
type healthState int32

const (
	healthy healthState = iota
	demoted
	onTrial
)

type health struct {
	state   atomic.Int32
	healing atomic.Bool // a goroutine waits to heal it
	mu      sync.Mutex  // guards backoff
	backoff time.Duration
}

func (s *health) demoted() bool { return healthState(s.state.Load()) == demoted }

func (s *health) move(from, to healthState) bool {
	return s.state.CompareAndSwap(int32(from), int32(to))
}

// wait returns how long to wait before the next attempt, longer each time.
func (s *health) wait() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := max(s.backoff, firstHeal)
	s.backoff = min(2*d, lastHeal)
	return d
}

func (s *health) recovered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff = 0
}

// review draws the consequences of a call: demotion, recovery, a new tier.
func (h *Host) review(t *tool, m Measure) {
	failing := m.Samples >= demotionSamples && m.ErrorRate > demotionRate
	switch state := healthState(t.health.state.Load()); {
	case failing && state == healthy:
		h.demote(t, m)
	case state == onTrial:
		h.endTrial(t)
	case state == demoted && m.ErrorRate <= demotionRate && !t.lastFailed():
		h.makeHealthy(t, demoted)
	}
	if t.health.demoted() {
		h.startHealing(t)
	}
	if int32(t.place(h.opts.ceilings, m)) != t.listed.Load() {
		h.refresh()
	}
}

// demote makes a healthy tool one tier slower and sees to its healing.
func (h *Host) demote(t *tool, m Measure) {
	if t.health.move(healthy, demoted) {
		h.opts.log.Warn("tool demoted", "tool", t.Definition.Name, "source", t.source, "error_rate", m.ErrorRate)
	}
	h.startHealing(t)
}

// endTrial ends a trial by the outcome of the latest call.
func (h *Host) endTrial(t *tool) {
	if t.lastFailed() {
		t.health.move(onTrial, demoted)
		return
	}
	h.makeHealthy(t, onTrial)
}

// makeHealthy makes a tool healthy again.
func (h *Host) makeHealthy(t *tool, from healthState) {
	if !t.health.move(from, healthy) {
		return
	}
	t.forgive()
	t.health.recovered()
	h.opts.log.Info("tool healed", "tool", t.Definition.Name, "source", t.source)
}

// startHealing sees to it that one goroutine heals the tool.
func (h *Host) startHealing(t *tool) {
	if !t.health.healing.CompareAndSwap(false, true) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		t.health.healing.Store(false)
		return
	}
	h.owned.Go(func() { h.heal(t) })
}

// heal tries a demoted tool again, with back-off, until it is healthy. A tool
// that may be probed is probed; any other, and one that rejects its probe, is put
// on trial. It steps down before it changes the state, so that a failure from
// then on finds a new healer.
func (h *Host) heal(t *tool) {
	for {
		timer := time.NewTimer(t.health.wait())
		select {
		case <-h.life.Done():
			timer.Stop()
			t.health.healing.Store(false)
			return
		case <-timer.C:
		}
		heir := h.snap.Load().heir(t)
		switch {
		case !t.health.demoted():
			t.health.healing.Store(false)
			return
		case heir == nil: // its server is away; perhaps it comes back
			continue
		case heir.skip != "":
			h.startTrial(t)
			return
		}
		healed, rejected := h.probeStreak(h.life, heir)
		switch {
		case healed:
			t.health.healing.Store(false)
			h.makeHealthy(t, demoted)
			h.refresh()
			return
		case rejected:
			h.startTrial(t)
			return
		}
	}
}

// startTrial gives a demoted tool its tier back until its next call.
func (h *Host) startTrial(t *tool) {
	t.health.healing.Store(false)
	t.health.move(demoted, onTrial)
	h.refresh()
}

// probeStreak reports whether the tool answers several probes in a row, and if
// not, whether it rejected one, which leaves nothing to probe it with.
func (h *Host) probeStreak(ctx context.Context, t *tool) (healed, rejected bool) {
	for range healStreak {
		if p := h.probe(ctx, t); p.outcome != probeOK {
			return false, p.rejected
		}
	}
	return true, false
}
