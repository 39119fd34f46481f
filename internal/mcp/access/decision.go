package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// maxDecisions is how many of the latest decisions are known. The oldest gives way.
const maxDecisions = maxAsks

// Decision is what somebody decided on a call that waited.
type Decision struct {
	Approval
	// By is the caller who decided, and Granted whether the call may pass.
	By      string
	Granted bool
	// Failed is why a proposed call that was granted could not be made; empty while that
	// is not known.
	Failed string
}

// DecidedError is returned to who decides on a call that somebody has decided on
// before. It wraps [mcp.ErrInvalidArguments].
type DecidedError struct {
	// By is who was first, and Granted what that one decided.
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

// settle decides on a pending ask. The decision holds as long as the ask might have
// waited. The caller holds a.mu.
func (a *asks) settle(q *ask, grant bool, by string, now time.Time) {
	q.state = denied
	if grant {
		q.state = granted
	}
	q.by, q.Expires = by, now.Add(q.keep)
	close(q.decided)
	a.made = append(a.made, Decision{Approval: q.Approval, By: by, Granted: grant})
	a.made = a.made[max(len(a.made)-maxDecisions, 0):]
	a.announce()
}

// announce tells that other calls wait than before. The caller holds a.mu.
func (a *asks) announce() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// findDecision returns the decision on a call. The caller holds a.mu.
func (a *asks) findDecision(id string) (Decision, bool) {
	i := slices.IndexFunc(a.made, func(d Decision) bool { return d.ID == id })
	if i < 0 {
		return Decision{}, false
	}
	return a.made[i], true
}

// Decision returns what was decided on the call id, and whether anything was: of the
// latest 256 decisions, whether the call was made since or not.
func (e *Engine) Decision(id string) (Decision, bool) {
	e.asks.mu.Lock()
	defer e.asks.mu.Unlock()
	return e.asks.findDecision(cleanID(id))
}

// NoteFailed has [Engine.Decision] tell that the call id could not be made after all.
func (e *Engine) NoteFailed(id, why string) {
	a := &e.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.made, func(d Decision) bool { return d.ID == cleanID(id) }); i >= 0 {
		a.made[i].Failed = why
	}
}

// OnDecision has tell called with each decision, and with each call that nobody decided
// on in time, By being empty then, within a minute while [Engine.Run] runs. It is set
// before anything else is asked of e; tell must return soon.
func (e *Engine) OnDecision(tell func(Decision)) { e.onDecision = tell }

func (e *Engine) tellDecision(d Decision) {
	if e.onDecision != nil {
		e.onDecision(d)
	}
}

// tellLapsed tells of the calls that nobody decided on in time.
func (e *Engine) tellLapsed() {
	for _, a := range e.asks.takeLapsed() {
		e.tellDecision(Decision{Approval: a})
	}
}

// takeLapsed drops the calls nobody decided on in time, and returns them.
func (a *asks) takeLapsed() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for _, q := range a.byID {
		if q.state == pending && !now.Before(q.Expires) {
			a.drop(q)
		}
	}
	lapsed := a.lapsed
	a.lapsed = nil
	return lapsed
}

// isEmpty reports whether no call waits for anything, and nothing is to be told of one.
func (a *asks) isEmpty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.byID)+len(a.lapsed) == 0
}

// PendingChanged returns a channel that is closed when a call begins to wait, or does not
// wait any more because somebody decided on it or it was withdrawn. Nothing is told of a
// call whose time is over: [Approval.Expires] says when that is. Take the channel before
// [Engine.Pending], wait for it, and begin again.
func (e *Engine) PendingChanged() <-chan struct{} {
	e.asks.mu.Lock()
	defer e.asks.mu.Unlock()
	return e.asks.changed
}

// cleanID is an id as it was given, from one that was typed.
func cleanID(typed string) string { return strings.ToLower(strings.TrimSpace(typed)) }
