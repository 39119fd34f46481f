package mcpserver

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// refusedError is an error of something that its caller may not have. The caller is told
// told, which may hide that it exists; why is for the record.
type refusedError struct {
	told error
	why  *mcp.Refusal
}

func (e *refusedError) Error() string { return e.told.Error() }

func (e *refusedError) Unwrap() error { return e.told }

// refused marks err as a refusal if it is one.
func refused(err error) error {
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		return &refusedError{told: err, why: why}
	}
	return err
}

// notHere is why what somebody asked for is not found.
func notHere(reason string) *mcp.Refusal {
	return &mcp.Refusal{Code: mcp.CodeNotFound, Reason: reason}
}

// recordUnseen has the gate record that the subject of ctx named a tool, by its outward
// or its registered name, that it does not see: refused by what hides it, or not found.
// Its caller is told neither, nor of an event.
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

// findHidden returns the tool behind a name, whoever may see it.
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

// recordRefusal has the gate record a call that never reached it. The events that its
// caller is told leave it out: they would tell what is hidden from what is not there.
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

// recordRequest has the gate record that the subject of ctx is refused what is no call.
func (d *dispatcher) recordRequest(ctx context.Context, what string, why *mcp.Refusal) {
	d.recordRefusal(ctx, mcp.Target{Tool: untrusted.Line(what, 200), Source: sourceServer, ReadOnly: true}, "", why)
}

// chargeRequest takes one call from the budget of the subject of ctx, for a request that
// is no call, or says why not, which is recorded.
func (d *dispatcher) chargeRequest(ctx context.Context, what string) error {
	err := d.policy.Charge(ctx)
	if why, ok := errors.AsType[*mcp.Refusal](err); ok {
		d.recordRequest(ctx, what, why)
	}
	return err
}
