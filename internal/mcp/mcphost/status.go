package mcphost

import (
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Status describes a tool to the operator.
type Status struct {
	Name string `json:"name"`
	// Source is "builtin" or the server's name.
	Source string `json:"source"`
	// State is "ready", "demoted", "on trial", "held", "asleep", "down" or, for a workflow that lacks one of
	// its tools, "waiting".
	State      string         `json:"state"`
	Tier       mcp.BudgetTier `json:"tier"`
	TierReason string         `json:"tier_reason"`
	Floor      mcp.BudgetTier `json:"floor"`
	// DeclaredP50 is 0 if the tool declares none.
	DeclaredP50 float64 `json:"declared_p50_ms"`
	// P50 and P99 are 0 without a successful call.
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	ErrorRate  float64 `json:"error_rate"`
	Samples    int     `json:"samples"`
	ReadOnly   bool    `json:"read_only"`
	Idempotent bool    `json:"idempotent"`
	// Original is the tool's name on its server if that differs, and NameReason explains why.
	Original   string `json:"original_name,omitempty"`
	NameReason string `json:"name_reason,omitempty"`
	// Probe says why the tool could not be, or was not, measured.
	Probe string `json:"probe,omitempty"`
	// LeftOut says without which parts of its definition the tool is used, because they are malformed or not
	// supported.
	LeftOut []string `json:"without,omitempty"`
}

// stateReady is the state of a tool without any problem.
const stateReady = "ready"

// Status describes every tool, ordered by name. Tools of servers that are down, and tools that wait for
// approval, come last.
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
		if e.missingDependency {
			s.State = "waiting"
		}
		if s.State == stateReady && isDisconnectedIdle(e.tool) {
			s.State = "asleep"
		}
		all = append(all, s)
	}
	for _, o := range h.servers {
		for _, t := range o.formerTools {
			s := h.statusOf(&entry{tool: t, def: t.Definition})
			s.State = "down"
			all = append(all, s)
		}
		for _, t := range o.awaitingApproval {
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
	p := e.explainTier(h.opts.ceilings, m)
	s := Status{
		Name: shortLine(e.def.Name), Source: e.source, State: stateReady, Tier: p.tier, TierReason: p.reason, Floor: e.Floor,
		DeclaredP50: mcp.RoundedMillis(e.expectedLatency()), P50: mcp.RoundedMillis(m.P50), P99: mcp.RoundedMillis(m.P99),
		ErrorRate: m.ErrorRate, Samples: m.Samples, ReadOnly: e.ReadOnly, Idempotent: e.Definition.Idempotent,
		Probe: e.noProbe,
	}
	switch e.health.current() {
	case demoted:
		s.State = "demoted"
	case onTrial:
		s.State = "on trial"
	}
	if problem := e.probeProblem.Load(); problem != nil && s.Probe == "" {
		s.Probe = *problem
	}
	if e.remote != nil {
		s.LeftOut = e.remote.LeftOut
	}
	if e.def.Name != e.Definition.Name {
		s.Original, s.NameReason = shortLine(e.Definition.Name), shortLine(h.nameReason(e))
	}
	return s
}

// ServerStatus describes an external server to the operator.
type ServerStatus struct {
	Name string `json:"name"`
	// State is "connecting", "ready", "asleep" or "down".
	State string `json:"state"`
	// Reason says why it is down.
	Reason string `json:"reason,omitempty"`
	Tools  int    `json:"tools"`
	// Pinned says that its new and changed tools are held until the operator approves them.
	Pinned bool `json:"pinned,omitempty"`
	// Held counts the tools that wait for approval.
	Held int `json:"held,omitempty"`
	// LeftOut counts the tools that it lists beyond the limit per server.
	LeftOut int `json:"left_out,omitempty"`
	// Unusable says which other tools it lists that cannot be used, and why.
	Unusable []string `json:"unusable,omitempty"`
	// Connects counts the connections so far. All but the first followed a loss or a sleep.
	Connects int `json:"connects"`
	// Calls counts the running calls, and Queued those waiting for a slot.
	Calls  int `json:"calls,omitempty"`
	Queued int `json:"queued,omitempty"`
	// Failures counts consecutive calls that failed with the connection. After three, or after one without
	// any HTTP response, the host pings the server and drops the connection if there is no answer.
	Failures int `json:"failures,omitempty"`
	// Paused is the rest of the pause that the server asked for, in milliseconds.
	Paused float64 `json:"paused_ms,omitempty"`
}

// Servers describes the external servers in order of registration.
func (h *Host) Servers() []ServerStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []ServerStatus
	for _, s := range h.servers {
		load := s.Load()
		status := ServerStatus{
			Name: s.Name(), State: string(s.state.Phase), Tools: len(s.tools), Pinned: s.Pinned(), Held: len(s.awaitingApproval), LeftOut: s.state.LeftOut, Unusable: s.state.Unusable, Connects: s.state.Connects,
			Calls: load.Calls, Queued: load.Queued, Failures: load.Failures, Paused: float64(load.Paused.Milliseconds()),
		}
		if s.state.Err != nil {
			status.Reason = s.state.Err.Error()
		}
		all = append(all, status)
	}
	return all
}
