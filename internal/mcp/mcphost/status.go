package mcphost

import (
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// Status is what the operator sees of a tool.
type Status struct {
	Name string `json:"name"`
	// Source is "builtin" or the server's name.
	Source string `json:"source"`
	// State is "ready", "demoted", "on trial", "held", "asleep", "down" or, for a
	// workflow whose tools are not all there, "waiting".
	State      string         `json:"state"`
	Tier       mcp.BudgetTier `json:"tier"`
	TierReason string         `json:"tier_reason"`
	Floor      mcp.BudgetTier `json:"floor"`
	// DeclaredP50 is 0 if nobody declared it.
	DeclaredP50 float64 `json:"declared_p50_ms"`
	// P50 and P99 are 0 without a successful call.
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	ErrorRate  float64 `json:"error_rate"`
	Samples    int     `json:"samples"`
	ReadOnly   bool    `json:"read_only"`
	Idempotent bool    `json:"idempotent"`
	// Original is the tool's name on its server where that differs, and NameReason
	// why the tool does not bear it.
	Original   string `json:"original_name,omitempty"`
	NameReason string `json:"name_reason,omitempty"`
	// Probe says why the tool was not or could not be measured.
	Probe string `json:"probe,omitempty"`
}

// stateReady is the state of a tool that there is nothing to say of.
const stateReady = "ready"

// Status describes every tool, ordered by name; tools of a server that is down
// come after the others.
func (h *Host) Status() []Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	snap := h.snap.Load()
	all := make([]Status, 0, len(snap.entries))
	for _, e := range snap.entries {
		s := h.statusOf(e)
		if len(e.Needs) > 0 {
			s.Tier, s.TierReason = e.tier, e.reason
		}
		if e.idle {
			s.State = "waiting"
		}
		if e.remote != nil && s.State == stateReady && e.remote.Server.Asleep() {
			s.State = "asleep"
		}
		all = append(all, s)
	}
	for _, o := range h.servers {
		for _, t := range o.lost {
			s := h.statusOf(&entry{tool: t, def: t.Definition})
			s.State = "down"
			all = append(all, s)
		}
		for _, t := range o.held {
			s := h.statusOf(&entry{tool: t.tool, def: t.Definition})
			s.State, s.TierReason = "held", "pinned: "+t.why
			all = append(all, s)
		}
	}
	return all
}

// statusOf describes one tool. Callers hold mu.
func (h *Host) statusOf(e *entry) Status {
	m := e.measure()
	v := e.assess(h.opts.ceilings, m)
	s := Status{
		Name: shortLine(e.def.Name), Source: e.source, State: stateReady, Tier: v.tier, TierReason: v.reason, Floor: e.Floor,
		DeclaredP50: elapsed.Rounded(e.expected()),
		P50:         elapsed.Rounded(m.P50), P99: elapsed.Rounded(m.P99),
		ErrorRate: m.ErrorRate, Samples: m.Samples, ReadOnly: e.ReadOnly, Idempotent: e.Definition.Idempotent,
		Probe: e.skip,
	}
	switch healthState(e.health.state.Load()) {
	case demoted:
		s.State = "demoted"
	case onTrial:
		s.State = "on trial"
	}
	if note := e.note.Load(); note != nil && s.Probe == "" {
		s.Probe = *note
	}
	if e.def.Name != e.Definition.Name {
		s.Original, s.NameReason = shortLine(e.Definition.Name), shortLine(h.nameReason(e))
	}
	return s
}

// Tool is a registered tool as other packages may see it.
type Tool struct {
	tools.Tool
	Source string
	Tier   mcp.BudgetTier
	// Measure is what is known of its latency; zero from [Host.Registered].
	Measure Measure
	// Target is the tool as decisions about rights see it.
	Target mcp.Target
	// Deadline bounds one call.
	Deadline time.Duration
	// Revision changes whenever anything of the tool but its Measure does.
	Revision uint64
}

// Latency is how long a call should take: the measured median, else what was
// declared; 0 if nobody knows.
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

// Tools lists the registered tools that fit tier with everything known of
// them, ordered by name, under their registered names.
func (h *Host) Tools(tier mcp.BudgetTier) []Tool {
	snap := h.snap.Load()
	var all []Tool
	for _, e := range snap.entries {
		if e.shownIn(tier) {
			all = append(all, e.public())
		}
	}
	return slices.Clip(all)
}

// ToolsAfter goes over the registered tools whose names come after a name, in
// order, without their Measure: to begin in the middle costs nothing.
func (h *Host) ToolsAfter(name string) iter.Seq[Tool] {
	snap := h.snap.Load()
	return func(yield func(Tool) bool) {
		first := sort.Search(len(snap.entries), func(i int) bool { return snap.entries[i].def.Name > name })
		for i := first; i < len(snap.entries); i++ {
			if e := snap.entries[i]; !e.idle && !yield(e.unmeasured()) {
				return
			}
		}
	}
}

// Tool returns the tool registered as name.
func (h *Host) Tool(name string) (Tool, bool) {
	e := h.snap.Load().lookup(name)
	if e == nil || e.idle {
		return Tool{}, false
	}
	return e.public(), true
}

// Registered is Tool without its Measure, which takes longer than all the rest:
// what it takes to decide about a call.
func (h *Host) Registered(name string) (Tool, bool) {
	e := h.snap.Load().lookup(name)
	if e == nil || e.idle {
		return Tool{}, false
	}
	return e.unmeasured(), true
}

func (e *entry) public() Tool {
	t := e.unmeasured()
	t.Measure = e.measure()
	return t
}

func (e *entry) unmeasured() Tool {
	t := Tool{Tool: e.Tool, Source: e.source, Tier: e.tier, Target: e.target, Deadline: e.deadline, Revision: e.number}
	t.Definition = e.def
	return t
}

// Names lists the names of all registered tools, in order.
func (h *Host) Names() []string {
	snap := h.snap.Load()
	names := make([]string, len(snap.entries))
	for i := range snap.entries {
		names[i] = snap.entries[i].def.Name
	}
	return names
}
