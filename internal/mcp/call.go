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

// PermissionExternal is required for tools that declare no other permission, such as those of external
// servers.
const PermissionExternal = "external.call"

// Sources of tools that do not belong to an external server; see [Target].
const (
	SourceBuiltin  = "builtin"
	SourceWorkflow = "workflow"
)

// Target describes a tool for permission checks.
type Target struct {
	// Tool is the registered name.
	Tool string
	// Source is [SourceBuiltin], [SourceWorkflow] or the external server's name.
	Source string
	// Permission is required of the caller, such as "dice.roll". If empty, none is required, because
	// everything that the tool does goes through the caller's own door.
	Permission string
	ReadOnly   bool
	// Changes says that a call may change the game's world or its files. If an NPC makes it, it becomes a
	// proposal, see [Call.Proposed].
	Changes bool
	// Needs are the targets of the tools that this one calls. A caller must be permitted to call all of them.
	Needs []Target
}

// ChangesWorld reports whether a call of t, or of a tool it needs, may change the world.
func (t *Target) ChangesWorld() bool {
	return t.Changes || slices.ContainsFunc(t.Needs, func(n Target) bool { return n.ChangesWorld() })
}

// Call is one tool call on its way through the host.
type Call struct {
	Target
	Caller Caller
	// Args are the arguments as JSON text. They fit the tool's schema.
	Args string
	// Proposed says that the call must not run before it was granted. It then runs without its caller.
	Proposed bool
	// Admitted is set when the call has been admitted.
	Admitted bool
	// Approved is the decision that admitted the call, or nil if none was needed.
	Approved *Approved
}

// Approved is a decision on a call that waited for approval.
type Approved struct {
	// ID is the id under which the call waited.
	ID string
	// By is the name of the caller who decided; empty if there was no decision in time.
	By string
}

// Code is the kind of failure of a call, as reported to outside clients (docs/adr/0024).
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

// CodeOf returns the kind of err, or "" for nil.
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

// Failed is the public text of errors whose own text is internal.
const Failed = "the tool could not do it; the server's log says why"

// PublicError marks err as public: its text may be shown to the caller, because it contains no paths, addresses or
// other internals.
func PublicError(err error) error {
	if err == nil {
		return nil
	}
	return &publicError{err}
}

type publicError struct{ error }

func (t *publicError) Unwrap() error { return t.error }

// PublicText returns the text of err for an outside caller. For an internal error, it returns [Failed] and
// inside true. The text excludes the parts added by [Foreign] and [Private].
func PublicText(err error) (text string, inside bool) {
	if err == nil {
		return "", false
	}
	var public *publicError
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

// extended is an error with additional text that not every caller gets.
type extended struct {
	error
	more    error
	foreign bool // more is text from an external server
}

func (e *extended) Error() string   { return e.error.Error() + ": " + e.more.Error() }
func (e *extended) Unwrap() []error { return []error{e.error, e.more} }

// Foreign returns err with the text of an external server. That text is never presented as our own, but only
// in the content of the call's result; see [ForeignText].
func Foreign(err error, says string) error {
	return &extended{error: err, more: errors.New(says), foreign: true}
}

// Private returns err with its cause, which only the operator and NPCs see.
func Private(err, behind error) error { return &extended{error: err, more: behind} }

// ForeignText returns the text of an external server in err, or "".
func ForeignText(err error) string {
	if more, ok := errors.AsType[*extended](err); ok && more.foreign {
		return more.more.Error()
	}
	return ""
}

// Refusal is the reason why a call was not admitted. It matches [ErrBusy] if its code is capacity_exceeded,
// else [ErrNotAllowed].
type Refusal struct {
	Code Code
	// Rule is the name of the policy rule that refused, if any.
	Rule string
	// By names what refused if no rule did: "profile", "read_only", "limits", "tools", "tier" or "proposal".
	// It is only for records.
	By string
	// Reason describes the problem, and Hint the remedy.
	Reason, Hint string
	// RetryAfter is how long to wait before a retry; 0 if waiting does not help.
	RetryAfter time.Duration
	// Approval is the id under which the call waits for approval.
	Approval string
	// Until is when the call is dropped at the latest, whatever the decision; zero if it does not wait.
	Until time.Time
	// Decided is the decision that refused the call, if any. It is only for records.
	Decided *Approved
}

// Error returns the reason and the hint.
func (r *Refusal) Error() string {
	if r.Hint == "" {
		return r.Reason
	}
	return r.Reason + "; " + r.Hint
}

// Is reports which of the call errors the refusal matches.
func (r *Refusal) Is(target error) bool {
	if r.Code == CodeCapacityExceeded {
		return target == ErrBusy
	}
	return target == ErrNotAllowed
}

// ToolExecutor executes exactly the tools that a caller may use. Every call from one tool to another goes through the
// caller's door.
type ToolExecutor interface {
	// Execute runs one tool; see mcphost.Host.ExecuteTool for arguments and errors. It is safe for concurrent
	// use and returns when ctx ends.
	Execute(ctx context.Context, name, args string) (Result, error)
}

type (
	executorKey struct{}
	progressKey struct{}
	eventsKey   struct{}
	depthKey    struct{}
)

// WithExecutor returns a context in which tools call other tools through d.
func WithExecutor(ctx context.Context, d ToolExecutor) context.Context {
	return context.WithValue(ctx, executorKey{}, d)
}

// HasExecutor reports whether tools called with ctx may call others.
func HasExecutor(ctx context.Context) bool {
	d, _ := ctx.Value(executorKey{}).(ToolExecutor)
	return d != nil
}

// maxDepth bounds the nesting of tool calls.
const maxDepth = 4

// Through calls another tool through the caller's door. It refuses the call without a door, or if calls are
// nested too deep.
func Through(ctx context.Context, name, args string) (Result, error) {
	d, _ := ctx.Value(executorKey{}).(ToolExecutor)
	if d == nil {
		return Result{}, fmt.Errorf("calling %q: %w: nobody vouches for the call", name, ErrNotAllowed)
	}
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return Result{}, fmt.Errorf("calling %q: %w: tools call tools more than %d deep", name, ErrNotAllowed, maxDepth)
	}
	return d.Execute(context.WithValue(ctx, depthKey{}, depth+1), name, args)
}

// Nested reports whether ctx is that of a call that another tool makes, and whose result that tool processes.
func Nested(ctx context.Context) bool { return ctx.Value(depthKey{}) != nil }

// Progress reports the progress of a call. total is 0 if it is unknown.
type Progress func(done, total float64, message string)

// WithProgress returns a context whose call reports its progress to p, which must be safe for concurrent use.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// ProgressFrom returns the function to report progress to, or nil if there is none.
func ProgressFrom(ctx context.Context) Progress {
	p, _ := ctx.Value(progressKey{}).(Progress)
	return p
}

// Events collects the names of a call's events, such as "entity.moved". It is safe for concurrent use.
type Events struct {
	mu    sync.Mutex
	names []string
}

// maxEvents bounds the events of one call.
const maxEvents = 100

// Names returns the events in order.
func (e *Events) Names() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.names[:len(e.names):len(e.names)]
}

// WithEvents returns a context whose call collects its events in e.
func WithEvents(ctx context.Context, e *Events) context.Context {
	return context.WithValue(ctx, eventsKey{}, e)
}

// Emit records an event of the call, named "noun.verb". It does nothing if events are not collected.
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
