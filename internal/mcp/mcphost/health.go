package mcphost

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// demotionSamples is how many calls it takes to demote a tool (docs/adr/0002).
	demotionSamples = 5
	// demotionRate is the error rate above which a tool is demoted.
	demotionRate = 0.30
	// A demoted tool is tried again after firstHeal, then after twice that, up to lastHeal.
	firstHeal = time.Second
	lastHeal  = time.Minute
	// healStreak is how many successful probes in a row heal a demoted tool.
	healStreak = 5
)

// healthState is the state of a tool's circuit breaker. Its transitions are:
//
//	healthy → demoted   too many calls failed
//	demoted → healthy   probes succeeded in a row, or calls brought the error rate down
//	demoted → onTrial   the tool cannot be probed, so the next call decides
//	onTrial → healthy   that call succeeded
//	onTrial → demoted   that call failed
type healthState int32

const (
	healthy healthState = iota
	demoted
	onTrial
)

// health is the breaker of one tool. It is safe for concurrent use.
type health struct {
	state   atomic.Int32
	healing atomic.Bool // a goroutine of healTool runs
	mu      sync.Mutex  // guards backoff
	backoff time.Duration
}

func (s *health) current() healthState { return healthState(s.state.Load()) }

func (s *health) isDemoted() bool { return s.current() == demoted }

// transition changes the state unless another goroutine did first.
func (s *health) transition(from, to healthState) bool {
	return s.state.CompareAndSwap(int32(from), int32(to))
}

// nextDelay returns how long to wait before the next attempt to heal, longer each time.
func (s *health) nextDelay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := max(s.backoff, firstHeal)
	s.backoff = min(2*d, lastHeal)
	return d
}

func (s *health) resetDelay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff = 0
}

// reviewHealth updates a tool's state and tier after a call; m is its measure with the call.
func (h *Host) reviewHealth(t *tool, m Measure) {
	failing := m.Samples >= demotionSamples && m.ErrorRate > demotionRate
	switch state := t.health.current(); {
	case failing && state == healthy:
		h.demote(t, m)
	case state == onTrial && t.lastFailed():
		t.health.transition(onTrial, demoted)
	case state == onTrial:
		h.markHealthy(t, onTrial)
	case state == demoted && m.ErrorRate <= demotionRate && !t.lastFailed():
		h.markHealthy(t, demoted)
	}
	if t.health.isDemoted() {
		h.ensureHealing(t)
	}
	if int32(t.computeTier(h.opts.ceilings, m)) != t.listedTier.Load() {
		h.showTier(t)
	}
}

// demote makes a healthy tool one tier slower and starts to heal it.
func (h *Host) demote(t *tool, m Measure) {
	if t.health.transition(healthy, demoted) {
		h.opts.log.Warn("tool demoted", "tool", t.Definition.Name, "source", t.source, "error_rate", m.ErrorRate)
	}
	h.ensureHealing(t)
}

// markHealthy makes a tool healthy again and forgets its failures.
func (h *Host) markHealthy(t *tool, from healthState) {
	if !t.health.transition(from, healthy) {
		return
	}
	t.dropFailures()
	t.health.resetDelay()
	h.opts.log.Info("tool healed", "tool", t.Definition.Name, "source", t.source)
}

// ensureHealing starts healTool for the tool unless it runs already.
func (h *Host) ensureHealing(t *tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ensureHealingLocked(t)
}

// ensureHealingLocked is ensureHealing for callers that hold mu.
func (h *Host) ensureHealingLocked(t *tool) {
	if !h.closed && t.health.healing.CompareAndSwap(false, true) {
		h.workers.Go(func() { h.healTool(t) })
	}
}

// healTool tries a demoted tool again and again, with back-off, until it is healthy or on trial.
// It probes a tool that may be probed. Any other tool, and one that rejects its probe, goes on
// trial. It clears healing before it changes the state, so that a failure right after starts a new
// healTool.
func (h *Host) healTool(t *tool) {
	for {
		timer := time.NewTimer(t.health.nextDelay())
		select {
		case <-h.lifetime.Done():
			timer.Stop()
			t.health.healing.Store(false)
			return
		case <-timer.C:
		}
		latest := h.snap.Load().latest(t)
		switch {
		case !t.health.isDemoted():
			t.health.healing.Store(false)
			return
		case latest == nil: // its server is down and may come back
			continue
		case latest.noProbe != "":
			h.startTrial(t)
			return
		}
		healed, rejected := h.probeStreak(h.lifetime, latest)
		switch {
		case healed:
			t.health.healing.Store(false)
			h.markHealthy(t, demoted)
			h.showTier(t)
			return
		case rejected:
			h.startTrial(t)
			return
		}
	}
}

// startTrial gives a demoted tool its tier back until its next call, which decides.
func (h *Host) startTrial(t *tool) {
	t.health.healing.Store(false)
	t.health.transition(demoted, onTrial)
	h.showTier(t)
}

// probeStreak reports whether the tool answers healStreak probes in a row. If not, rejected
// reports whether it rejected the probe's arguments, so that probing it again is useless.
func (h *Host) probeStreak(ctx context.Context, t *tool) (healed, rejected bool) {
	for range healStreak {
		if p := h.probeTool(ctx, t); p.outcome != probeOK {
			return false, p.rejected
		}
	}
	return true, false
}
