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

// Toolset holds the tools that one NPC may use at one tier. It executes exactly the tools that it lists and
// refuses all others (docs/adr/0013). Its members are fixed when it is created, so that a turn sees the same
// set from start to end; only a tool that is unregistered leaves it at once.
type Toolset struct {
	host    *Host
	opts    ToolsetOptions
	snap    *BudgetEnforcer
	members []*entry // by name
	defs    []llm.ToolDefinition
}

// ToolsetOptions configures a toolset.
type ToolsetOptions struct {
	// Allow lists the permitted tools by registered name; empty permits none.
	Allow []string
	// MayChange lists tools that change the world and that the NPC may still call for changes to what belongs
	// to it. Other calls of such tools become proposals, see [Toolset.Proposes].
	MayChange []string
	Tier      mcp.BudgetTier
	// Caller uses the toolset. Tools that the gate does not permit this caller are left out.
	Caller mcp.Caller
	// Ceiling bounds each call. If zero, only the tool's own deadline bounds it.
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
		return slices.ContainsFunc(ts.snap.dependencies(e, nil), func(name string) bool { return !slices.Contains(o.Allow, name) })
	})
	for _, e := range ts.members {
		ts.defs = append(ts.defs, e.def)
	}
	return ts
}

// Tier returns the tier of the toolset.
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

// member returns the tool with this name if it is in the toolset and still registered.
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

// Execute runs one tool, see [Host.ExecuteTool]. It returns [mcp.ErrNotAllowed] for a tool that the toolset
// does not list. A call for which [Toolset.Proposes] is true is not run but becomes a proposal.
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
		ctx = mcp.WithExecutor(ctx, ts)
	}
	res, err := ts.host.call(ctx, e, args, proposed)
	if mcp.Nested(ctx) {
		return res, err
	}
	return forModel(res), err
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

// Deferred reports whether a tool acts at commit rather than during the turn (docs/adr/0016).
func (ts *Toolset) Deferred(name string) bool {
	e, err := ts.member(name)
	return err == nil && !e.ReadOnly && e.Effect == tools.EffectAtCommit
}

// Outcome is the outcome of one call of a round.
type Outcome struct {
	Result mcp.Result
	Err    error
}

// MaxRound is how many calls of one model answer are run. The others fail with [mcp.ErrBusy].
const MaxRound = 16

// ExecuteRound runs the calls of one model answer in parallel and returns their outcomes in the same order.
// The ceiling bounds the whole round, which takes as long as its slowest call.
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

// Proposes reports whether Execute would submit the call as a proposal to the game master instead of running
// it (docs/adr/0051).
func (ts *Toolset) Proposes(name, args string) bool {
	e, err := ts.member(name)
	return err == nil && ts.proposes(context.Background(), e, args)
}

// proposes reports whether an NPC's call changes something that does not belong to the NPC, or something that
// its file does not allow it to change. Without a gate there are no proposals, because the gate stores them.
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
	// For external servers, only the NPC's file can say what the NPC may change.
	return e.source == mcp.SourceBuiltin
}

type approvedStepsKey struct{}

// withApprovedSteps marks the calls made by a workflow. The workflow is proposed as a whole, so its steps are
// not proposed again.
func withApprovedSteps(ctx context.Context) context.Context {
	return context.WithValue(ctx, approvedStepsKey{}, true)
}

// Values of [mcp.Refusal].By for calls that a toolset refuses before the gate's rules apply.
const (
	refusedByTools = "tools"
	refusedByTier  = "tier"
)

// sourceUnknown is the source of a tool that is not registered.
const sourceUnknown = "unknown"

// recordRefusal reports a call that the toolset refused to the gate, with the reason: the policy, the NPC's
// whitelist, the tier, or an unknown tool.
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

// refusal returns why a registered tool is not in the toolset.
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
