package access

// A [Gate] asks the policy before every tool call and records every call afterwards, in the audit log, in the
// metrics and as an event. NPCs, outside clients and the operator pass the same gate:
//
//	host := mcphost.New(mcphost.WithGate(access.NewGate(engine, log, metrics)))
//
// The [Engine] makes the decisions. The host knows only the gate, so that it depends neither on the policy
// nor on the audit log's database.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/observe"
)

// Events that the gate adds to an answer's eventsEmitted.
const (
	EventExecuted = "tool.executed"
	EventFailed   = "tool.failed"
	EventRefused  = "tool.refused"
)

// Gate implements [mcphost.Gate]. It is safe for concurrent use.
type Gate struct {
	policy  *Engine
	audit   *Log
	metrics *observe.Metrics
}

// NewGate returns a gate. Without an audit log it keeps no records, and without metrics it counts
// nothing; either may be nil.
func NewGate(p *Engine, a *Log, m *observe.Metrics) *Gate {
	g := &Gate{policy: p, audit: a, metrics: m}
	p.OnDecision(g.recordDecision)
	return g
}

// recordDecision records the decision about a call that waited for approval.
func (g *Gate) recordDecision(d Decision) {
	if g.audit == nil {
		return
	}
	r := LogRecord{Who: d.Caller, Tool: d.Tool, Decision: Rejected, Approval: d.ID, DecidedBy: d.By}
	switch {
	case d.By == "":
		r.Decision = Expired
	case d.Granted:
		r.Decision = Granted
	}
	g.audit.Add(r, "")
}

// Permits asks the policy whether the caller in ctx may see a tool.
func (g *Gate) Permits(ctx context.Context, t mcp.Target) error { return g.policy.Permits(ctx, t) }

// Admit asks the policy whether a call may proceed.
func (g *Gate) Admit(ctx context.Context, c *mcp.Call) error { return g.policy.Admit(ctx, c) }

// Do runs an action that is not a tool under the rules of a tool call: the policy may refuse it,
// and it is counted and recorded. args are its arguments.
func (g *Gate) Do(ctx context.Context, t mcp.Target, args any, do func(context.Context) error) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("recording %s: %w", t.Tool, err)
	}
	c := &mcp.Call{Target: t, Caller: mcp.CallerFrom(ctx), Args: string(raw)}
	start := time.Now()
	if err = g.Admit(ctx, c); err == nil {
		c.Admitted = true
		start = time.Now()
		err = do(ctx)
	}
	g.Record(ctx, c, mcp.Result{Duration: time.Since(start)}, err)
	return err
}

// Record records how a call ended. Calls with invalid arguments, which Admit does not see, are charged to the
// client's budget here, because they cost as much as any other.
func (g *Gate) Record(ctx context.Context, c *mcp.Call, res mcp.Result, err error) {
	code := string(mcp.CodeOf(err))
	if err == nil && res.IsError {
		code = string(mcp.CodeHandlerError)
	}
	var refused *mcp.Refusal
	if !c.Admitted { // otherwise only a step of the call was refused
		errors.As(err, &refused)
	}
	if !c.Admitted && errors.Is(err, mcp.ErrInvalidArguments) {
		_ = g.policy.Charge(ctx) // an exhausted budget refuses the next call
	}
	switch {
	case refused != nil:
		mcp.Emit(ctx, EventRefused)
	case code != "":
		mcp.Emit(ctx, EventFailed)
	default:
		mcp.Emit(ctx, EventExecuted)
	}
	g.countCall(ctx, c, res, code, refused)
	if g.audit != nil {
		g.audit.Add(auditRecord(ctx, c, res, err, code, refused, g.audit.StoresArguments()), c.Args)
	}
}

func (g *Gate) countCall(ctx context.Context, c *mcp.Call, res mcp.Result, code string, refused *mcp.Refusal) {
	if g.metrics == nil {
		return
	}
	caller := c.Caller.Name()
	if s := SubjectFrom(ctx); s != nil && s.Crowd != "" {
		caller = s.Crowd
	}
	if refused != nil {
		g.metrics.Denied(c.Tool, caller, code, cmp.Or(refused.Rule, refused.By))
		return
	}
	g.metrics.Call(c.Tool, caller, c.Source, code, res.Duration, res.Cached)
}

func auditRecord(ctx context.Context, c *mcp.Call, res mcp.Result, err error, code string, refused *mcp.Refusal, arguments bool) LogRecord {
	r := LogRecord{
		Who: c.Caller.Name(), Tool: c.Tool, Source: c.Source, Decision: Allowed, Code: code,
		Duration: res.Duration, Session: c.Caller.Session, NPC: c.Caller.NPC, Cached: res.Cached,
	}
	if s := SubjectFrom(ctx); s != nil {
		r.Profile, r.Transport = s.Profile.Name, s.Transport
	}
	decided := c.Approved
	if refused != nil {
		decided = refused.Decided
		r.Decision, r.Rule, r.Approval = Denied, cmp.Or(refused.Rule, refused.By), refused.Approval
		if refused.Code == mcp.CodePendingApproval {
			r.Decision = Pending
		}
	}
	if decided != nil {
		r.Approval, r.DecidedBy = decided.ID, decided.By
	}
	switch {
	case refused == nil && !arguments: // the tool's text may quote the arguments
	case err != nil:
		r.Error = oneLine(err.Error())
	case res.IsError:
		r.Error = oneLine(res.Text)
	}
	return r
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
