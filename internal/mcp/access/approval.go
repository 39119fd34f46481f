package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxPendingCalls bounds the calls that wait for approval or, after a decision, for their caller to repeat them.
	// maxPendingPerCaller bounds those of one caller, so that no caller can crowd out the others.
	maxPendingCalls     = 256
	maxPendingPerCaller = 64
	// defaultExpires is how long a call waits for approval if its rule does not say.
	defaultExpires = 10 * time.Minute
	// pollAfter is how long a caller should wait before it asks for the decision again.
	pollAfter = 5 * time.Second
	// shownArgs bounds the arguments shown for a decision, in runes.
	shownArgs = 1000
)

// Approval is a call that waits for a decision.
type Approval struct {
	// ID is short enough to type.
	ID           string
	Caller, Tool string
	// Args are the arguments with sorted keys, without invisible characters, cut to 1000 runes.
	Args string
	// Asked is when the call was first made. At Expires it is dropped.
	Asked, Expires time.Time
	// Proposed says that granting the call runs it. Otherwise its caller has to make it again.
	Proposed bool
}

// approvalQueue holds the calls that need approval. Each is identified by caller, tool and arguments, so that a
// repeated call finds its approval.
type approvalQueue struct {
	mu        sync.Mutex // guards the fields below and all asks
	byKey     map[callKey]*ask
	byID      map[string]*ask
	decisions []Decision // the latest, oldest first
	// expired are the calls that expired without a decision and that [Engine.Run] has not reported yet.
	expired []Approval
	// changed is closed when the set of waiting calls changes.
	changed chan struct{}
}

type callKey struct {
	caller, tool string
	args         [sha256.Size]byte
}

type approvalState int

const (
	pending approvalState = iota // becomes granted or denied
	granted                      // the next call passes and ends it
	denied                       // calls are refused until it expires
)

type ask struct {
	Approval
	key      callKey
	state    approvalState
	validFor time.Duration // how long it waits, and how long a decision is valid
	decided  chan struct{} // closed on the decision
	by       string        // who decided
	// proposed is the call to run once granted; nil if the caller has to repeat it.
	proposed *mcp.Call
}

func newApprovalQueue() approvalQueue {
	return approvalQueue{byKey: map[callKey]*ask{}, byID: map[string]*ask{}, changed: make(chan struct{})}
}

// await returns the granted ask for c, removed from a, or a refusal. It waits for a decision for as long as r
// allows, or until ctx ends.
func (a *approvalQueue) await(ctx context.Context, who string, c *mcp.Call, r *rule) (ask, *mcp.Refusal) {
	args := canonical(c.Args)
	key := callKey{who, c.Tool, sha256.Sum256([]byte(args))}
	patience := time.NewTimer(r.wait)
	defer patience.Stop()
	for {
		alive := ctx.Err() == nil // do not use up a grant for a call that is over
		q, no := a.findOrQueue(key, args, r, alive, nil)
		switch {
		case no != nil:
			return ask{}, no
		case q.state == denied:
			no := forbidden(r.name, "this call was denied", "do not try it again, or change its arguments")
			no.Decided = q.decision()
			return ask{}, no
		case q.state == granted && alive:
			return q, nil
		case q.state == granted:
			return ask{}, q.pendingRefusal(r)
		}
		expiry := time.NewTimer(time.Until(q.Expires))
		select {
		case <-q.decided:
			expiry.Stop()
			continue
		case <-expiry.C:
			no := forbidden(r.name, "nobody decided on this call in time", "ask the game master, then call again")
			no.Decided = q.decision()
			return ask{}, no
		case <-patience.C:
		case <-ctx.Done():
		}
		expiry.Stop()
		return ask{}, q.pendingRefusal(r)
	}
}

// decision returns who decided on q, for records.
func (q *ask) decision() *mcp.Approved { return &mcp.Approved{ID: q.ID, By: q.by} }

// pendingRefusal tells the caller to repeat the call later.
func (q *ask) pendingRefusal(r *rule) *mcp.Refusal {
	return &mcp.Refusal{
		Code: mcp.CodePendingApproval, Rule: r.name, Approval: q.ID, RetryAfter: pollAfter, Until: q.Expires.Add(q.validFor),
		Reason: "this call needs approval",
		Hint:   "ask the game master to approve " + q.ID + ", then call again with the same arguments",
	}
}

// findOrQueue returns the state of the ask with key, creating it if it is new. If the ask is granted and claim is
// set, findOrQueue removes it. A new ask keeps proposed, if that is not nil.
func (a *approvalQueue) findOrQueue(key callKey, args string, r *rule, claim bool, proposed *mcp.Call) (ask, *mcp.Refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	q := a.byKey[key]
	if q != nil && !now.Before(q.Expires) {
		a.drop(q)
		q = nil
	}
	if q == nil {
		if no := a.checkRoom(key.caller, r, now); no != nil {
			return ask{}, no
		}
		q = a.addCall(key, args, cmp.Or(r.expires, defaultExpires), now, proposed)
	}
	if q.state == granted && claim {
		a.drop(q)
	}
	return *q, nil
}

