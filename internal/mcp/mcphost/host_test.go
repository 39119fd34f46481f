package mcphost_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// builtin returns a probeable tool around handler.
func builtin(name string, p50 int, handler tools.Handler) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, Idempotent: true, Parameters: map[string]any{"type": "object"}},
		Handler:    handler, ReadOnly: true, DeclaredP50: p50,
	}
}

func answer(text string) tools.Handler {
	return func(context.Context, string) (string, error) { return text, nil }
}

// takes answers after d, or when its context ends.
func takes(d time.Duration) tools.Handler {
	return func(ctx context.Context, _ string) (string, error) {
		select {
		case <-time.After(d):
			return "{}", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func names(defs []llm.ToolDefinition) string {
	var n []string
	for _, d := range defs {
		n = append(n, d.Name)
	}
	return strings.Join(n, " ")
}

func status(t *testing.T, h *mcphost.Host, name string) mcphost.Status {
	t.Helper()
	for _, s := range h.Status() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no tool %q in the status", name)
	return mcphost.Status{}
}

func TestTierIsDeclaredFloorOrUnknown(t *testing.T) {
	floor := builtin("floored", 5, answer("{}"))
	floor.Floor = mcp.BudgetStandard
	h := newHost(t,
		builtin("fast", 500, answer("{}")), builtin("standard", 501, answer("{}")), builtin("deep", 1501, answer("{}")),
		builtin("unknown", 0, answer("{}")), floor)
	for tier, want := range map[mcp.BudgetTier]string{
		mcp.BudgetFast:     "fast",
		mcp.BudgetStandard: "fast floored standard unknown",
		mcp.BudgetDeep:     "deep fast floored standard unknown",
	} {
		if got := names(h.AvailableTools(tier)); got != want {
			t.Errorf("AvailableTools(%v) = %s, want %s", tier, got, want)
		}
	}
	if got := h.AvailableTools(mcp.BudgetTier(7)); got != nil {
		t.Errorf("AvailableTools of no tier = %v, want nothing", got)
	}
	if s := status(t, h, "floored"); s.TierReason != "floor" {
		t.Errorf("reason = %q, want floor", s.TierReason)
	}
}

func TestMeasuredLatencyMovesTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, builtin("slow", 5, takes(2*time.Second)), builtin("quick", 0, takes(3*time.Millisecond)))
		if err := h.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := names(h.AvailableTools(mcp.BudgetFast)); got != "quick" {
			t.Errorf("FAST after calibration = %q, want quick alone", got)
		}
		if s := status(t, h, "slow"); s.Tier != mcp.BudgetDeep || s.TierReason != "measured 2000 ms" || s.P50 != 2000 {
			t.Errorf("slow is %v (%s), P50 %v ms, want deep, measured 2000 ms", s.Tier, s.TierReason, s.P50)
		}
	})
}

func TestCalibrationProbesOnlyWhatItMay(t *testing.T) {
	var writes, reads atomic.Int32
	write := builtin("write", 5, func(context.Context, string) (string, error) { writes.Add(1); return "{}", nil })
	write.ReadOnly = false
	read := builtin("read", 5, func(_ context.Context, args string) (string, error) {
		if args != `{"id":"a"}` {
			t.Errorf("probed with %s, want the synthesised minimum", args)
		}
		reads.Add(1)
		return "", fmt.Errorf("%w: no such id", mcp.ErrInvalidArguments)
	})
	read.Definition.Parameters = map[string]any{
		"type": "object", "properties": map[string]any{"id": map[string]any{"type": "string"}}, "required": []string{"id"},
	}
	h := newHost(t, write, read)
	for range 20 {
		if err := h.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if writes.Load() != 0 || reads.Load() == 0 {
		t.Errorf("probes: %d of write, %d of read, want none and some", writes.Load(), reads.Load())
	}
	if s := status(t, h, "read"); s.State != "ready" || s.Tier != mcp.BudgetFast || s.Samples != 0 {
		t.Errorf("a rejected probe left %+v, want a ready FAST tool without samples", s)
	}
	if s := status(t, h, "write"); s.Probe != "not read-only" {
		t.Errorf("reason for no probe = %q, want not read-only", s.Probe)
	}
}

// Calibration is all that is known of a tool nobody has called: what fails every
// probe must not stay where its author put it.
func TestToolThatFailsEveryProbeIsDemoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		broken.Store(true)
		var calls atomic.Int32
		h := newHost(t,
			builtin("broken", 5, func(context.Context, string) (string, error) {
				if broken.Load() {
					return "", errors.New("out of order")
				}
				return "{}", nil
			}),
			builtin("moody", 5, func(context.Context, string) (string, error) {
				if calls.Add(1) == 1 {
					return "", errors.New("not yet")
				}
				return "{}", nil
			}))
		if err := h.Calibrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := status(t, h, "broken"); s.State != "demoted" || s.Tier != mcp.BudgetStandard || s.Samples != 3 || !strings.Contains(s.Probe, "out of order") {
			t.Errorf("after three failing probes: %+v, want it demoted to standard", s)
		}
		if s := status(t, h, "moody"); s.State != "ready" || s.Tier != mcp.BudgetFast || s.Samples != 3 {
			t.Errorf("after one failing probe of three: %+v, want it ready", s)
		}
		if got := names(h.AvailableTools(mcp.BudgetFast)); got != "moody" {
			t.Errorf("FAST = %q, want moody alone", got)
		}
		if _, err := h.ExecuteTool(t.Context(), "broken", ""); err == nil {
			t.Fatal("a broken tool succeeds")
		}
		if s := status(t, h, "broken"); s.State != "demoted" {
			t.Errorf("after one more failure: %+v, want it demoted still", s)
		}
		broken.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := status(t, h, "broken"); s.State != "ready" || s.Tier != mcp.BudgetFast {
			t.Errorf("after healing: %+v", s)
		}
	})
}

func TestFailingToolIsDemotedAndHealsByProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		h := newHost(t, builtin("moody", 5, func(context.Context, string) (string, error) {
			if broken.Load() {
				return "", errors.New("out of order")
			}
			return "{}", nil
		}))
		broken.Store(true)
		for range 31 {
			if _, err := h.ExecuteTool(t.Context(), "moody", ""); err == nil {
				t.Fatal("a failing tool succeeds")
			}
			samples := status(t, h, "moody").Samples
			if got := names(h.AvailableTools(mcp.BudgetFast)); (got == "") != (samples >= 5) {
				t.Fatalf("FAST after %d failures = %q, want demotion from the fifth on", samples, got)
			}
		}
		if s := status(t, h, "moody"); s.State != "demoted" || s.TierReason != "demoted: 100 % errors" || s.Tier != mcp.BudgetStandard {
			t.Errorf("status = %+v, want demoted to standard", s)
		}
		broken.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := status(t, h, "moody"); s.State != "ready" || s.Tier != mcp.BudgetFast || s.ErrorRate != 0 {
			t.Errorf("status after healing = %+v, want ready, fast, no errors", s)
		}
	})
}

func TestToolThatMayNotBeProbedHealsByTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		def := builtin("writer", 5, func(context.Context, string) (string, error) {
			if broken.Load() {
				return "", errors.New("out of order")
			}
			return "{}", nil
		})
		def.ReadOnly = false
		h := newHost(t, def)
		state := func(want string) {
			t.Helper()
			synctest.Wait()
			if s := status(t, h, "writer"); s.State != want {
				t.Errorf("state = %q, want %q", s.State, want)
			}
		}
		broken.Store(true)
		for range 5 {
			h.ExecuteTool(t.Context(), "writer", "")
		}
		state("demoted")
		time.Sleep(time.Second)
		state("on trial")
		h.ExecuteTool(t.Context(), "writer", "")
		state("demoted")
		time.Sleep(2*time.Second - 1)
		state("demoted") // the back-off has doubled
		time.Sleep(time.Nanosecond)
		state("on trial")
		broken.Store(false)
		h.ExecuteTool(t.Context(), "writer", "")
		state("ready")
	})
}

func TestDeadlineIsRealEvenIfTheHandlerIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := builtin("stubborn", 5, func(context.Context, string) (string, error) {
			time.Sleep(time.Second)
			return "too late", nil
		})
		def.DeclaredMax = 50
		h := newHost(t, def)
		start := time.Now()
		_, err := h.ExecuteTool(t.Context(), "stubborn", "")
		if !errors.Is(err, mcp.ErrTimeout) || time.Since(start) != 50*time.Millisecond {
			t.Errorf("call ended after %v with %v, want ErrTimeout after 50 ms", time.Since(start), err)
		}
	})
}

func TestCallersDeadlineEndsTheCallWithoutBlame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, builtin("tool", 5, takes(300*time.Millisecond)))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		for range 10 {
			if _, err := h.ExecuteTool(ctx, "tool", ""); !errors.Is(err, mcp.ErrTimeout) {
				t.Fatalf("err = %v, want ErrTimeout", err)
			}
		}
		if s := status(t, h, "tool"); s.Samples != 0 || s.State != "ready" {
			t.Errorf("status = %+v, want no samples: the tool had less time than FAST promises", s)
		}
		cancelled, stop := context.WithCancelCause(t.Context())
		reason := errors.New("barged in")
		stop(reason)
		if _, err := h.ExecuteTool(cancelled, "tool", ""); !errors.Is(err, reason) {
			t.Errorf("err = %v, want the cause of the cancellation", err)
		}
	})
}

func TestPanicFailsTheCallAlone(t *testing.T) {
	h := newHost(t, builtin("bomb", 5, func(context.Context, string) (string, error) { panic("boom") }), noop("ok", true))
	if _, err := h.ExecuteTool(t.Context(), "bomb", ""); !errors.Is(err, mcp.ErrPanicked) {
		t.Errorf("err = %v, want ErrPanicked", err)
	}
	if _, err := h.ExecuteTool(t.Context(), "ok", ""); err != nil {
		t.Errorf("the host is damaged: %v", err)
	}
}

