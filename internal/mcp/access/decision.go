package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// maxDecisions is how many of the latest decisions are remembered. Beyond it, the oldest is dropped.
const maxDecisions = maxPendingCalls

// Decision is a decision on a call that waited.
type Decision struct {
	Approval
	// By is the caller who decided, and Granted whether the call may pass.
	By      string
	Granted bool
	// Failed says why a granted proposal failed when it was run; empty if it did not or has not been run.
	Failed string
}

// DecidedError is returned by a second decision on the same call. It wraps [mcp.ErrInvalidArguments].
type DecidedError struct {
	// By is who decided first, and Granted is that decision.
	By      string
	Granted bool
}

// Unwrap returns [mcp.ErrInvalidArguments].
func (e *DecidedError) Unwrap() error { return mcp.ErrInvalidArguments }

func (e *DecidedError) Error() string {
	did := "denied"
	if e.Granted {
		did = "granted"
	}
	return fmt.Sprintf("%v: %s has %s this call already", mcp.ErrInvalidArguments, e.By, did)
}

// recordDecision decides on a pending ask. The decision is valid for as long as the ask could have waited. Callers
// hold a.mu.
func (a *approvalQueue) recordDecision(q *ask, grant bool, by string, now time.Time) {
	q.state = denied
	if grant {
		q.state = granted
	}
	q.by, q.Expires = by, now.Add(q.validFor)
	close(q.decided)
	a.decisions = append(a.decisions, Decision{Approval: q.Approval, By: by, Granted: grant})
	a.decisions = a.decisions[max(len(a.decisions)-maxDecisions, 0):]
	a.announce()
}

// announce signals that the set of waiting calls has changed. Callers hold a.mu.
func (a *approvalQueue) announce() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// findDecision returns the decision on a call. Callers hold a.mu.
func (a *approvalQueue) findDecision(id string) (Decision, bool) {
	i := slices.IndexFunc(a.decisions, func(d Decision) bool { return d.ID == id })
	if i < 0 {
		return Decision{}, false
	}
	return a.decisions[i], true
}

// Decision returns the decision on the call id, if it is among the latest 256, whether or not the call has
// been made since.
func (e *Engine) Decision(id string) (Decision, bool) {
	e.approvalQueue.mu.Lock()
	defer e.approvalQueue.mu.Unlock()
	return e.approvalQueue.findDecision(cleanID(id))
}

// RecordFailure records that the granted call id failed, for [Engine.Decision].
func (e *Engine) RecordFailure(id, why string) {
	a := &e.approvalQueue
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.decisions, func(d Decision) bool { return d.ID == cleanID(id) }); i >= 0 {
		a.decisions[i].Failed = why
	}
}

// OnDecision sets a function that is called with each decision. While [Engine.Run] runs, it is also called
// within a minute with each call that expired without a decision, with an empty By. Call OnDecision before
// any other method; tell must return quickly.
func (e *Engine) OnDecision(tell func(Decision)) { e.onDecision = tell }

func (e *Engine) notifyDecision(d Decision) {
	if e.onDecision != nil {
		e.onDecision(d)
	}
}

// notifyExpired reports the calls that expired without a decision.
func (e *Engine) notifyExpired() {
	for _, a := range e.approvalQueue.popExpired() {
		e.notifyDecision(Decision{Approval: a})
	}
}

// popExpired drops and returns the calls that expired without a decision.
func (a *approvalQueue) popExpired() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for _, q := range a.byID {
		if q.state == pending && !now.Before(q.Expires) {
			a.drop(q)
		}
	}
	lapsed := a.expired
	a.expired = nil
	return lapsed
}

// isEmpty reports whether no call waits and none remains to be reported.
func (a *approvalQueue) isEmpty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.byID)+len(a.expired) == 0
}

// PendingChanged returns a channel that is closed when a call starts to wait, or stops waiting because it was
// decided on or withdrawn. Expiry does not close it; see [Approval.Expires]. Get the channel before calling
// [Engine.Pending], wait for it, and repeat.
func (e *Engine) PendingChanged() <-chan struct{} {
	e.approvalQueue.mu.Lock()
	defer e.approvalQueue.mu.Unlock()
	return e.approvalQueue.changed
}

// cleanID normalises an id that was typed.
func cleanID(typed string) string { return strings.ToLower(strings.TrimSpace(typed)) }
