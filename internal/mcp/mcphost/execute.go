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
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
	"github.com/MrWong99/glyphoxa/internal/tracing"
)

// ExecuteTool runs a tool with full rights, whatever its tier. NPCs and other
// restricted callers use a [Toolset].
//
// args is a JSON object; empty text and null count as {}. The error wraps
// [mcp.ErrUnknownTool], [mcp.ErrInvalidArguments], [mcp.ErrTimeout],
// [mcp.ErrUnavailable], [mcp.ErrPanicked] or what the handler returned. A
// failure that an external tool reports itself is no error but a result with
// IsError.
func (h *Host) ExecuteTool(ctx context.Context, name, args string) (mcp.Result, error) {
	e := h.snap.Load().lookup(name)
	if e == nil {
		return mcp.Result{}, h.missingError(name)
	}
	if e.Composite && !mcp.HasDoor(ctx) {
		ctx = mcp.WithDoor(ctx, h.Everything())
	}
	return pipeline{h}.runCall(ctx, e, args, false)
}

// Everything is the operator's door: it leads to every tool.
func (h *Host) Everything() mcp.Door { return everything{h} }

type everything struct{ host *Host }

func (d everything) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	return d.host.ExecuteTool(ctx, name, args)
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

// pipeline is the one road of every call to its tool.
type pipeline struct{ host *Host }

// runCall is the one way a tool is called: validate, ask the gate, call under a
// deadline, measure, tell the gate. proposed is as in [mcp.Call].
func (pl pipeline) runCall(ctx context.Context, e *entry, args string, proposed bool) (mcp.Result, error) {
	if args == "" || args == "null" {
		args = "{}"
	}
	args, err := e.input.FitArguments(args)
	if err != nil {
		err = fmt.Errorf("calling %q: %w", e.def.Name, err)
	}
	ctx, span := tracing.StartTool(ctx, e.def.Name)
	res, err := pl.runFitted(ctx, e, args, proposed, err)
	if span != nil {
		span.End(failureOf(res, err))
	}
	return res, err
}

// failureOf is a word for how a call failed, empty if it did not.
func failureOf(res mcp.Result, err error) string {
	switch {
	case err != nil:
		return string(mcp.CodeOf(err))
	case res.IsError:
		return tracing.ToolError
	}
	return ""
}

// runFitted runs a call whose arguments fit; invalid is why they do not.
func (pl pipeline) runFitted(ctx context.Context, e *entry, args string, proposed bool, invalid error) (mcp.Result, error) {
	if pl.host.opts.gate == nil {
		if invalid != nil {
			return mcp.Result{}, invalid
		}
		return pl.callOrCached(ctx, e, args)
	}
	c := &mcp.Call{Target: e.target, Caller: mcp.CallerFrom(ctx), Args: args, Proposed: proposed}
	return pl.runGoverned(ctx, e, c, invalid)
}

// runGoverned asks the gate before a call and tells it afterwards. What was wrong
// with the arguments is told as well.
func (pl pipeline) runGoverned(ctx context.Context, e *entry, c *mcp.Call, invalid error) (res mcp.Result, err error) {
	start := time.Now()
	if err = invalid; err == nil {
		if err = pl.host.opts.gate.Admit(ctx, c); err != nil {
			err = fmt.Errorf("calling %q: %w", e.def.Name, err)
		}
	}
	if err == nil {
		c.Admitted = true
		res, err = pl.callOrCached(ctx, e, c.Args)
	} else {
		res.Duration = time.Since(start)
	}
	pl.host.opts.gate.Settle(ctx, c, res, err)
	return res, err
}

// callOrCached runs an admitted call, or takes its result from the cache.
func (pl pipeline) callOrCached(ctx context.Context, e *entry, args string) (mcp.Result, error) {
	if e.def.CacheableSeconds > 0 && !e.Inline { // an inline tool is faster than the cache
		return pl.callThroughCache(ctx, e, args)
	}
	return pl.callWithRetry(ctx, e, args)
}

// callWithRetry calls a tool, and once more if it is idempotent, failed for a passing
// reason and a second call still fits into the caller's time. Any other call is
// made once: whether a lost one was carried out nobody knows.
func (pl pipeline) callWithRetry(ctx context.Context, e *entry, args string) (mcp.Result, error) {
	if e.tool.Prepare != nil {
		e.tool.Prepare()
	}
	res, err := measurer(pl).callMeasured(ctx, e, args, nil)
	if err == nil || !e.Definition.Idempotent || !passing(err) || !pl.fitsInTime(ctx, e.tool) {
		return res, err
	}
	if e.remote != nil && errors.Is(err, mcp.ErrUnavailable) && !e.remote.Server.AwaitReturn(ctx, err) {
		return res, err
	}
	first := res.Duration
	res, err = measurer(pl).callMeasured(ctx, e, args, nil)
	res.Duration += first
	return res, err
}

// passing reports whether an error may be gone at the next call. A time-out is
// not: there is no time left.
func passing(err error) bool {
	for _, lasting := range []error{
		mcp.ErrInvalidArguments, mcp.ErrTimeout, mcp.ErrPanicked, mcp.ErrClosed, mcp.ErrBusy, context.Canceled, upstream.ErrMisfit, upstream.ErrNotSent,
	} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	return true
}

