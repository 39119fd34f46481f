package mcphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Toolset is what one NPC may use at one tier: it lists exactly what it executes and refuses
// everything else (docs/adr/0004). Its members are fixed when it is made, so that a turn sees one
// set from start to end. A tool that is unregistered in between leaves it at once.
type Toolset struct {
	host    *Host
	opts    ToolsetOptions
	snap    *BudgetEnforcer
	members []*entry // by name
	defs    []llm.ToolDefinition
}

// ToolsetOptions bounds a toolset.
type ToolsetOptions struct {
	// Allow lists the tools by registered name; empty allows none.
	Allow []string
	// MayChange lists the tools that an NPC may call although they change the world, as far as
	// they change what belongs to the NPC. Other calls of such tools are proposals, see
	// [Toolset.Proposes].
	MayChange []string
	Tier      mcp.BudgetTier
	// Caller is who uses the toolset. Tools that the gate does not permit the caller are left out.
	Caller mcp.Caller
	// Ceiling bounds each call. If zero, only the tool's own deadline does.
	Ceiling time.Duration
}

// Toolset returns the toolset of one NPC at one tier.
func (h *Host) Toolset(o ToolsetOptions) *Toolset {
	ts := &Toolset{host: h, opts: o, snap: h.snap.Load()}
	permits := func(*entry) bool { return true }
	if gate := h.opts.gate; gate != nil {
		ctx := mcp.WithCaller(context.Background(), o.Caller)
		permits = func(e *entry) bool { return gate.Permits(ctx, e.target) == nil }
	}
	for _, name := range o.Allow {
		if e := ts.snap.lookup(name); e != nil && e.visibleIn(o.Tier) && permits(e) {
			ts.members = append(ts.members, e)
		}
	}
	slices.SortFunc(ts.members, func(a, b *entry) int { return strings.Compare(a.def.Name, b.def.Name) })
	ts.members = slices.Compact(ts.members)
	// A tool is useless without the tools it needs.
	ts.members = slices.DeleteFunc(ts.members, func(e *entry) bool {
		return slices.ContainsFunc(ts.snap.needs(e, nil), func(name string) bool { return !slices.Contains(o.Allow, name) })
	})
	for _, e := range ts.members {
		ts.defs = append(ts.defs, e.def)
	}
	return ts
}

// Tier returns the tier the toolset is for.
func (ts *Toolset) Tier() mcp.BudgetTier { return ts.opts.Tier }

// Definitions lists the tools, ordered by name. The caller must not change the elements.
func (ts *Toolset) Definitions() []llm.ToolDefinition {
	now := ts.host.snap.Load()
	if now == ts.snap {
		return ts.defs
	}
	var live []llm.ToolDefinition
	for _, e := range ts.members {
		if now.contains(e.def.Name, e.tool) {
			live = append(live, e.def)
		}
	}
	return live
}

// member returns the tool with this name if the toolset holds it now.
func (ts *Toolset) member(name string) (*entry, error) {
	for _, e := range ts.members {
		if e.def.Name != name {
			continue
		}
		if now := ts.host.snap.Load(); now != ts.snap && !now.contains(name, e.tool) {
			return nil, fmt.Errorf("calling %q: %w", name, mcp.ErrUnavailable)
		}
		return e, nil
	}
	return nil, fmt.Errorf("calling %q: %w", name, mcp.ErrNotAllowed)
}

// Execute runs one tool, see [Host.ExecuteTool]. It refuses a tool that the toolset does not list
// with [mcp.ErrNotAllowed], and so it answers a call that [Toolset.Proposes], which becomes a
// proposal.
func (ts *Toolset) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	e, err := ts.member(name)
	if err != nil {
		ts.recordRefusal(ctx, name, args, err)
		return mcp.Result{}, err
	}
	proposed := ts.proposes(ctx, e, args)
	if ts.opts.Ceiling > 0 && ts.opts.Ceiling < e.deadline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ts.opts.Ceiling)
		defer cancel()
	}
	if e.Composite {
		if e.Kind == tools.KindWorkflow && e.target.ChangesWorld() {
			ctx = withApprovedSteps(ctx)
		}
		ctx = mcp.WithDoor(ctx, ts)
	}
	return ts.host.call(ctx, e, args, proposed)
}

// Check reports whether Execute would accept the call, without running it.
func (ts *Toolset) Check(name, args string) error {
	e, err := ts.member(name)
	if err != nil {
		return err
	}
	if args == "" {
		args = "{}"
	}
	if _, err := e.input.FitArguments(args); err != nil {
		return fmt.Errorf("calling %q: %w", name, err)
	}
	return nil
}

// Deferred reports whether a tool acts at commit rather than during the turn (docs/adr/0015).
func (ts *Toolset) Deferred(name string) bool {
	e, err := ts.member(name)
	return err == nil && !e.ReadOnly && e.Effect == tools.EffectAtCommit
}

