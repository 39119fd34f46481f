package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// maxStuck bounds the abandoned handlers of one tool that still run after their deadline.
const maxStuck = 8

// ExecuteTool runs a tool of any tier with full rights. NPCs and other restricted callers use a [Toolset].
//
// args is a JSON object; empty text and null count as {}. The error wraps [mcp.ErrUnknownTool],
// [mcp.ErrInvalidArguments], [mcp.ErrTimeout], [mcp.ErrUnavailable], [mcp.ErrPanicked] or the handler's
// error. If an external tool itself reports a failure, ExecuteTool returns a result with IsError and no
// error.
func (h *Host) ExecuteTool(ctx context.Context, name, args string) (mcp.Result, error) {
	e := h.snap.Load().lookup(name)
	if e == nil {
		return mcp.Result{}, h.missingError(name)
	}
	if e.Composite && !mcp.HasExecutor(ctx) {
		ctx = mcp.WithExecutor(ctx, h.executor)
	}
	return h.call(ctx, e, args, false)
}

// Everything returns the operator's door, which executes every tool, like ExecuteTool.
func (h *Host) Everything() mcp.ToolExecutor { return h.executor }

// executorFunc adapts a function to [mcp.Door].
type executorFunc func(ctx context.Context, name, args string) (mcp.Result, error)

func (f executorFunc) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	return f(ctx, name, args)
}

func (h *Host) missingError(name string) error {
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return fmt.Errorf("calling %q: %w", name, mcp.ErrClosed)
	}
	return fmt.Errorf("calling %q: %w", name, mcp.ErrUnknownTool)
}

// call runs every tool call of every caller. It validates the arguments, asks the gate, calls the tool under
// a deadline, measures the call, and reports the outcome to the gate. proposed is [mcp.Call].Proposed.
func (h *Host) call(ctx context.Context, e *entry, args string, proposed bool) (res mcp.Result, err error) {
	if args == "" || args == "null" {
		args = "{}"
	}
	if args, err = e.input.FitArguments(args); err != nil {
		err = fmt.Errorf("calling %q: %w", e.def.Name, err)
	}
	ctx, span := tracing.StartTool(ctx, e.def.Name)
	if h.opts.gate != nil {
		c := &mcp.Call{Target: e.target, Caller: mcp.CallerFrom(ctx), Args: args, Proposed: proposed}
		res, err = h.callThroughGate(ctx, e, c, err)
	} else if err == nil {
		res, err = h.callAdmitted(ctx, e, args)
	}
	if span != nil {
		span.End(failureOf(res, err))
	}
	return res, err
}

// failureOf returns the code of a call's failure for a trace, or "" if the call succeeded.
func failureOf(res mcp.Result, err error) string {
	switch {
	case err != nil:
		return string(mcp.CodeOf(err))
	case res.IsError:
		return tracing.ToolError
	}
	return ""
}

// callThroughGate asks the gate before a call and reports the outcome to it. invalid is the error in the
// arguments, if any; the gate records those calls too.
func (h *Host) callThroughGate(ctx context.Context, e *entry, c *mcp.Call, invalid error) (res mcp.Result, err error) {
	start := time.Now()
	if err = invalid; err == nil {
		if err = h.opts.gate.Admit(ctx, c); err != nil {
			err = fmt.Errorf("calling %q: %w", e.def.Name, err)
		}
	}
	if err == nil {
		c.Admitted = true
		res, err = h.callAdmitted(ctx, e, c.Args)
	} else {
		res.Duration = time.Since(start)
	}
	h.opts.gate.Record(ctx, c, res, err)
	return res, err
}

// callAdmitted runs an admitted call or returns its cached result. Inline tools skip the cache, because they
// are faster than a look-up.
func (h *Host) callAdmitted(ctx context.Context, e *entry, args string) (mcp.Result, error) {
	if e.def.CacheableSeconds > 0 && !e.Inline {
		return h.callThroughCache(ctx, e, args)
	}
	return h.callWithRetry(ctx, e, args)
}

// callWithRetry calls a tool. If an idempotent tool fails in a way that may be temporary and there is enough
// time left, it calls the tool once more. It never repeats a call of any other tool, because a lost call may
// have taken effect.
func (h *Host) callWithRetry(ctx context.Context, e *entry, args string) (mcp.Result, error) {
	if e.Prepare != nil {
		e.Prepare()
	}
	res, err := h.callMeasured(ctx, e, args, nil)
	if err == nil || !e.Definition.Idempotent || !temporary(err) || !fitsInTime(ctx, e.tool) {
		return res, err
	}
	if e.remote != nil && errors.Is(err, mcp.ErrUnavailable) && !e.remote.Server.AwaitReturn(ctx, err) {
		return res, err
	}
	first := res.Duration
	res, err = h.callMeasured(ctx, e, args, nil)
	res.Duration += first
	return res, err
}

// temporary reports whether a second call may succeed. A time-out is not temporary, because it leaves no time
// for a second call.
func temporary(err error) bool {
	for _, lasting := range []error{
		mcp.ErrInvalidArguments, mcp.ErrTimeout, mcp.ErrPanicked, mcp.ErrClosed, mcp.ErrBusy, context.Canceled, ErrMisfit, ErrNotSent,
	} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	return true
}

