package mcphost

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// demotionSamples is the least number of calls after which a tool can be demoted (docs/adr/0003).
	demotionSamples = 5
	// demotionRate is the error rate above which a tool is demoted.
	demotionRate = 0.30
	// The first attempt to heal a demoted tool comes after firstHeal. The wait then doubles up to lastHeal.
	firstHeal = time.Second
	lastHeal  = time.Minute
	// healStreak is the number of consecutive successful probes that heal a demoted tool.
	healStreak = 5
)

// healthState is the state of a tool's circuit breaker. Its transitions are:
//
//	healthy → demoted   too many calls failed
//	demoted → healthy   probes succeeded in a row, or calls brought the error rate down
//	demoted → onTrial   the tool cannot be probed, so its next call decides
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
	healing atomic.Bool // a healTool goroutine runs
	mu      sync.Mutex  // guards backoff
	backoff time.Duration
}

func (s *health) current() healthState { return healthState(s.state.Load()) }

func (s *health) isDemoted() bool { return s.current() == demoted }

// transition changes the state from one value to another. It reports false if the state has changed already.
func (s *health) transition(from, to healthState) bool {
	return s.state.CompareAndSwap(int32(from), int32(to))
}

// nextDelay returns how long to wait before the next attempt to heal. Each delay doubles the last one.
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

// reviewHealth updates a tool's state and tier after a call. m includes that call.
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

// demote makes a healthy tool one tier slower and starts healing it.
func (h *Host) demote(t *tool, m Measure) {
	if t.health.transition(healthy, demoted) {
		h.opts.log.Warn("tool demoted", "tool", t.Definition.Name, "source", t.source, "error_rate", m.ErrorRate)
	}
	h.ensureHealing(t)
}

// markHealthy makes a tool healthy again and drops the failed calls from its window.
func (h *Host) markHealthy(t *tool, from healthState) {
	if !t.health.transition(from, healthy) {
		return
	}
	t.dropFailures()
	t.health.resetDelay()
	h.opts.log.Info("tool healed", "tool", t.Definition.Name, "source", t.source)
}

// ensureHealing starts a healTool goroutine for the tool unless one is running.
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

// healTool retries a demoted tool, with back-off, until it is healthy or on trial. It probes a tool that may
// be probed; a tool that may not be probed, or that rejects its probe, goes on trial. healTool clears healing
// before it changes the state, so that a failure right afterwards can start a new goroutine.
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
		case latest == nil: // its server is down but may come back
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

// startTrial puts a demoted tool back into its tier. Its next call decides whether it stays there.
func (h *Host) startTrial(t *tool) {
	t.health.healing.Store(false)
	t.health.transition(demoted, onTrial)
	h.showTier(t)
}

// probeStreak reports whether the tool answers healStreak consecutive probes. If not, rejected reports
// whether the tool rejected the probe's arguments, in which case further probes are useless.
func (h *Host) probeStreak(ctx context.Context, t *tool) (healed, rejected bool) {
	for range healStreak {
		if p := h.probeTool(ctx, t); p.outcome != probeOK {
			return false, p.rejected
		}
	}
	return true, false
}
