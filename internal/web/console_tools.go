package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// toolView describes a tool for a visitor.
type toolView struct {
	mcphost.Status
	// Pin is "approved" or "held" for a tool of a pinned server.
	Pin string `json:"pin,omitempty"`
	// Hidden lists the NPCs that do not see the tool now, with reasons, for visitors who see everything.
	Hidden []hiding `json:"hidden,omitempty"`
	// Shown lists the NPCs that see it.
	Shown []string `json:"shown,omitempty"`
}

// hiding is the reason why an NPC does not see a tool. Why is "list", "tier", "state" or "rule".
type hiding struct {
	NPC string `json:"npc"`
	Why string `json:"why"`
	// Detail is the NPC's ceiling, or the tool's state.
	Detail string `json:"detail,omitempty"`
}

// showTools lists the tools that the visitor may see with their latency, and the definitions that wait for
// approval.
func (d *authenticator) showTools(a *roomRequest) {
	reg := a.room.game.Registry
	leads := a.sees(access.NPCRead)
	shown := []toolView{}
	ceilings, sets := toolsets(a)
	servers := reg.Servers()
	for _, s := range reg.Host.Status() {
		t, ok := reg.Host.Registered(s.Name)
		if ok && reg.Governance.Policy.Permits(a.calling(), t.Target) != nil || !ok && !leads {
			continue
		}
		v := toolView{Status: s, Pin: pinOf(s, servers)}
		if leads {
			for _, n := range a.room.game.Cast() {
				if sets[n.ID][s.Name] {
					v.Shown = append(v.Shown, n.Name)
					continue
				}
				v.Hidden = append(v.Hidden, whyHidden(n, s, ceilings[n.ID]))
			}
		}
		shown = append(shown, v)
	}
	held := []mcphost.Held{}
	if leads && a.may(access.SessionControl) {
		var err error
		if held, err = reg.Host.Held(a.r.Context()); err != nil {
			failWith(a.w, err)
			return
		}
	}
	answer(a.w, map[string]any{"tools": shown, "held": held, "servers": servers, "ceilings": map[string]float64{
		"fast": ceilingOf(a.room.game, mcp.BudgetFast), "standard": ceilingOf(a.room.game, mcp.BudgetStandard),
	}})
}

// pinOf returns the approval state of a pinned server's tool.
func pinOf(s mcphost.Status, servers []mcphost.ServerStatus) string {
	switch i := slices.IndexFunc(servers, func(one mcphost.ServerStatus) bool { return one.Name == s.Source }); {
	case i < 0 || !servers[i].Pinned:
		return ""
	case s.State == "held":
		return "held"
	}
	return "approved"
}

// toolsets returns each NPC's current ceiling, and the tools it would see there.
func toolsets(a *roomRequest) (map[string]mcp.BudgetTier, map[string]map[string]bool) {
	ceilings, sets := map[string]mcp.BudgetTier{}, map[string]map[string]bool{}
	now := map[string]mcp.BudgetTier{}
	if s := a.room.session; s != nil {
		if status, err := s.Table.Status(a.r.Context()); err == nil { // otherwise the session has just ended
			for _, one := range status {
				now[one.Name] = one.Ceiling
			}
		}
	}
	for _, n := range a.room.game.Cast() {
		ceiling, ok := now[n.Name]
		if !ok {
			ceiling = n.BudgetTier
		}
		ceilings[n.ID], sets[n.ID] = ceiling, map[string]bool{}
		set := a.room.game.Registry.Host.Toolset(mcphost.ToolsetOptions{Allow: n.Tools, MayChange: n.MayChange, Tier: ceiling, Caller: mcp.Caller{NPC: n.ID}})
		for _, def := range set.Definitions() {
			sets[n.ID][def.Name] = true
		}
	}
	return ceilings, sets
}

func whyHidden(n config.NPC, s mcphost.Status, ceiling mcp.BudgetTier) hiding {
	h := hiding{NPC: n.Name, Why: "rule"}
	switch {
	case !slices.Contains(n.Tools, s.Name):
		h.Why = "list"
	case s.State == "held" || s.State == "down" || s.State == "waiting":
		h.Why, h.Detail = "state", s.State
	case s.Tier > ceiling:
		h.Why, h.Detail = "tier", ceiling.String()
	}
	return h
}

func ceilingOf(g *play.Game, t mcp.BudgetTier) float64 {
	return float64(g.Config.Latency.Ceilings.Get(t)) / 1e6
}

func targetOf(g *play.Game, tier string) float64 {
	t, err := mcp.ParseTier(tier)
	if err != nil {
		return 0
	}
	return float64(g.Config.Latency.Targets.Get(t)) / 1e6
}

// call runs a tool as the visitor under the usual rules, and records it.
func (d *authenticator) call(a *roomRequest) {
	var in struct {
		Tool string `json:"tool"`
		Args string `json:"args"`
	}
	if !a.decode(&in) {
		return
	}
	if res, ok := a.execute(in.Tool, in.Args); ok {
		answer(a.w, map[string]any{"text": res.Text, "is_error": res.IsError, "ms": float64(res.Duration.Microseconds()) / 1000})
	}
}

// execute runs a tool as the visitor. If it cannot, it sends an error and returns false.
func (a *roomRequest) execute(tool, args string) (res mcp.Result, ok bool) {
	reg := a.room.game.Registry
	if err := reg.Rules.Warm(); err != nil { // the first access loads the book, which would count towards the call's time
		failWith(a.w, err)
		return res, false
	}
	ctx := context.WithoutCancel(a.calling()) // a running call ends with its own deadline
	res, err := reg.Host.ExecuteTool(ctx, tool, args)
	if t, known := reg.Host.Registered(tool); err != nil && (!known || reg.Governance.Policy.Permits(ctx, t.Target) != nil) {
		fail(a.w, http.StatusNotFound, "there is no such tool, or you may not call it")
		return res, false
	}
	if err != nil {
		failWith(a.w, err)
		return res, false
	}
	return res, true
}
