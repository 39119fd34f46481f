// Package access says who calls, and decides what outside clients and NPCs may do: which tools
// they see, which they may call, how often, when, and what needs somebody's
// approval first. What it shows and what it enforces is one function,
// [Engine.Permits].
//
// It does no I/O (New reads the time zones) and starts no goroutine; whoever owns
// an Engine runs [Engine.Run]. [Check] alone judges what a configuration says of
// profiles, rules and limits.
//
// The audit log ([Log], files audit_*.go) records who called what: which tool, what was decided and why,
// how long it took, and with which arguments, by their hash. It writes one SQLite file of its own, so
// that a batch of records never holds the writer of the game's memory, and starts one goroutine that
// [Log.Close] waits for. It decides nothing about rights.
package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// ErrInvalid is wrapped by what [New] says about profiles, rules and limits
// that cannot work.
var ErrInvalid = errors.New("invalid policy")

// Options configures an [Engine]. The zero value knows the built-in profiles
// and no rules.
type Options struct {
	// Profiles are added to the built-in ones, whose names they may not take.
	Profiles map[string]config.Profile
	// Rules are asked in order; the first that denies wins. A permission that one
	// rule revokes, no other can grant.
	Rules []config.Rule
	// Limits bound each client. Zero is a burst of 100 and 10 calls a second.
	Limits config.Limits
	// ReadOnly lets only tools through that change nothing.
	ReadOnly bool
}

// Engine decides about calls. It is safe for concurrent use.
type Engine struct {
	readOnly bool
	profiles map[string]rights
	// The rules by what they do, each list in the order of the configuration.
	gates     []*rule // deny by tool, by time, by revoking a permission
	grants    []*rule // add permissions
	approvals []*rule
	made      time.Time
	meter     meter
	asks      asks
	// onDecision is told of decisions; nil if nobody is.
	onDecision func(Decision)

	mu      sync.Mutex    // guards the field below
	changed chan struct{} // closed when what is permitted may have changed
}

// New returns an engine for opts. If something in them cannot work, it returns
// all problems joined, each of which wraps [ErrInvalid].
func New(opts Options) (*Engine, error) {
	made, faults := compile(opts)
	if len(faults) > 0 {
		errs := make([]error, len(faults))
		for i, f := range faults {
			errs[i] = fmt.Errorf("%w: %s", ErrInvalid, f)
		}
		return nil, errors.Join(errs...)
	}
	e := &Engine{
		readOnly: opts.ReadOnly, profiles: made.profiles, made: time.Now(), changed: make(chan struct{}),
		meter: newMeter(opts.Limits), asks: newAsks(),
	}
	for _, r := range made.rules {
		switch r.kind {
		case config.RuleRateLimit:
			e.meter.rules = append(e.meter.rules, r)
		case config.RuleTimeWindow, config.RuleToolRestriction:
			e.gates = append(e.gates, r)
		case config.RulePermissionOverride:
			e.gates = append(e.gates, r)
			e.grants = append(e.grants, r)
		case config.RuleApproval:
			e.approvals = append(e.approvals, r)
		}
	}
	return e, nil
}

// Profile returns the profile called name, built in or the operator's own, and
// whether there is one.
func (e *Engine) Profile(name string) (Profile, bool) {
	r, ok := e.profiles[name]
	p := r.profile
	p.Permissions = slices.Clone(p.Permissions)
	return p, ok
}

// Admit reports whether the call may go on, and counts it if so: what
// [Engine.Permits] says, then the rate limits and the client's own budget of
// calls, then approval, for which it may wait. A proposed call does not wait: it is
// refused, and made once somebody has agreed, see [Engine.TakeProposal]. Admit returns
// nil or an [*mcp.Refusal], at the latest when ctx is done.
//
// A refused call costs nothing here, except that asking for approval takes one of
// the client's calls: it takes somebody's time.
func (e *Engine) Admit(ctx context.Context, c *mcp.Call) error {
	who := e.caller(ctx)
	if who.kind == operator {
		return nil
	}
	if no := e.permits(who, &c.Target, 0); no != nil {
		return no
	}
	if grant := grantFrom(ctx); grant != nil {
		return e.admitGranted(who, c, grant)
	}
	r := first(e.approvals, who.name, c.Tool)
	if c.Proposed {
		return e.propose(who, c, r)
	}
	if r == nil {
		return asError(e.meter.chargeCall(who, c.Tool, token|mark))
	}
	if no := e.meter.chargeCall(who, c.Tool, token); no != nil {
		return no
	}
	granted, no := e.asks.await(ctx, who.name, c, r)
	if no != nil {
		return no
	}
	// The wait may have been long.
	if no = e.permits(who, &c.Target, 0); no == nil {
		no = e.meter.chargeCall(who, c.Tool, mark)
	}
	if no != nil {
		e.asks.giveBack(granted)
		return no
	}
	c.Approved = granted.decision()
	return nil
}

// CheckRoom reports whether the limits would let a call of t pass now: the rate limits
// about it and the client's own budget. It counts nothing, so that a flood can be turned
// away before its arguments are read; [Engine.Admit] has the last word. The error is an
// [*mcp.Refusal].
func (e *Engine) CheckRoom(ctx context.Context, t mcp.Target) error {
	return asError(e.meter.checkRoom(e.caller(ctx), t.Tool))
}

// Charge takes one call from the budget of the client of ctx, for a request that is no
// call, or one that comes to nothing. It returns nil or an [*mcp.Refusal]; of anybody
// but a client nothing is taken.
func (e *Engine) Charge(ctx context.Context) error {
	who := e.caller(ctx)
	if who.kind != client {
		return nil
	}
	return asError(e.meter.chargeRequest(who.name))
}

// asError keeps a nil refusal a nil error.
func asError(r *mcp.Refusal) error {
	if r == nil {
		return nil
	}
	return r
}
