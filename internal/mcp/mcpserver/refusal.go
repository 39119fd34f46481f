package mcpserver

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// refusedError is the error for something that its caller may not have. The caller gets told, which may hide
// that the thing exists; why is for the audit record.
type refusedError struct {
	shown error
	why   *mcp.Refusal
}

func (e *refusedError) Error() string { return e.shown.Error() }

func (e *refusedError) Unwrap() error { return e.shown }

// refused marks err as a refusal if it wraps a [mcp.Refusal].
func refused(err error) error {
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		return &refusedError{shown: err, why: why}
	}
	return err
}

// notHere is the refusal of a request for something that does not exist.
func notHere(reason string) *mcp.Refusal {
	return &mcp.Refusal{Code: mcp.CodeNotFound, Reason: reason}
}

// recordUnseen records that the subject of ctx named a tool, by its outward or registered name, that it
// cannot see. The record has the rule that hides the tool, or says that there is no such tool. The caller
// sees neither, and no event.
func (d *dispatcher) recordUnseen(ctx context.Context, name, args string) {
	target, why := mcp.Target{Tool: untrusted.Line(name, 200), Source: sourceServer}, notHere("there is no such tool")
	if t, ok := d.findHidden(name); ok {
		target, why = t, notHere("it is not to be called directly here")
		if no, ok := errors.AsType[*mcp.Refusal](d.policy.Permits(ctx, t)); ok {
			why = no
		}
	}
	d.recordRefusal(ctx, target, args, why)
}

// findHidden returns the tool with a name, without a permission check.
func (d *dispatcher) findHidden(name string) (mcp.Target, bool) {
	if own, ok := d.ownNamed(name); ok {
		return own.target(), true
	}
	for _, n := range []string{d.registeredName(name), name} {
		if t, ok := d.host.Registered(n); ok {
			return t.Target, true
		}
	}
	return mcp.Target{}, false
}

// recordRefusal records a call that never reached the gate. The caller's events leave it out, because they
// would distinguish hidden tools from missing ones.
func (d *dispatcher) recordRefusal(ctx context.Context, t mcp.Target, args string, why *mcp.Refusal) {
	subject := access.SubjectFrom(ctx)
	if d.gate == nil || subject == nil {
		return
	}
	if args == "" {
		args = "{}"
	}
	c := &mcp.Call{Target: t, Caller: subject.Caller(), Args: args}
	d.gate.Record(mcp.WithEvents(ctx, nil), c, mcp.Result{}, why)
}

// recordRequest records the refusal of a request of the subject of ctx that is not a call.
func (d *dispatcher) recordRequest(ctx context.Context, what string, why *mcp.Refusal) {
	d.recordRefusal(ctx, mcp.Target{Tool: untrusted.Line(what, 200), Source: sourceServer, ReadOnly: true}, "", why)
}

// chargeRequest charges the budget of the subject of ctx for a request that is not a call. It records and
// returns a refusal if the budget is exhausted.
func (d *dispatcher) chargeRequest(ctx context.Context, what string) error {
	err := d.policy.Charge(ctx)
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		d.recordRequest(ctx, what, why)
	}
	return err
}
