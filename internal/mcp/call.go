package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// PermissionExternal is what it takes to call a tool that says nothing else of
// itself, as those of external servers do.
const PermissionExternal = "external.call"

// Sources of tools that are no external server's; see [Target].
const (
	SourceBuiltin  = "builtin"
	SourceWorkflow = "workflow"
)

// Target is a tool as a decision about rights sees it.
type Target struct {
	// Tool is the registered name.
	Tool string
	// Source is [SourceBuiltin], [SourceWorkflow] or the external server's name.
	Source string
	// Permission is what a caller needs, such as "dice.roll"; empty needs none,
	// because whatever the tool does goes through the caller's own door.
	Permission string
	ReadOnly   bool
	// Changes says that a call may change the game's world or its files: of an NPC it
	// is a proposal, see [Call.Proposed].
	Changes bool
	// Needs are the targets of the tools that this one calls; it is of use only
	// to who may call them all.
	Needs []Target
}

// ChangesWorld reports whether a call of t, or of what it needs, may change the world.
func (t *Target) ChangesWorld() bool {
	return t.Changes || slices.ContainsFunc(t.Needs, func(n Target) bool { return n.ChangesWorld() })
}

// Call is one call of a tool on its way through the host.
type Call struct {
	Target
	Caller Caller
	// Args is the JSON text of the arguments; it fits the tool's schema.
	Args string
	// Proposed says that it is not to be made before somebody has agreed, and is made
	// then without its caller.
	Proposed bool
	// Admitted is set once the call was let through.
	Admitted bool
	// Approved is the decision that let the call through; nil if it took none.
	Approved *Approved
}

// Approved is a decision on a call that waited for approval.
type Approved struct {
	// ID is the id under which the call waited.
	ID string
	// By is the name of the caller who decided; empty if nobody did in time.
	By string
}

// Code is the kind of a failed call, as outside clients are told
// (docs/adr/0012).
type Code string

// The codes.
const (
	CodeNotFound         Code = "not_found"
	CodeInvalidInput     Code = "invalid_input"
	CodeForbidden        Code = "forbidden"
	CodeHandlerError     Code = "handler_error"
	CodeCapacityExceeded Code = "capacity_exceeded"
	CodeTimeout          Code = "timeout"
	CodeUnavailable      Code = "unavailable"
	CodePendingApproval  Code = "pending_approval"
	CodeCancelled        Code = "cancelled"
)

// CodeOf returns the kind of err, empty for nil.
func CodeOf(err error) Code {
	var refused *Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Code
	case errors.Is(err, ErrUnknownTool):
		return CodeNotFound
	case errors.Is(err, ErrInvalidArguments):
		return CodeInvalidInput
	case errors.Is(err, ErrNotAllowed):
		return CodeForbidden
	case errors.Is(err, ErrBusy):
		return CodeCapacityExceeded
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return CodeTimeout
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed):
		return CodeUnavailable
	case errors.Is(err, context.Canceled):
		return CodeCancelled
	}
	return CodeHandlerError
}

// Failed is the text of every error whose own is not meant for outside.
const Failed = "the tool could not do it; the server's log says why"

// Told marks err as one whose text is meant for whoever called: it names no
// path, no address and nothing else of the inside.
func Told(err error) error {
	if err == nil {
		return nil
	}
	return &told{err}
}

type told struct{ error }

func (t *told) Unwrap() error { return t.error }

// Telling returns what an outside caller may be told of err: its text, or
// [Failed] if it is an error of the inside, which inside reports. What others said of
// it, or only the operator is to know, is left out; see [Foreign] and [Private].
func Telling(err error) (text string, inside bool) {
	if err == nil {
		return "", false
	}
	var public *told
	if CodeOf(err) == CodeHandlerError && !errors.As(err, &public) && !errors.Is(err, ErrPanicked) {
		return Failed, true
	}
	text = err.Error()
	if more, ok := errors.AsType[*extended](err); ok {
		var whole bool
		if text, whole = strings.CutSuffix(text, ": "+more.more.Error()); !whole {
			text = more.error.Error()
		}
	}
	return text, false
}

// extended is an error with more of it than every caller is told.
type extended struct {
	error
	more    error
	foreign bool // more is what an external server said
}

func (e *extended) Error() string   { return e.error.Error() + ": " + e.more.Error() }
func (e *extended) Unwrap() []error { return []error{e.error, e.more} }

