package workflow_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handlers answers calls by the tool's name.
type handlers map[string]func(ctx context.Context, args string) (mcp.Result, error)

// door is a fake tool door. It tells calls apart by their time in a synctest bubble.
type door struct {
	handlers handlers
	mu       sync.Mutex // guards calls
	calls    []made
}

// made is a call that was made.
type made struct {
	Tool, Args string
	At         time.Duration // since the door was created
}

func (d *door) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	d.mu.Lock()
	d.calls = append(d.calls, made{Tool: name, Args: args})
	d.mu.Unlock()
	h, ok := d.handlers[name]
	if !ok {
		return mcp.Result{}, fmt.Errorf("calling %q: %w", name, mcp.ErrUnknownTool)
	}
	return h(ctx, args)
}

// seen returns the calls sorted, because the calls of a group come in any order.
func (d *door) seen() []made {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := slices.Clone(d.calls)
	slices.SortFunc(out, func(a, b made) int { return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Args, b.Args)) })
	return out
}

// says returns a handler with a fixed text.
func says(text string) func(context.Context, string) (mcp.Result, error) {
	return func(context.Context, string) (mcp.Result, error) { return mcp.Result{Text: text}, nil }
}

// fails returns a handler with an error.
func fails(err error) func(context.Context, string) (mcp.Result, error) {
	return func(context.Context, string) (mcp.Result, error) { return mcp.Result{}, err }
}

// echo returns its arguments.
func echo(_ context.Context, args string) (mcp.Result, error) { return mcp.Result{Text: args}, nil }

// slow returns text after d, or when ctx is done.
func slow(d time.Duration, text string) func(context.Context, string) (mcp.Result, error) {
	return func(ctx context.Context, _ string) (mcp.Result, error) {
		select {
		case <-time.After(d):
			return mcp.Result{Text: text}, nil
		case <-ctx.Done():
			return mcp.Result{}, context.Cause(ctx)
		}
	}
}

// result is the result of a workflow or batch.
type result struct {
	OK    bool `json:"ok"`
	Steps []struct {
		ID      string
		Tool    string
		OK      bool
		Skipped bool
		Ms      float64
		Result  json.RawMessage
		Error   *failure
	}
	Output  json.RawMessage
	Error   *failure
	Results []struct {
		Index   int
		ID      string
		Tool    string
		OK      bool
		Skipped bool
		Ms      float64
		Result  json.RawMessage
		Error   *failure
	}
	Succeeded, Failed, Skipped int
}

type failure struct {
	Code         mcp.Code
	Message      string
	Hint         string
	RetryAfterMs int64 `json:"retry_after_ms"`
	Approval     string
}

// known is a registry of fixed facts.
type known map[string]fact

type fact struct {
	target     mcp.Target
	p50, max   time.Duration
	idempotent bool
}

func (k known) Lookup(name string) (mcp.Target, time.Duration, time.Duration, bool, bool) {
	f, ok := k[name]
	return f.target, f.p50, f.max, f.idempotent, ok
}

func parse(t testing.TB, text string) *workflow.Workflow {
	t.Helper()
	w, err := workflow.Parse("w.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs a workflow through d.
func run(ctx context.Context, t testing.TB, w *workflow.Workflow, d mcp.ToolExecutor, args string) (result, mcp.Result, error) {
	t.Helper()
	res, err := w.Tool(known{}, nil).Respond(mcp.WithExecutor(ctx, d), args)
	return told(t, res), res, err
}

func told(t testing.TB, res mcp.Result) result {
	t.Helper()
	var out result
	if res.Structured == nil {
		return out
	}
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		t.Fatalf("reading %s: %v", res.Structured, err)
	}
	if res.Text != string(res.Structured) {
		t.Errorf("text %s is not the structured content %s", res.Text, res.Structured)
	}
	return out
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// answer is a tool that does almost no work.
func answer(context.Context, string, string) (mcp.Result, error) {
	return mcp.Result{Text: `{"x":2,"list":[1,2,3]}`}, nil
}