// fitsInTime reports whether a call of the tool is likely to end before ctx does.
func fitsInTime(ctx context.Context, t *tool) bool {
	if ctx.Err() != nil {
		return false
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return true
	}
	latency := t.expectedLatency()
	if m := t.measure(); m.Successes > 0 {
		latency = m.P50
	}
	return time.Until(deadline) > latency
}

// callMeasured calls a tool once, records the call, and updates the tool's health and tier. If ignore returns
// true for the outcome, the call is not recorded.
func (h *Host) callMeasured(ctx context.Context, e *entry, args string, ignore func(mcp.Result, error) bool) (mcp.Result, error) {
	start := time.Now()
	res, err := h.callOnce(ctx, e.tool, args)
	if e.remote == nil {
		res = cleanResult(res)
	}
	res.Duration = time.Since(start)
	if err != nil {
		err = fmt.Errorf("calling %q: %w", e.def.Name, err)
	}
	if ignore != nil && ignore(res, err) {
		return res, err
	}
	if counts, ok := h.classifyOutcome(ctx, e.tool, res, err); counts {
		if ok && e.longestTimeout.Load() != 0 {
			e.longestTimeout.Store(0)
		}
		h.reviewHealth(e.tool, e.record(res.Duration, ok))
	}
	return res, err
}

// classifyOutcome reports whether a call counts towards the tool's health, and whether it succeeded. Rejected
// arguments, a server that is down or asks for a pause, and calls cancelled by the caller do not count. A
// call that the caller's deadline ended counts as failed only if the tool had as much time as its tier
// promises.
func (h *Host) classifyOutcome(ctx context.Context, t *tool, res mcp.Result, err error) (counts, ok bool) {
	switch {
	case err == nil:
		return true, !res.IsError
	case errors.Is(err, mcp.ErrInvalidArguments), errors.Is(err, mcp.ErrBusy), errors.Is(err, ErrNotSent):
		return false, false
	case t.Composite && (errors.Is(err, mcp.ErrNotAllowed) || errors.Is(err, mcp.ErrUnknownTool)):
		return false, false // the caller may not use the tools it calls
	case errors.Is(err, mcp.ErrTimeout):
		t.recordTimeout(res.Duration)
		promised := t.deadline
		if tier := t.listedTier.Load(); int(tier) < len(h.opts.ceilings) {
			promised = min(promised, h.opts.ceilings[tier])
		}
		return res.Duration >= promised, false
	case ctx.Err() != nil:
		return false, false
	}
	return true, false
}

// callOnce calls a tool within its deadline.
func (h *Host) callOnce(ctx context.Context, t *tool, args string) (mcp.Result, error) {
	if err := ctx.Err(); err != nil {
		return mcp.Result{}, contextCause(ctx, err)
	}
	if t.remote == nil && t.Inline {
		return h.invokeHandler(ctx, t, args)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.deadline, mcp.ErrTimeout)
	defer cancel()
	if t.remote != nil {
		res, err := t.remote.Call(ctx, cancel, args)
		if errors.Is(err, ErrGivenUp) {
			return res, err // the server's supervisor ended ctx, not the caller
		}
		return res, contextCause(ctx, err)
	}
	return h.callHandler(ctx, t, args)
}

// callHandler runs a handler on a goroutine of its own and abandons it when ctx ends. It refuses the call
// while maxStuck abandoned handlers of the tool still run.
func (h *Host) callHandler(ctx context.Context, t *tool, args string) (mcp.Result, error) {
	if t.stuck.Load() >= maxStuck {
		return mcp.Result{}, fmt.Errorf("%w: %d earlier calls still hang", mcp.ErrUnavailable, maxStuck)
	}
	type outcome struct {
		res mcp.Result
		err error
	}
	if !h.running.begin() {
		return mcp.Result{}, mcp.ErrClosed
	}
	const finished, abandoned = 1, 2
	done := make(chan outcome, 1)
	var ending atomic.Int32 // finished or abandoned, whichever comes first
	go func() {             // Close waits for it through running
		defer h.running.end()
		res, err := h.invokeHandler(ctx, t, args)
		done <- outcome{res, err}
		if !ending.CompareAndSwap(0, finished) {
			t.stuck.Add(-1)
		}
	}()
	select {
	case o := <-done:
		return o.res, contextCause(ctx, o.err)
	case <-ctx.Done():
	}
	if !ending.CompareAndSwap(0, abandoned) { // it finished in the same moment
		o := <-done
		return o.res, contextCause(ctx, o.err)
	}
	t.stuck.Add(1)
	return mcp.Result{}, contextCause(ctx, ctx.Err())
}

// contextCause returns the reason why ctx ended if that made the call fail. Otherwise it returns err.
func contextCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return fmt.Errorf("%w: the caller's time is up", mcp.ErrTimeout)
}

// invokeHandler calls the handler and converts a panic to [mcp.ErrPanicked].
func (h *Host) invokeHandler(ctx context.Context, t *tool, args string) (res mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.opts.log.LogAttrs(ctx, slog.LevelError, "tool panicked", slog.String("tool", t.Definition.Name),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			res, err = mcp.Result{}, mcp.ErrPanicked
		}
	}()
	if t.Respond != nil {
		return t.Respond(ctx, args)
	}
	res.Text, err = t.Handler(ctx, args)
	return res, err
}
