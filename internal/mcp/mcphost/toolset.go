package mcphost

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Toolset is what one NPC may use at one tier: it lists exactly what it
// executes and refuses everything else (docs/adr/0004). Its members are fixed when
// it is made, so that a turn sees one set from start to end; a tool that goes
// away meanwhile leaves it at once. It is safe for concurrent use.
type Toolset struct {
	host    *Host
	tier    mcp.BudgetTier
	ceiling time.Duration
	caller  mcp.Caller
	allow   []string
	// mayChange is as in [ToolsetOptions].
	mayChange []string
	snap      *BudgetEnforcer
	members   []*entry // by name
	defs      []llm.ToolDefinition
}

// ToolsetOptions bounds a toolset.
type ToolsetOptions struct {
	// Allow lists the tools by registered name; empty allows none.
	Allow []string
	// MayChange lists those that an NPC may call although they change the world, for
	// what is its own; other calls of such tools are proposals, see [Toolset.Proposes].
	MayChange []string
	Tier      mcp.BudgetTier
	// Caller is for whom it is: what the gate does not permit it is left out.
	Caller mcp.Caller
	// Ceiling bounds each call. If zero, the tool's own deadline alone does.
	Ceiling time.Duration
}

// Toolset returns the view for one NPC's whitelist at one tier.
func (h *Host) Toolset(o ToolsetOptions) *Toolset {
	ts := &Toolset{host: h, tier: o.Tier, ceiling: o.Ceiling, caller: o.Caller, allow: o.Allow, mayChange: o.MayChange, snap: h.snap.Load()}
	permits := func(*entry) bool { return true }
	if gate := h.opts.gate; gate != nil {
		ctx := mcp.WithCaller(context.Background(), o.Caller)
		permits = func(e *entry) bool { return gate.Permits(ctx, e.target) == nil }
	}
	for _, name := range o.Allow {
		if e := ts.snap.lookup(name); e != nil && e.shownIn(o.Tier) && permits(e) {
			ts.members = append(ts.members, e)
		}
	}
	slices.SortFunc(ts.members, func(a, b *entry) int { return strings.Compare(a.def.Name, b.def.Name) })
	ts.members = slices.Compact(ts.members)
	// A tool is of use only with those it needs.
	ts.members = slices.DeleteFunc(ts.members, func(e *entry) bool {
		return slices.ContainsFunc(ts.snap.needs(e, nil), func(name string) bool { return !slices.Contains(o.Allow, name) })
	})
	for _, e := range ts.members {
		ts.defs = append(ts.defs, e.def)
	}
	return ts
}

// Tier returns the tier the toolset is for.
func (ts *Toolset) Tier() mcp.BudgetTier { return ts.tier }

// Definitions lists the tools, ordered by name. The caller must not change the
// elements.
func (ts *Toolset) Definitions() []llm.ToolDefinition {
	now := ts.host.snap.Load()
	if now == ts.snap {
		return ts.defs
	}
	var live []llm.ToolDefinition
	for _, e := range ts.members {
		if now.holds(e.def.Name, e.tool) {
			live = append(live, e.def)
		}
	}
	return live
}

// member returns the tool called name if the toolset holds it now. Listing and
// enforcement are this one rule.
func (ts *Toolset) member(name string) (*entry, error) {
	for _, e := range ts.members {
		if e.def.Name != name {
			continue
		}
		if now := ts.host.snap.Load(); now != ts.snap && !now.holds(name, e.tool) {
			return nil, fmt.Errorf("calling %q: %w", name, mcp.ErrUnavailable)
		}
		return e, nil
	}
	return nil, fmt.Errorf("calling %q: %w", name, mcp.ErrNotAllowed)
}

// Execute runs one tool, see [Host.ExecuteTool]. What the toolset does not
// list is refused with [mcp.ErrNotAllowed], and so is, once it is proposed, what
// [Toolset.Proposes].
func (ts *Toolset) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	e, err := ts.member(name)
	if err != nil {
		ts.recordRefusal(ctx, name, args, err)
		return mcp.Result{}, err
	}
	proposed := ts.proposes(ctx, e, args)
	if ts.ceiling > 0 && ts.ceiling < e.deadline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ts.ceiling)
		defer cancel()
	}
	if e.Composite {
		ctx = ts.door(ctx, e)
	}
	return pipeline{ts.host}.runCall(ctx, e, args, proposed)
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

// Deferred reports whether a tool acts at commit rather than during the turn
// (docs/adr/0015).
func (ts *Toolset) Deferred(name string) bool {
	e, err := ts.member(name)
	return err == nil && !e.ReadOnly && e.Effect == tools.EffectAtCommit
}

// Outcome is what one call of a round ended in.
type Outcome struct {
	Result mcp.Result
	Err    error
}

// MaxRound is how many calls of one model answer are run; more fail with
// [mcp.ErrBusy].
const MaxRound = 16

// ExecuteRound runs the calls of one model answer in parallel and returns
// their outcomes in the same order. The ceiling bounds the round as a whole:
// it takes as long as its slowest call, not their sum.
func (ts *Toolset) ExecuteRound(ctx context.Context, calls []llm.ToolCall) []Outcome {
	outcomes := make([]Outcome, len(calls))
	if ts.ceiling > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ts.ceiling)
		defer cancel()
	}
	if len(calls) == 1 {
		outcomes[0].Result, outcomes[0].Err = ts.Execute(ctx, calls[0].Name, calls[0].Arguments)
		return outcomes
	}
	var g errgroup.Group
	for i, c := range calls {
		if i >= MaxRound {
			outcomes[i].Err = fmt.Errorf("calling %q: %w: %d calls at once are the most", c.Name, mcp.ErrBusy, MaxRound)
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
