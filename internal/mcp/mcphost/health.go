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

// measurer times calls and probes, and judges by them in which tier a tool
// belongs and whether it is healthy.
type measurer struct{ host *Host }

// reviewHealth draws the consequences of a call: demotion, recovery, a new tier.
func (c measurer) reviewHealth(t *tool, m Measure) {
	failing := m.Samples >= demotionSamples && m.ErrorRate > demotionRate
	switch state := healthState(t.health.state.Load()); {
	case failing && state == healthy:
		c.demote(t, m)
	case state == onTrial:
		c.endTrial(t)
	case state == demoted && m.ErrorRate <= demotionRate && !t.lastFailed():
		c.makeHealthy(t, demoted)
	}
	if t.health.demoted() {
		c.startHealing(t)
	}
	if int32(t.place(c.host.opts.ceilings, m)) != t.listed.Load() {
		c.host.showMove(t)
	}
}

// demote makes a healthy tool one tier slower and sees to its healing.
func (c measurer) demote(t *tool, m Measure) {
	if t.health.move(healthy, demoted) {
		c.host.opts.log.Warn("tool demoted", "tool", t.Definition.Name, "source", t.source, "error_rate", m.ErrorRate)
	}
	c.startHealing(t)
}

// endTrial ends a trial by the outcome of the latest call.
func (c measurer) endTrial(t *tool) {
	if t.lastFailed() {
		t.health.move(onTrial, demoted)
		return
	}
	c.makeHealthy(t, onTrial)
}

// makeHealthy makes a tool healthy again.
func (c measurer) makeHealthy(t *tool, from healthState) {
	if !t.health.move(from, healthy) {
		return
	}
	t.forgive()
	t.health.recovered()
	c.host.opts.log.Info("tool healed", "tool", t.Definition.Name, "source", t.source)
}

// startHealing sees to it that one goroutine heals the tool.
func (c measurer) startHealing(t *tool) {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	c.host.startHealing(t)
}

// startHealing is [measurer.startHealing]. Callers hold mu.
func (h *Host) startHealing(t *tool) {
	if !h.closed && t.health.healing.CompareAndSwap(false, true) {
		h.owned.Go(func() { measurer{h}.healTool(t) })
	}
}

// healTool tries a demoted tool again, with back-off, until it is healthy. A tool
// that may be probed is probed; any other, and one that rejects its probe, is put
// on trial. It steps down before it changes the state, so that a failure from
// then on finds a new healer.
func (c measurer) healTool(t *tool) {
	for {
		timer := time.NewTimer(t.health.wait())
		select {
		case <-c.host.life.Done():
			timer.Stop()
			t.health.healing.Store(false)
			return
		case <-timer.C:
		}
		heir := c.host.snap.Load().heir(t)
		switch {
		case !t.health.demoted():
			t.health.healing.Store(false)
			return
		case heir == nil: // its server is away; perhaps it comes back
			continue
		case heir.skip != "":
			c.startTrial(t)
			return
		}
		healed, rejected := c.probeStreak(c.host.life, heir)
		switch {
		case healed:
			t.health.healing.Store(false)
			c.makeHealthy(t, demoted)
			c.host.showMove(t)
			return
		case rejected:
			c.startTrial(t)
			return
		}
	}
}

// startTrial gives a demoted tool its tier back until its next call.
func (c measurer) startTrial(t *tool) {
	t.health.healing.Store(false)
	t.health.move(demoted, onTrial)
	c.host.showMove(t)
}

// probeStreak reports whether the tool answers several probes in a row, and if
// not, whether it rejected one, which leaves nothing to probe it with.
func (c measurer) probeStreak(ctx context.Context, t *tool) (healed, rejected bool) {
	for range healStreak {
		if p := c.probeTool(ctx, t); p.outcome != probeOK {
			return false, p.rejected
		}
	}
	return true, false
}
