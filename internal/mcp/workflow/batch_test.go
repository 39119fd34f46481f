package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

func runBatch(ctx context.Context, t testing.TB, d mcp.ToolExecutor, args string) (result, mcp.Result, error) {
	t.Helper()
	res, err := workflow.Batch().Respond(mcp.WithExecutor(ctx, d), args)
	return told(t, res), res, err
}

// batchTrace shows how each operation ended, in the notation of trace.
func batchTrace(r result) string {
	var b strings.Builder
	for _, o := range r.Results {
		switch {
		case o.Skipped:
			b.WriteByte('?')
		case o.OK:
			b.WriteByte('+')
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// operations returns n operations as JSON.
func operations(n int, tool string) string {
	one := `{"tool":"` + tool + `"}`
	return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]"
}

func TestBatch(t *testing.T) {
	refused := &mcp.Refusal{Code: mcp.CodePendingApproval, Reason: "it waits", Hint: "ask the DM", RetryAfter: 1500 * time.Microsecond, Approval: "k3"}
	tools := handlers{"echo": echo, "broken": fails(errBroken), "refused": fails(refused), "invalid": fails(fmt.Errorf("%w: no", mcp.ErrInvalidArguments))}
	for _, row := range []struct {
		name, args, trace string
		err               error
		last              *failure // error of the last operation
	}{
		{name: "all_well", args: `{"operations":[{"tool":"echo","arguments":{"a":1},"id":"x"},{"tool":"echo"}]}`, trace: "++"},
		{name: "goes_on_after_failure", args: `{"operations":[{"tool":"broken"},{"tool":"echo"},{"tool":"invalid"}]}`, trace: "-+-",
			last: &failure{Code: mcp.CodeInvalidInput, Message: "invalid arguments: no", Hint: "compare the arguments with the tool's input schema"}},
		{name: "stops", args: `{"stop_on_error":true,"operations":[{"tool":"echo"},{"tool":"broken"},{"tool":"echo"}]}`, trace: "+-?"},
		{name: "unknown_tool", args: `{"operations":[{"tool":"nosuch"}]}`, trace: "-",
			last: &failure{Code: mcp.CodeNotFound, Message: `calling "nosuch": unknown tool`, Hint: "list the tools to see which there are"}},
		{name: "refusal_says_what_to_do", args: `{"operations":[{"tool":"refused"}]}`, trace: "-",
			last: &failure{Code: mcp.CodePendingApproval, Message: "it waits", Hint: "ask the DM", RetryAfterMs: 2, Approval: "k3"}},
		{name: "batch_in_batch", args: `{"operations":[{"tool":"batch","arguments":{"operations":[{"tool":"echo"}]}}]}`, trace: "-",
			last: &failure{Code: mcp.CodeInvalidInput, Message: "invalid arguments: a batch cannot hold a batch", Hint: "compare the arguments with the tool's input schema"}},
		{name: "no_tool", args: `{"operations":[{"id":"a"}]}`, trace: "-",
			last: &failure{Code: mcp.CodeInvalidInput, Message: "invalid arguments: the operation names no tool", Hint: "compare the arguments with the tool's input schema"}},
		{name: "a_hundred", args: `{"operations":` + operations(100, "echo") + `}`, trace: strings.Repeat("+", 100)},
		{name: "none", args: `{"operations":[]}`, err: mcp.ErrInvalidArguments},
		{name: "too_many", args: `{"operations":` + operations(101, "echo") + `}`, err: mcp.ErrInvalidArguments},
		{name: "no_json", args: `{`, err: mcp.ErrInvalidArguments},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, args := range []string{row.args, strings.Replace(row.args, "{", `{"parallel":true,`, 1)} {
				if args != row.args && strings.Contains(args, "stop_on_error") {
					continue // which ones still run depends on timing
				}
				got, res, err := runBatch(t.Context(), t, &door{handlers: tools}, args)
				if !errors.Is(err, row.err) {
					t.Fatalf("err = %v, want %v", err, row.err)
				}
				if err != nil {
					return
				}
				if batchTrace(got) != row.trace || res.IsError {
					t.Errorf("operations %s, is_error %v; want %s", batchTrace(got), res.IsError, row.trace)
				}
				sum := [3]int{strings.Count(row.trace, "+"), strings.Count(row.trace, "-"), strings.Count(row.trace, "?")}
				if got.OK != (sum[1]+sum[2] == 0) || sum != [3]int{got.Succeeded, got.Failed, got.Skipped} {
					t.Errorf("ok %v, sums %d %d %d; want %v", got.OK, got.Succeeded, got.Failed, got.Skipped, sum)
				}
				last := got.Results[len(got.Results)-1]
				if diff := cmp.Diff(row.last, last.Error); row.last != nil && diff != "" {
					t.Errorf("last error (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestBatchTellsWhatBelongsWhere(t *testing.T) {
	got, _, err := runBatch(t.Context(), t, &door{handlers: handlers{"echo": echo, "words": says("hi"), "empty": says("")}},
		`{"parallel":true,"operations":[{"tool":"echo","arguments":{"a":1},"id":"x"},{"tool":"words"},{"tool":"echo","arguments":null},{"tool":"empty"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range got.Results {
		told = append(told, fmt.Sprint(r.Index, r.ID, r.Tool, string(r.Result)))
	}
	if diff := cmp.Diff([]string{`0xecho{"a":1}`, `1words"hi"`, `2echo{}`, `3empty`}, told); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestBatchRunsEightAtOnce(t *testing.T) {
	for _, row := range []struct {
		name, args string
		most       int32
		took       time.Duration
	}{
		{"in_turn", `{"operations":` + operations(20, "slow") + `}`, 1, 20 * time.Second},
		{"parallel", `{"parallel":true,"operations":` + operations(20, "slow") + `}`, 8, 3 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int32
				d := &door{handlers: handlers{"slow": func(context.Context, string) (mcp.Result, error) {
					for n := now.Add(1); ; {
						if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
							break
						}
					}
					time.Sleep(time.Second)
					now.Add(-1)
					return mcp.Result{}, nil
				}}}
				start := time.Now()
				got, _, err := runBatch(t.Context(), t, d, row.args)
				if took := time.Since(start); err != nil || took != row.took || most.Load() != row.most || got.Succeeded != 20 {
					t.Errorf("took %v with %d at once, %d succeeded, %v; want %v and %d", took, most.Load(), got.Succeeded, err, row.took, row.most)
				}
			})
		})
	}
}

func TestBatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{handlers: handlers{"slow": slow(2*time.Second, "x"), "fast": slow(time.Second, "x")}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		got, res, err := runBatch(ctx, t, d, `{"operations":[{"tool":"fast"},{"tool":"slow"},{"tool":"fast"}]}`)
		if mcp.CodeOf(err) != mcp.CodeCancelled || !res.IsError || batchTrace(got) != "+-?" {
			t.Errorf("operations %s, %v; want +-? and a cancellation", batchTrace(got), err)
		}
	})
}

func TestParallelBatchStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := func(context.Context, string) (mcp.Result, error) {
			time.Sleep(time.Second)
			return mcp.Result{}, errBroken
		}
		d := &door{handlers: handlers{"slow": slow(time.Hour, "x"), "broken": broken}}
		got, res, err := runBatch(t.Context(), t, d, `{"parallel":true,"stop_on_error":true,"operations":[{"tool":"broken"},`+operations(9, "slow")[1:]+`}`)
		if err != nil || res.IsError || batchTrace(got) != "--------??" || got.Results[1].Error.Code != mcp.CodeCancelled {
			t.Errorf("operations %s, %v; want eight ended and two not begun", batchTrace(got), err)
		}
	})
}
