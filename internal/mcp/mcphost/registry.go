package mcphost

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// RegisterBuiltin adds in-process tools in one step, either all or none. It fails if a name is malformed or
// in use, or if the parameters are not a JSON Schema of an object.
func (h *Host) RegisterBuiltin(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.addBuiltins("tool", slices.Clone(h.builtins), defs)
}

// ReplaceWorkflows replaces all registered workflows with defs, in one step. If one of them cannot be
// registered, nothing changes.
func (h *Host) ReplaceWorkflows(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(h.builtins), func(t *tool) bool { return t.Kind == tools.KindWorkflow })
	return h.addBuiltins("workflow", others, defs)
}

// addBuiltins replaces the built-in tools with all and defs. kind appears in error messages. Callers hold mu.
func (h *Host) addBuiltins(kind string, all []*tool, defs []BuiltinTool) error {
	if h.closed {
		return fmt.Errorf("registering a %s: %w", kind, mcp.ErrClosed)
	}
	used := make(map[string]bool, len(all)+len(defs))
	for _, t := range all {
		used[t.Definition.Name] = true
	}
	for _, def := range defs {
		name := def.Definition.Name
		t, err := h.newBuiltin(def)
		if err == nil && used[name] {
			err = errors.New("another tool has this name")
		}
		if err != nil {
			return fmt.Errorf("registering %s %q: %w", kind, name, err)
		}
		used[name] = true
		all = append(all, t)
	}
	h.builtins = all
	h.replaceSnapshot()
	return nil
}

// newBuiltin prepares a built-in tool or a workflow for registration. Callers hold mu.
func (h *Host) newBuiltin(def BuiltinTool) (*tool, error) {
	name, source := def.Definition.Name, mcp.SourceBuiltin
	if def.Kind == tools.KindWorkflow {
		source, def.Composite = mcp.SourceWorkflow, true
	}
	if def.Handler == nil && def.Respond == nil {
		return nil, errors.New("it has no handler")
	}
	if floor, ok := h.opts.floors[name]; ok {
		def.Floor = floor
	}
	return newTool(def, source, h.statsOf(source, name))
}

// statsOf returns the measurements of a tool, including those of earlier registrations. Beyond maxNames
// tools, measurements are lost when the tool is unregistered, because a server could invent any number of
// names. Callers hold mu.
func (h *Host) statsOf(source, name string) *stats {
	key := ownerOf(source, name)
	s := h.stats[key]
	if s == nil {
		s = &stats{}
		if len(h.stats) < maxNames {
			h.stats[key] = s
		}
	}
	return s
}

// replaceSnapshot publishes a snapshot of the current registrations. Callers hold mu.
func (h *Host) replaceSnapshot() {
	all := slices.Clone(h.builtins)
	for _, s := range h.servers {
		all = append(all, s.tools...)
	}
	h.publishSnapshot(newBudgetEnforcer(all, h.names, h.opts.ceilings, h.snap.Load()))
	for _, t := range all {
		if t.health.isDemoted() { // for example by an earlier run, see Restore
			h.ensureHealingLocked(t)
		}
	}
}

// publishMoved publishes a snapshot that shows the new tiers of the moved tools. Callers hold mu.
func (h *Host) publishMoved() {
	if len(h.moved) > 0 && !h.closed {
		h.publishSnapshot(h.snap.Load().withMoved(h.moved, h.opts.ceilings))
	}
}

// publishSnapshot replaces the snapshot and closes the [Host.Changed] channel. Callers hold mu.
func (h *Host) publishSnapshot(b *BudgetEnforcer) {
	h.snap.Store(b)
	h.replaced = time.Now()
	clear(h.moved)
	close(h.changed)
	h.changed = make(chan struct{})
}

// gatherTiers is how long tier changes are gathered during a calibration, because a calibration may change
// the tier of every tool within moments.
const gatherTiers = 250 * time.Millisecond

// showTier publishes the new tier of a tool at once, or after up to gatherTiers during a calibration.
func (h *Host) showTier(t *tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	gathering := len(h.moved) > 0
	h.moved[t.stats] = struct{}{}
	switch {
	case gathering: // publishGathered will publish it
	case h.calibrations > 0 && time.Since(h.replaced) < gatherTiers:
		h.workers.Go(h.publishGathered)
	default:
		h.publishMoved()
	}
}

// publishGathered waits for gatherTiers and then publishes the tiers that have changed.
func (h *Host) publishGathered() {
	select {
	case <-time.After(gatherTiers):
	case <-h.lifetime.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publishMoved()
}

// gatherMoves gathers tier changes until the caller calls end, which publishes the remaining ones.
func (h *Host) gatherMoves() (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calibrations++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calibrations--
		h.publishMoved()
	}
}

// Changed returns a channel that is closed at the next change of the registry, when a tool is added, removed
// or changes its tier. Get the channel before reading the registry, so that no change is missed.
func (h *Host) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
