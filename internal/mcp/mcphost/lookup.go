package mcphost

import (
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Tool is a registered tool as other packages see it.
type Tool struct {
	tools.Tool
	Source string
	Tier   mcp.BudgetTier
	// Measure summarises the tool's latency and errors. It is zero in tools from [Host.Registered] and
	// [Host.ToolsAfter].
	Measure Measure
	// Target describes the tool to a [Gate].
	Target mcp.Target
	// Deadline bounds one call.
	Deadline time.Duration
	// Revision changes whenever a field other than Measure changes.
	Revision uint64
}

// Latency returns the expected duration of a call: the measured median, else the declared latency, else 0.
func (t *Tool) Latency() time.Duration {
	switch {
	case t.Measure.Successes > 0:
		return t.Measure.P50
	case t.Expected != nil:
		return t.Expected()
	case t.DeclaredP50 > 0:
		return time.Duration(t.DeclaredP50) * time.Millisecond
	}
	return time.Duration(max(t.Definition.EstimatedDurationMs, 0)) * time.Millisecond
}

// AvailableTools returns the definitions of all tools that fit tier, ordered by name. The caller must not
// change the elements, because the slice is shared.
func (h *Host) AvailableTools(tier mcp.BudgetTier) []llm.ToolDefinition {
	return h.snap.Load().Tools(tier)
}

// Tools lists the registered tools that fit tier, with their registered names, ordered by name.
func (h *Host) Tools(tier mcp.BudgetTier) []Tool {
	var all []Tool
	for _, e := range h.snap.Load().entries {
		if e.visibleIn(tier) {
			all = append(all, e.measured())
		}
	}
	return slices.Clip(all)
}

// ToolsAfter iterates over the registered tools whose names sort after name, in order and without
// their Measure. It finds the first one by binary search, so a page in the middle costs no more
// than the first.
func (h *Host) ToolsAfter(name string) iter.Seq[Tool] {
	snap := h.snap.Load()
	return func(yield func(Tool) bool) {
		first := sort.Search(len(snap.entries), func(i int) bool { return snap.entries[i].def.Name > name })
		for _, e := range snap.entries[first:] {
			if !e.missingDependency && !yield(e.unmeasured()) {
				return
			}
		}
	}
}

// Tool returns the tool registered as name.
func (h *Host) Tool(name string) (Tool, bool) {
	e := h.snap.Load().lookup(name)
	if e == nil || e.missingDependency {
		return Tool{}, false
	}
	return e.measured(), true
}

// Registered is like Tool but leaves Measure zero. That is enough to decide about a call, and much faster
// because it does not lock the window.
func (h *Host) Registered(name string) (Tool, bool) {
	e := h.snap.Load().lookup(name)
	if e == nil || e.missingDependency {
		return Tool{}, false
	}
	return e.unmeasured(), true
}

func (e *entry) measured() Tool {
	t := e.unmeasured()
	t.Measure = e.measure()
	return t
}

func (e *entry) unmeasured() Tool {
	t := Tool{Tool: e.Tool, Source: e.source, Tier: e.tier, Target: e.target, Deadline: e.deadline, Revision: e.revision}
	t.Definition = e.def
	return t
}

// Names lists the names of all registered tools, in order.
func (h *Host) Names() []string {
	snap := h.snap.Load()
	names := make([]string, len(snap.entries))
	for i, e := range snap.entries {
		names[i] = e.def.Name
	}
	return names
}
