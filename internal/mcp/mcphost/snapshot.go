package mcphost

import (
	"slices"
	"time"
)

// replaceSnapshot makes a snapshot of what is registered. Callers hold mu.
func (h *Host) replaceSnapshot() {
	all := slices.Clone(h.builtins)
	for _, s := range h.servers {
		all = append(all, s.tools...)
	}
	h.publishSnapshot(enforce(all, h.names, h.opts.ceilings, h.snap.Load()))
	for _, t := range all {
		if t.health.demoted() { // also one that was before the start
			h.startHealing(t)
		}
	}
}

// showMoved makes a snapshot in which the tools that moved have their new tiers. Callers
// hold mu.
func (h *Host) showMoved() {
	h.publishSnapshot(h.snap.Load().withMoved(h.moved, h.opts.ceilings))
}

// publishSnapshot puts a snapshot in the place of the last one. Callers hold mu.
func (h *Host) publishSnapshot(b *BudgetEnforcer) {
	h.snap.Store(b)
	h.replaced = time.Now()
	clear(h.moved)
	close(h.changed)
	h.changed = make(chan struct{})
}

// gatherTiers is how long tools that move between tiers are gathered while a
// calibration runs: it may move all of them.
const gatherTiers = 250 * time.Millisecond

// showMove replaces the snapshot after a tool changed its tier, a little later while a
// calibration runs.
func (h *Host) showMove(t *tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	gathering := len(h.moved) > 0
	h.moved[t.vitals] = struct{}{}
	switch {
	case gathering:
	case h.calibrations > 0 && time.Since(h.replaced) < gatherTiers:
		h.owned.Go(h.showGathered)
	default:
		h.showMoved()
	}
}

// showGathered replaces the snapshot after a while, unless somebody has.
func (h *Host) showGathered() {
	select {
	case <-time.After(gatherTiers):
	case <-h.life.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.moved) > 0 && !h.closed {
		h.showMoved()
	}
}

// gatherMoves has tools that move gathered until the function it returns is called, which
// shows them.
func (h *Host) gatherMoves() (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calibrations++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calibrations--
		if len(h.moved) > 0 && !h.closed {
			h.showMoved()
		}
	}
}

// Changed returns a channel that is closed when the registry next changes:
// tools come or go, or move between tiers. Get it before reading the registry.
func (h *Host) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