func TestRegistrationIsChecked(t *testing.T) {
	h := newHost(t, noop("taken", true))
	bad := func(change func(*mcphost.BuiltinTool)) mcphost.BuiltinTool {
		d := noop("good", true)
		change(&d)
		return d
	}
	for name, def := range map[string]mcphost.BuiltinTool{
		"name taken":    noop("taken", true),
		"empty name":    noop("", true),
		"name with dot": noop("a.b", true),
		"long name":     noop(strings.Repeat("x", 65), true),
		"no handler":    bad(func(d *mcphost.BuiltinTool) { d.Handler = nil }),
		"bad schema":    bad(func(d *mcphost.BuiltinTool) { d.Definition.Parameters = map[string]any{"type": "string"} }),
	} {
		if err := h.RegisterBuiltin(def); err == nil {
			t.Errorf("%s: RegisterBuiltin accepts it", name)
		}
	}
	if got := names(h.AvailableTools(mcp.BudgetDeep)); got != "taken" {
		t.Errorf("tools = %q, want the first one alone", got)
	}
}

func TestClosedHostRefuses(t *testing.T) {
	h := mcphost.New()
	if err := h.RegisterBuiltin(noop("tool", false)); err != nil {
		t.Fatal(err)
	}
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"tool"}, Tier: mcp.BudgetDeep})
	changed := h.Changed()
	if err := errors.Join(h.Close(), h.Close()); err != nil {
		t.Fatal(err)
	}
	<-changed
	if _, err := h.ExecuteTool(t.Context(), "tool", ""); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("err = %v, want ErrClosed", err)
	}
	if _, err := ts.Execute(t.Context(), "tool", ""); !errors.Is(err, mcp.ErrUnavailable) {
		t.Errorf("toolset: err = %v, want ErrUnavailable", err)
	}
	if got := ts.Definitions(); len(got) != 0 {
		t.Errorf("toolset lists %v after Close", got)
	}
	if err := h.RegisterBuiltin(noop("late", true)); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("RegisterBuiltin = %v, want ErrClosed", err)
	}
}

func TestIdempotentToolIsRetriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		flaky := func(fails int32) tools.Handler {
			return func(ctx context.Context, _ string) (string, error) {
				time.Sleep(100 * time.Millisecond)
				if calls.Add(1) <= fails {
					return "", errors.New("connection lost")
				}
				return "{}", nil
			}
		}
		once := builtin("once", 100, flaky(1))
		write := builtin("write", 100, flaky(1))
		write.Definition.Idempotent = false
		h := newHost(t, once, write, builtin("never", 100, flaky(99)))
		for _, row := range []struct {
			tool  string
			limit time.Duration
			calls int32
			ok    bool
		}{
			{"once", time.Second, 2, true},
			{"once", 150 * time.Millisecond, 1, false}, // a second call no longer fits
			{"write", time.Second, 1, false},
			{"never", time.Second, 2, false},
		} {
			calls.Store(0)
			ctx, cancel := context.WithTimeout(t.Context(), row.limit)
			_, err := h.ExecuteTool(ctx, row.tool, "")
			cancel()
			if calls.Load() != row.calls || (err == nil) != row.ok {
				t.Errorf("%s within %v: %d calls, err %v; want %d calls, ok = %v", row.tool, row.limit, calls.Load(), err, row.calls, row.ok)
			}
		}
	})
}

func TestCacheableResultsAreKeptAndShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		def := builtin("look", 5, func(ctx context.Context, args string) (string, error) {
			time.Sleep(50 * time.Millisecond)
			calls.Add(1)
			return `"` + mcp.CallerFrom(ctx).NPC + `"`, nil
		})
		def.Definition.CacheableSeconds = 60
		h := newHost(t, def)
		want := func(ctx context.Context, args string, cached bool, total int32) {
			t.Helper()
			res, err := h.ExecuteTool(ctx, "look", args)
			if err != nil || res.Cached != cached || calls.Load() != total {
				t.Errorf("look %s = %+v, %v after %d calls; want cached = %v, %d calls", args, res, err, calls.Load(), cached, total)
			}
		}
		want(t.Context(), `{"a":1,"b":2}`, false, 1)
		want(t.Context(), `{ "b": 2, "a": 1 }`, true, 1)
		want(t.Context(), `{"a":1,"b":3}`, false, 2)
		mira := mcp.WithCaller(t.Context(), mcp.Caller{NPC: "mira"})
		want(mira, `{"a":1,"b":2}`, false, 3) // she may know something else
		time.Sleep(time.Minute)
		want(t.Context(), `{"a":1,"b":2}`, false, 4)

		gone, leave := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { _, err := h.ExecuteTool(gone, "look", `{"x":1}`); done <- err }()
		synctest.Wait()
		go func() { _, err := h.ExecuteTool(t.Context(), "look", `{"x":1}`); done <- err }()
		synctest.Wait()
		leave()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller who left got %v", err)
		}
		if err := <-done; err != nil || calls.Load() != 5 {
			t.Errorf("the caller who stayed got %v after %d calls, want the one shared call", err, calls.Load())
		}
	})
}
