package mcphost

import (
	"context"
	"errors"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Proposes reports whether Execute would have the gate propose a call to whoever leads
// the game, instead of making it (docs/adr/0051).
func (ts *Toolset) Proposes(name, args string) bool {
	e, err := ts.member(name)
	return err == nil && ts.proposes(context.Background(), e, args)
}

// proposes reports whether a call of an NPC changes what is not its own, or what its
// file does not allow it to change. A gateless host has nobody to propose to.
func (ts *Toolset) proposes(ctx context.Context, e *entry, args string) bool {
	npc := ts.caller.NPC
	if npc == "" || ts.host.opts.gate == nil || isStep(ctx) {
		return false
	}
	switch {
	case e.KeepsWorld && e.Own != nil:
		return !e.Own(npc, args)
	case !e.target.ChangesWorld():
		return false
	case !slices.Contains(ts.mayChange, e.def.Name):
		return true
	case e.Own != nil:
		return !e.Own(npc, args)
	}
	return e.source == mcp.SourceBuiltin // whose a thing is elsewhere, the file alone says
}

type stepKey struct{}

// asStep returns a context whose calls are steps of one that may be made as a whole.
func asStep(ctx context.Context) context.Context { return context.WithValue(ctx, stepKey{}, true) }

func isStep(ctx context.Context) bool { return ctx.Value(stepKey{}) != nil }

// door is the way of a tool of the toolset to those it calls.
func (ts *Toolset) door(ctx context.Context, e *entry) context.Context {
	if e.Kind == tools.KindWorkflow && e.target.ChangesWorld() {
		ctx = asStep(ctx)
	}
	return mcp.WithDoor(ctx, ts)
}

// What refuses a call before any rule is asked, as records name it.
const (
	refusedByTools = "tools"
	refusedByTier  = "tier"
)

// sourceUnknown is the source of a tool that does not exist.
const sourceUnknown = "unknown"

// recordRefusal has the gate record a call that the toolset did not let through: with
// the rule that hides the tool from its caller, with what else keeps it out, or as
// one of a tool that does not exist.
func (ts *Toolset) recordRefusal(ctx context.Context, name, args string, err error) {
	gate := ts.host.opts.gate
	if gate == nil {
		return
	}
	if mcp.CallerFrom(ctx).Name() != ts.caller.Name() {
		ctx = mcp.WithCaller(ctx, ts.caller)
	}
	if args == "" {
		args = "{}"
	}
	c := &mcp.Call{Target: mcp.Target{Tool: untrusted.Line(name, maxName), Source: sourceUnknown}, Caller: mcp.CallerFrom(ctx), Args: args}
	why := &mcp.Refusal{Code: mcp.CodeNotFound, Reason: "there is no such tool"}
	if e := ts.host.snap.Load().lookup(name); e != nil {
		c.Target = e.target
		why = ts.whyNot(ctx, e)
	} else if errors.Is(err, mcp.ErrUnavailable) {
		why = &mcp.Refusal{Code: mcp.CodeUnavailable, Reason: "the tool is not there any more"}
	}
	gate.Settle(ctx, c, mcp.Result{}, why)
}

// whyNot says what keeps a tool out of the toolset.
func (ts *Toolset) whyNot(ctx context.Context, e *entry) *mcp.Refusal {
	no, ruled := errors.AsType[*mcp.Refusal](ts.host.opts.gate.Permits(ctx, e.target))
	switch {
	case !slices.Contains(ts.allow, e.def.Name):
		return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTools, Reason: "not among the tools of this NPC"}
	case ruled:
		return no
	case e.tier > ts.tier:
		return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTier, Reason: "too slow for this turn"}
	}
	return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTools, Reason: "needs a tool that is not among those of this NPC"}
}