// Outcome is how one call of a round ended.
type Outcome struct {
	Result mcp.Result
	Err    error
}

// MaxRound is how many calls of one model answer are run. More fail with [mcp.ErrBusy].
const MaxRound = 16

// ExecuteRound runs the calls of one model answer in parallel and returns their outcomes in the
// same order. The ceiling bounds the round as a whole, which takes as long as its slowest call.
func (ts *Toolset) ExecuteRound(ctx context.Context, calls []llm.ToolCall) []Outcome {
	outcomes := make([]Outcome, len(calls))
	if ts.opts.Ceiling > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ts.opts.Ceiling)
		defer cancel()
	}
	if len(calls) == 1 {
		outcomes[0].Result, outcomes[0].Err = ts.Execute(ctx, calls[0].Name, calls[0].Arguments)
		return outcomes
	}
	var g errgroup.Group
	for i, c := range calls {
		if i >= MaxRound {
			outcomes[i].Err = fmt.Errorf("calling %q: %w: a model may make at most %d calls at once", c.Name, mcp.ErrBusy, MaxRound)
			continue
		}
		g.Go(func() error {
			outcomes[i].Result, outcomes[i].Err = ts.Execute(ctx, c.Name, c.Arguments)
			return nil
		})
	}
	_ = g.Wait() // the functions return no error
	return outcomes
}

// Proposes reports whether Execute would make the call a proposal to the game master instead of
// running it (docs/adr/0051).
func (ts *Toolset) Proposes(name, args string) bool {
	e, err := ts.member(name)
	return err == nil && ts.proposes(context.Background(), e, args)
}

// proposes reports whether a call of an NPC changes something that does not belong to the NPC, or
// that its file does not allow it to change. Without a gate there are no proposals, because the
// gate keeps them.
func (ts *Toolset) proposes(ctx context.Context, e *entry, args string) bool {
	npc := ts.opts.Caller.NPC
	if npc == "" || ts.host.opts.gate == nil || ctx.Value(approvedStepsKey{}) != nil {
		return false
	}
	switch {
	case e.KeepsWorld && e.Own != nil:
		return !e.Own(npc, args)
	case !e.target.ChangesWorld():
		return false
	case !slices.Contains(ts.opts.MayChange, e.def.Name):
		return true
	case e.Own != nil:
		return !e.Own(npc, args)
	}
	// Only the NPC's file says whether a thing of an external server is the NPC's own.
	return e.source == mcp.SourceBuiltin
}

type approvedStepsKey struct{}

// withApprovedSteps marks the calls of a workflow. The workflow is proposed as a whole, so its
// steps are not proposed again.
func withApprovedSteps(ctx context.Context) context.Context {
	return context.WithValue(ctx, approvedStepsKey{}, true)
}

// What refuses a call before the gate's rules do, as audit records name it.
const (
	refusedByTools = "tools"
	refusedByTier  = "tier"
)

// sourceUnknown is the source of a tool that does not exist.
const sourceUnknown = "unknown"

// recordRefusal reports to the gate a call that the toolset refused, with the reason: the rule
// that hides the tool, the NPC's whitelist, the tier, or that there is no such tool.
func (ts *Toolset) recordRefusal(ctx context.Context, name, args string, err error) {
	gate := ts.host.opts.gate
	if gate == nil {
		return
	}
	if mcp.CallerFrom(ctx).Name() != ts.opts.Caller.Name() {
		ctx = mcp.WithCaller(ctx, ts.opts.Caller)
	}
	if args == "" {
		args = "{}"
	}
	c := &mcp.Call{Target: mcp.Target{Tool: untrusted.Line(name, maxName), Source: sourceUnknown}, Caller: mcp.CallerFrom(ctx), Args: args}
	why := &mcp.Refusal{Code: mcp.CodeNotFound, Reason: "there is no such tool"}
	if e := ts.host.snap.Load().lookup(name); e != nil {
		c.Target = e.target
		why = ts.refusal(ctx, e)
	} else if errors.Is(err, mcp.ErrUnavailable) {
		why = &mcp.Refusal{Code: mcp.CodeUnavailable, Reason: "the tool was removed during the turn"}
	}
	gate.Record(ctx, c, mcp.Result{}, why)
}

// refusal says why a registered tool is not in the toolset.
func (ts *Toolset) refusal(ctx context.Context, e *entry) *mcp.Refusal {
	ruled, ok := errors.AsType[*mcp.Refusal](ts.host.opts.gate.Permits(ctx, e.target))
	switch {
	case !slices.Contains(ts.opts.Allow, e.def.Name):
		return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTools, Reason: "not among the tools of this NPC"}
	case ok:
		return ruled
	case e.tier > ts.opts.Tier:
		return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTier, Reason: "too slow for this turn"}
	}
	return &mcp.Refusal{Code: mcp.CodeForbidden, By: refusedByTools, Reason: "needs a tool that is not among those of this NPC"}
}