// fitsInTime reports whether a call of the tool is likely to end within ctx.
func (pl pipeline) fitsInTime(ctx context.Context, t *tool) bool {
	if ctx.Err() != nil {
		return false
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return true
	}
	expected := t.expected()
	if m := t.measure(); m.Successes > 0 {
		expected = m.P50
	}
	return time.Until(deadline) > expected
}

// callMeasured calls a tool, records the call and draws the consequences. A result
// that ignore accepts is not recorded.
func (c measurer) callMeasured(ctx context.Context, e *entry, args string, ignore func(mcp.Result, error) bool) (mcp.Result, error) {
	start := time.Now()
	res, err := pipeline(c).callOnce(ctx, e.tool, args)
	res.Duration = time.Since(start)
	if err != nil {
		err = fmt.Errorf("calling %q: %w", e.def.Name, err)
	}
	if ignore != nil && ignore(res, err) {
		return res, err
	}
	if counts, ok := c.judgeOutcome(ctx, e.tool, res, err); counts {
		if ok && e.tool.late.Load() != 0 {
			e.tool.late.Store(0)
		}
		c.reviewHealth(e.tool, e.tool.record(res.Duration, ok))
	}
	return res, err
}

// judgeOutcome reports whether a call says something about the tool's health, and
// what. Rejected arguments, a server that is down or asks for a pause, and
// calls the caller gave up say nothing; a call the caller's deadline cut short
// counts as failed only if the tool had the time its tier promises.
func (c measurer) judgeOutcome(ctx context.Context, t *tool, res mcp.Result, err error) (counts, ok bool) {
	switch {
	case err == nil:
		return true, !res.IsError
	case errors.Is(err, mcp.ErrInvalidArguments), errors.Is(err, mcp.ErrBusy), errors.Is(err, upstream.ErrNotSent):
		return false, false
	case t.Composite && (errors.Is(err, mcp.ErrNotAllowed) || errors.Is(err, mcp.ErrUnknownTool)):
		return false, false // its caller may not call what it is made of
	case errors.Is(err, mcp.ErrTimeout):
		t.overdue(res.Duration)
		promised := t.deadline
		if tier := t.listed.Load(); int(tier) < len(c.host.opts.ceilings) {
			promised = min(promised, c.host.opts.ceilings[tier])
		}
		return res.Duration >= promised, false
	case ctx.Err() != nil:
		return false, false
	}
	return true, false
}

func (pl pipeline) callOnce(ctx context.Context, t *tool, args string) (mcp.Result, error) {
	if err := ctx.Err(); err != nil {
		return mcp.Result{}, inTime(ctx, err)
	}
	if t.remote == nil && t.Inline {
		return pl.invokeHandler(ctx, t, args)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.deadline, mcp.ErrTimeout)
	defer cancel()
	if t.remote != nil {
		res, err := t.remote.Call(ctx, cancel, args)
		if errors.Is(err, upstream.ErrGivenUp) {
			return res, err // it was us who ended ctx
		}
		return res, inTime(ctx, err)
	}
	return pl.callGuarded(ctx, t, args)
}

// callGuarded runs a handler on a goroutine of its own and leaves it behind when
// the deadline passes. Handlers left behind are bounded per tool.
func (pl pipeline) callGuarded(ctx context.Context, t *tool, args string) (mcp.Result, error) {
	if t.stuck.Load() >= maxStuck {
		return mcp.Result{}, fmt.Errorf("%w: %d earlier calls still hang", mcp.ErrUnavailable, maxStuck)
	}
	type outcome struct {
		res mcp.Result
		err error
	}
	if !pl.host.calls.begin() {
		return mcp.Result{}, mcp.ErrClosed
	}
	done := make(chan outcome, 1)
	var left atomic.Int32 // who left first: the handler (1) or the caller (2)
	go func() {           // Close waits for it through calls
		defer pl.host.calls.end()
		res, err := pl.invokeHandler(ctx, t, args)
		done <- outcome{res, err}
		if !left.CompareAndSwap(0, 1) {
			t.stuck.Add(-1)
		}
	}()
	select {
	case o := <-done:
		return o.res, inTime(ctx, o.err)
	case <-ctx.Done():
	}
	if !left.CompareAndSwap(0, 2) { // both were ready
		o := <-done
		return o.res, inTime(ctx, o.err)
	}
	t.stuck.Add(1)
	return mcp.Result{}, inTime(ctx, ctx.Err())
}

// inTime turns the error of a call that its context ended into the reason.
func inTime(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return fmt.Errorf("%w: the caller's time is up", mcp.ErrTimeout)
}

// invokeHandler calls the handler; a panic in it becomes an error.
func (pl pipeline) invokeHandler(ctx context.Context, t *tool, args string) (res mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			pl.host.opts.log.LogAttrs(ctx, slog.LevelError, "tool panicked", slog.String("tool", t.Definition.Name),
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