// checkRoom drops expired asks and returns a refusal if no ask of caller can be added.
func (a *approvalQueue) checkRoom(caller string, r *rule, now time.Time) *mcp.Refusal {
	each := 0
	for _, q := range a.byID {
		if !now.Before(q.Expires) {
			a.drop(q)
		} else if q.Caller == caller {
			each++
		}
	}
	if len(a.byID) < maxPendingCalls && each < maxPendingPerCaller {
		return nil
	}
	return &mcp.Refusal{
		Code: mcp.CodeCapacityExceeded, Rule: r.name, RetryAfter: pollAfter,
		Reason: "too many calls wait for approval", Hint: "wait until some of them are decided",
	}
}

func (a *approvalQueue) addCall(key callKey, args string, keep time.Duration, now time.Time, proposed *mcp.Call) *ask {
	if proposed != nil {
		proposed = new(*proposed)
	}
	q := &ask{
		Approval: Approval{
			Caller: key.caller, Tool: key.tool, Args: untrusted.Clean(args, shownArgs), Asked: now, Expires: now.Add(keep), Proposed: proposed != nil,
		},
		key: key, validFor: keep, proposed: proposed, decided: make(chan struct{}),
	}
	for q.ID == "" || a.byID[q.ID] != nil {
		q.ID = strings.ToLower(rand.Text()[:8]) // 40 bits
	}
	a.byKey[key], a.byID[q.ID] = q, q
	a.announce()
	return q
}

func (a *approvalQueue) drop(q *ask) {
	delete(a.byKey, q.key)
	delete(a.byID, q.ID)
	if q.state == pending && !time.Now().Before(q.Expires) {
		a.expired = append(a.expired, q.Approval)
		a.expired = a.expired[max(len(a.expired)-maxDecisions, 0):]
	}
}

// restoreGrant returns a granted ask that was not used. If the same call has been made again meanwhile, the new
// ask is granted instead.
func (a *approvalQueue) restoreGrant(q ask) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if newer := a.byKey[q.key]; newer != nil {
		if newer.state == pending {
			a.recordDecision(newer, true, q.by, time.Now())
		}
		return
	}
	a.byKey[q.key], a.byID[q.ID] = &q, &q
}

// Pending returns the calls that wait for a decision, oldest first.
func (e *Engine) Pending() []Approval {
	a := &e.approvalQueue
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	var out []Approval
	for _, q := range a.byID {
		if q.state == pending && now.Before(q.Expires) {
			out = append(out, q.Approval)
		}
	}
	slices.SortFunc(out, func(x, y Approval) int {
		return cmp.Or(x.Asked.Compare(y.Asked), strings.Compare(x.ID, y.ID))
	})
	return out
}

// Awaited returns when the last call expires that waits for a decision, or for its caller to repeat it after
// one; zero if there is none. An engine that is replaced before that time loses those calls.
func (e *Engine) Awaited() time.Time {
	a := &e.approvalQueue
	a.mu.Lock()
	defer a.mu.Unlock()
	var last time.Time
	for _, q := range a.byID {
		if q.Expires.After(last) && time.Now().Before(q.Expires) {
			last = q.Expires
		}
	}
	return last
}

// Withdraw drops all calls of a caller that wait or have been decided. They need a new approval if they are
// repeated. A caller that is waiting learns when its time ends that there was no decision.
func (e *Engine) Withdraw(caller string) {
	a := &e.approvalQueue
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.byID {
		if q.Caller == caller {
			a.drop(q)
		}
	}
	a.decisions = slices.DeleteFunc(a.decisions, func(d Decision) bool { return d.Caller == caller })
	a.announce()
}

// Decide grants or denies the pending call id in the name of by, a caller's name. A granted call passes once;
// a denied one is refused until it expires. The first decision is final, and later ones get a
// [*DecidedError]. The error wraps [mcp.ErrInvalidArguments] if no call waits under id. A caller must not
// decide on its own call.
//
// Decide does not check whether by may decide at all; its caller has to.
func (e *Engine) Decide(id string, grant bool, by string) error {
	id = cleanID(id)
	if err := e.approvalQueue.decide(id, grant, by); err != nil {
		return err
	}
	if d, ok := e.Decision(id); ok {
		e.notifyDecision(d)
	}
	return nil
}

func (a *approvalQueue) decide(id string, grant bool, by string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	q := a.byID[id]
	first, is := a.findDecision(id)
	switch {
	case is:
		return &DecidedError{first.By, first.Granted}
	case q == nil || !now.Before(q.Expires):
		return fmt.Errorf("%w: no call waits for approval under that id; it may have been made or have expired", mcp.ErrInvalidArguments)
	case by == "":
		return fmt.Errorf("%w: the call does not say who decides", mcp.ErrInvalidArguments)
	case by == q.Caller:
		return forbidden("", "you cannot decide on your own call", "ask someone else to decide")
	}
	if q.state != pending { // its decision is no longer among the remembered ones
		return &DecidedError{q.by, q.state == granted}
	}
	a.recordDecision(q, grant, by, now)
	return nil
}
