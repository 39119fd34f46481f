// Package access identifies outside callers and decides what they and NPCs may do: which tools they see,
// which they may call, how often and when, and which calls need approval first:
//
//	engine, err := access.New(access.Options{Profiles: cfg.Profiles, Rules: cfg.Policy, Limits: cfg.Limits})
//	go engine.Run(ctx)
//	err = engine.Permits(ctx, tool.Target) // nil, or a *mcp.Refusal
//
// [Engine.Permits] decides both which tools callers see and which they may call. The engine does no I/O,
// except that New reads time zones, and starts no goroutines; its owner runs [Engine.Run]. [Check] reports
// faults in the profiles, rules and limits of a configuration.
//
// The audit log ([Log], files audit_*.go) records who called which tool, the decision and its reason, the
// duration, and a hash of the arguments. It has an SQLite file of its own, so that writing records never
// blocks the writer of the game's memory. It starts one goroutine; [Log.Close] waits for it. It makes no
// decisions.
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

// ErrInvalid is wrapped by the errors of [New] about profiles, rules and limits.
var ErrInvalid = errors.New("invalid policy")

// Options configures an [Engine]. The zero value has the built-in profiles and no rules.
type Options struct {
	// Profiles are added to the built-in profiles. They must not use the same names.
	Profiles map[string]config.Profile
	// Rules are evaluated in order; the first that denies wins. A permission revoked by one rule cannot be
	// granted by another.
	Rules []config.Rule
	// Limits bound each client. Zero values mean a burst of 100 calls and 10 calls per second.
	Limits config.Limits
	// ReadOnly admits only tools that change nothing.
	ReadOnly bool
}

// Engine decides about calls. It is safe for concurrent use.
type Engine struct {
	readOnly bool
	profiles map[string]rights
	// The rules by effect, each list in the order of the configuration.
	denyRules     []*rule // deny by tool, by time, by revoking a permission
	grants        []*rule // add permissions
	approvals     []*rule
	made          time.Time
	meter         meter
	approvalQueue approvalQueue
	// onDecision is called with decisions; may be nil.
	onDecision func(Decision)

	mu      sync.Mutex    // guards the field below
	changed chan struct{} // closed when permissions may have changed
}

// New returns an engine for opts. If opts have faults, it returns all of them joined, each wrapping
// [ErrInvalid].
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
		meter: newMeter(opts.Limits), approvalQueue: newApprovalQueue(),
	}
	for _, r := range made.rules {
		switch r.kind {
		case config.RuleRateLimit:
			e.meter.rules = append(e.meter.rules, r)
		case config.RuleTimeWindow, config.RuleToolRestriction:
			e.denyRules = append(e.denyRules, r)
		case config.RulePermissionOverride:
			e.denyRules = append(e.denyRules, r)
			e.grants = append(e.grants, r)
		case config.RuleApproval:
			e.approvals = append(e.approvals, r)
		}
	}
	return e, nil
}

// Profile returns the built-in or configured profile with a name, and whether there is one.
func (e *Engine) Profile(name string) (Profile, bool) {
	r, ok := e.profiles[name]
	p := r.profile
	p.Permissions = slices.Clone(p.Permissions)
	return p, ok
}

// Admit decides whether a call may proceed, and counts it if so. It checks [Engine.Permits], the rate limits
// and the client's own budget, and then approval, for which it may wait. A proposed call does not wait: it is
// refused, and run once it has been granted, see [Engine.PopProposal]. Admit returns nil or an
// [*mcp.Refusal], at the latest when ctx ends.
//
// A refused call is not charged, except that a request for approval is charged to the client's budget,
// because it takes a person's time.
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
	granted, no := e.approvalQueue.await(ctx, who.name, c, r)
	if no != nil {
		return no
	}
	// Check again, because the wait may have been long.
	if no = e.permits(who, &c.Target, 0); no == nil {
		no = e.meter.chargeCall(who, c.Tool, mark)
	}
	if no != nil {
		e.approvalQueue.restoreGrant(granted)
		return no
	}
	c.Approved = granted.decision()
	return nil
}

// CheckRoom reports whether the rate limits and the client's own budget would admit a call of t now. It
// counts nothing, so that a flood of calls can be refused before their arguments are decoded; [Engine.Admit]
// makes the final decision. The error is an [*mcp.Refusal].
func (e *Engine) CheckRoom(ctx context.Context, t mcp.Target) error {
	return asError(e.meter.checkRoom(e.caller(ctx), t.Tool))
}

// Charge charges the client in ctx for one call, for a request that is not a call or that fails early. It
// returns nil or an [*mcp.Refusal]. Only clients are charged.
func (e *Engine) Charge(ctx context.Context) error {
	who := e.caller(ctx)
	if who.kind != client {
		return nil
	}
	return asError(e.meter.chargeRequest(who.name))
}

// asError converts a nil refusal to a nil error.
func asError(r *mcp.Refusal) error {
	if r == nil {
		return nil
	}
	return r
}
