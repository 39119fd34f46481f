package access

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// byProposal is what refuses a proposed call in records, where no rule does.
	byProposal = "proposal"
	// maxProposed bounds the arguments of a proposed call, in bytes: they are kept
	// until somebody decides.
	maxProposed = 64 << 10
)

// Proposal is a call that was proposed and is to be made, since somebody has agreed.
type Proposal struct {
	Decision
	Call mcp.Call
}

// Context returns a context in which the call can be made, with all that it consists of:
// its caller's, whom ctx is for does not matter. It does not end with ctx.
func (p Proposal) Context(ctx context.Context) context.Context {
	ctx = context.WithValue(context.WithoutCancel(ctx), subjectKey{}, (*Subject)(nil))
	return context.WithValue(mcp.WithCaller(ctx, p.Call.Caller), grantKey{}, &mcp.Approved{ID: p.ID, By: p.By})
}

type grantKey struct{}

// grantFrom returns the decision under which the calls of ctx are made, nil if there
// is none.
func grantFrom(ctx context.Context) *mcp.Approved {
	g, _ := ctx.Value(grantKey{}).(*mcp.Approved)
	return g
}

// admitGranted lets a call pass that was decided on, if it is allowed and there is room.
func (e *Engine) admitGranted(who caller, c *mcp.Call, grant *mcp.Approved) error {
	if no := e.meter.chargeCall(who, c.Tool, mark); no != nil {
		return no
	}
	c.Approved = grant
	return nil
}

// propose enters a call among those that wait, and refuses it: it is made once somebody
// has agreed. r is the rule that wants approval of it, nil if none does.
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
	key := askKey{who.name, c.Tool, sha256.Sum256([]byte(args))}
	q, no := e.asks.findAsk(key, args, r, false, c)
	if no == nil {
		no = q.proposalRefusal(r)
	}
	if no.Rule == "" {
		no.By = byProposal
	}
	return no
}

// proposalRefusal tells the caller how its proposal stands.
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

// TakeProposal returns the proposed call id once it was granted, for the one who has
// it made, and whether there is such a call: it is returned once.
func (e *Engine) TakeProposal(id string) (Proposal, bool) {
	a := &e.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.byID[cleanID(id)]
	if q == nil || q.proposed == nil || q.state != granted || !time.Now().Before(q.Expires) {
		return Proposal{}, false
	}
	a.drop(q)
	return Proposal{Decision{Approval: q.Approval, By: q.by, Granted: true}, *q.proposed}, true
}