// Foreign returns err with what an external server said of it. That is never told as our
// own words, but as the content of the call's result; see [ForeignText].
func Foreign(err error, says string) error {
	return &extended{error: err, more: errors.New(says), foreign: true}
}

// Private returns err with what is behind it, which only the operator and the NPCs learn.
func Private(err, behind error) error { return &extended{error: err, more: behind} }

// ForeignText returns what an external server said of err; empty if it said nothing.
func ForeignText(err error) string {
	if more, ok := errors.AsType[*extended](err); ok && more.foreign {
		return more.more.Error()
	}
	return ""
}

// Refusal is why a call was not let through. It is [ErrBusy] if its code is
// capacity_exceeded, else [ErrNotAllowed].
type Refusal struct {
	Code Code
	// Rule is the name of the policy rule that refused, empty if it was none.
	Rule string
	// By is what refused where no rule did: "profile", "read_only", "limits", "tools",
	// "tier" or "proposal". It is for records alone.
	By string
	// Reason says what is wrong, Hint what to do.
	Reason, Hint string
	// RetryAfter is how long to wait before it is worth trying again; 0 if
	// waiting does not help.
	RetryAfter time.Duration
	// Approval is the id under which the call waits for approval.
	Approval string
	// Until is when the call is forgotten at the latest, whatever is decided; zero if it
	// does not wait.
	Until time.Time
	// Decided is the decision that refused, nil if it was none. It is for records alone.
	Decided *Approved
}

// Error says what is wrong and what to do.
func (r *Refusal) Error() string {
	if r.Hint == "" {
		return r.Reason
	}
	return r.Reason + "; " + r.Hint
}

// Is reports which of the call errors this is.
func (r *Refusal) Is(target error) bool {
	if r.Code == CodeCapacityExceeded {
		return target == ErrBusy
	}
	return target == ErrNotAllowed
}

// Door is the way to the tools a caller may use, and to no other: every call
// that a tool makes of another goes through its caller's door.
type Door interface {
	// Execute runs one tool; see Host.ExecuteTool for arguments and errors. It
	// is safe for concurrent use and returns once ctx is done.
	Execute(ctx context.Context, name, args string) (Result, error)
}

type (
	doorKey     struct{}
	progressKey struct{}
	eventsKey   struct{}
	depthKey    struct{}
)

// WithDoor returns a context in which tools call others through d.
func WithDoor(ctx context.Context, d Door) context.Context {
	return context.WithValue(ctx, doorKey{}, d)
}

// HasDoor reports whether tools called with ctx may call others.
func HasDoor(ctx context.Context) bool {
	d, _ := ctx.Value(doorKey{}).(Door)
	return d != nil
}

// maxDepth bounds tools that call tools.
const maxDepth = 4

// Through calls another tool through the caller's door. Without a door, and
// too deep in calls of calls, it refuses.
func Through(ctx context.Context, name, args string) (Result, error) {
	d, _ := ctx.Value(doorKey{}).(Door)
	if d == nil {
		return Result{}, fmt.Errorf("calling %q: %w: nobody vouches for the call", name, ErrNotAllowed)
	}
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return Result{}, fmt.Errorf("calling %q: %w: tools call tools more than %d deep", name, ErrNotAllowed, maxDepth)
	}
	return d.Execute(context.WithValue(ctx, depthKey{}, depth+1), name, args)
}

// Progress reports how far a call has come: done of total, where total is 0 if
// nobody knows.
type Progress func(done, total float64, message string)

// WithProgress returns a context whose call reports its progress to p, which
// must be safe for concurrent use.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// ProgressFrom returns where progress is reported, nil if nobody asked.
func ProgressFrom(ctx context.Context) Progress {
	p, _ := ctx.Value(progressKey{}).(Progress)
	return p
}

// Events collects the names of what a call caused, such as "entity.moved". It
// is safe for concurrent use.
type Events struct {
	mu    sync.Mutex
	names []string
}

// maxEvents bounds the events remembered of one call.
const maxEvents = 100

// Names returns what was emitted, in order.
func (e *Events) Names() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.names[:len(e.names):len(e.names)]
}

// WithEvents returns a context whose call collects its events in e.
func WithEvents(ctx context.Context, e *Events) context.Context {
	return context.WithValue(ctx, eventsKey{}, e)
}

// Emit notes that the call caused name, a "noun.verb". Where nobody collects
// events it does nothing.
func Emit(ctx context.Context, name string) {
	e, _ := ctx.Value(eventsKey{}).(*Events)
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.names) < maxEvents {
		e.names = append(e.names, name)
	}
}
