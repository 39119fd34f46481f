package mcphost

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// RegisterBuiltin adds in-process tools, all of them or none, in one step. It fails if a name is
// used already or malformed, or if the parameters are not a JSON Schema of an object.
func (h *Host) RegisterBuiltin(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.addBuiltins("tool", slices.Clone(h.builtins), defs)
}

// ReplaceWorkflows replaces all registered workflows by defs, in one step. It changes nothing if
// one of them cannot be registered.
func (h *Host) ReplaceWorkflows(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(h.builtins), func(t *tool) bool { return t.Kind == tools.KindWorkflow })
	return h.addBuiltins("workflow", others, defs)
}

// addBuiltins makes all and defs the built-in tools. kind is for error messages. Callers hold mu.
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

// statsOf returns the measurements of a tool, those of an earlier registration if there was one.
// Beyond maxNames tools the measurements last only as long as the registration, because a server
// could invent names without end. Callers hold mu.
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

// replaceSnapshot publishes a snapshot of what is registered now. Callers hold mu.
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

// publishSnapshot replaces the snapshot and wakes those who wait for a change. Callers hold mu.
func (h *Host) publishSnapshot(b *BudgetEnforcer) {
	h.snap.Store(b)
	h.replaced = time.Now()
	clear(h.moved)
	close(h.changed)
	h.changed = make(chan struct{})
}

// gatherTiers is how long tier changes are gathered while a calibration runs, because it may
// change the tier of every tool within moments.
const gatherTiers = 250 * time.Millisecond

// showTier publishes the new tier of a tool: at once, or up to gatherTiers later while a
// calibration runs.
func (h *Host) showTier(t *tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	gathering := len(h.moved) > 0
	h.moved[t.stats] = struct{}{}
	switch {
	case gathering: // a goroutine publishes it
	case h.calibrations > 0 && time.Since(h.replaced) < gatherTiers:
		h.workers.Go(h.publishGathered)
	default:
		h.publishMoved()
	}
}

// publishGathered waits for gatherTiers and publishes the tiers that changed until then.
func (h *Host) publishGathered() {
	select {
	case <-time.After(gatherTiers):
	case <-h.lifetime.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publishMoved()
}

// gatherMoves gathers tier changes until its caller calls end, which publishes the rest.
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

// Changed returns a channel that is closed at the next change of the registry: a tool comes, goes
// or changes its tier. Get the channel before you read the registry, so that no change is missed.
func (h *Host) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
