package access

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// byProposal is [mcp.Refusal].By for a proposed call that no rule refused.
	byProposal = "proposal"
	// maxProposed bounds the arguments of a proposed call, in bytes, because they are kept until the
	// decision.
	maxProposed = 64 << 10
)

// Proposal is a granted call that is to be run.
type Proposal struct {
	Decision
	Call mcp.Call
}

// Context returns a context for running the call and the calls it makes. It has the proposal's caller, not
// that of ctx, and does not end with ctx.
func (p Proposal) Context(ctx context.Context) context.Context {
	ctx = context.WithValue(context.WithoutCancel(ctx), subjectKey{}, (*Subject)(nil))
	return context.WithValue(mcp.WithCaller(ctx, p.Call.Caller), grantKey{}, &mcp.Approved{ID: p.ID, By: p.By})
}

type grantKey struct{}

// grantFrom returns the decision that allows the calls of ctx, or nil.
func grantFrom(ctx context.Context) *mcp.Approved {
	g, _ := ctx.Value(grantKey{}).(*mcp.Approved)
	return g
}

// admitGranted admits a call that was granted, if the rate limits have room.
func (e *Engine) admitGranted(who caller, c *mcp.Call, grant *mcp.Approved) error {
	if no := e.meter.chargeCall(who, c.Tool, mark); no != nil {
		return no
	}
	c.Approved = grant
	return nil
}

// propose adds a call to the waiting ones and refuses it for now; it is run once it has been granted. r is
// the rule that requires approval, or nil.
func (e *Engine) propose(who caller, c *mcp.Call, r *rule) error {
	if no := e.meter.chargeCall(who, c.Tool, token); no != nil {
		return no
	}
	if len(c.Args) > maxProposed {
		return &mcp.Refusal{Code: mcp.CodeInvalidInput, By: byProposal, Reason: "this is too long to be proposed", Hint: "propose less at once"}
	}
	if r == nil {
		r = &rule{}
	}
	args := canonical(c.Args)
	key := callKey{who.name, c.Tool, sha256.Sum256([]byte(args))}
	q, no := e.approvalQueue.findOrQueue(key, args, r, false, c)
	if no == nil {
		no = q.proposalRefusal(r)
	}
	if no.Rule == "" {
		no.By = byProposal
	}
	return no
}

// proposalRefusal tells the caller the state of its proposal.
func (q *ask) proposalRefusal(r *rule) *mcp.Refusal {
	no := &mcp.Refusal{
		Code: mcp.CodePendingApproval, Rule: r.name, Approval: q.ID,
		Reason: "this is proposed to the game master and has not been done", Hint: "go on without it",
	}
	switch q.state {
	case denied:
		no.Code, no.Reason, no.Hint = mcp.CodeForbidden, "the game master has denied this", "do not propose it again"
		no.Decided = q.decision()
	case granted:
		no.Reason = "the game master has agreed, and it is being done"
	}
	return no
}

// PopProposal returns the granted proposal id for running it, and whether there is one. It returns each
// proposal only once.
func (e *Engine) PopProposal(id string) (Proposal, bool) {
	a := &e.approvalQueue
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.byID[cleanID(id)]
	if q == nil || q.proposed == nil || q.state != granted || !time.Now().Before(q.Expires) {
		return Proposal{}, false
	}
	a.drop(q)
	return Proposal{Decision{Approval: q.Approval, By: q.by, Granted: true}, *q.proposed}, true
}
