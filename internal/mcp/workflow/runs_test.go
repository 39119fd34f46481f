package workflow_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

// gated is a tool whose calls need approval while they wait.
type gated struct {
	door
	granted bool
	waits   time.Duration
}

func newGated(waits time.Duration) *gated {
	g := &gated{waits: waits}
	g.handlers = handlers{
		"ask": says("3"),
		"count": func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{Text: fmt.Sprint(len(g.count("count")))}, nil
		},
		"write": func(_ context.Context, args string) (mcp.Result, error) {
			if !g.granted {
				return mcp.Result{}, &mcp.Refusal{Code: mcp.CodePendingApproval, Reason: "this call needs approval", Approval: "abcd1234", Until: time.Now().Add(g.waits)}
			}
			g.granted = false
			return mcp.Result{Text: args}, nil
		},
	}
	return g
}

func (g *gated) count(tool string) (all []made) {
	for _, c := range g.seen() {
		if c.Tool == tool {
			all = append(all, c)
		}
	}
	return all
}

// waiting writes the result of an earlier step beside a parallel one, and then calls the
// gated tool.
const waiting = `description: d
parameters: {who: {type: string, default: anna}}
steps:
- {id: one, tool: count}
- parallel:
  - {id: beside, tool: count}
  - {id: write, tool: write, with: {n: '{{ steps.one.result }}', who: '{{ params.who }}'}}
- {id: never, tool: count, if: 'false'}
- {id: last, tool: ask}
output: '{{ steps.write.result.n }} {{ steps.last.result }}'
`

// TestRunGoesOnAfterApproval has a run wait at a step: the same call by the same caller
// resumes it there, once, with the earlier results.
func TestRunGoesOnAfterApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, runs := newGated(time.Minute), &workflow.Runs{}
		w := parse(t, waiting)
		call := func(client, args string) result {
			t.Helper()
			ctx := mcp.WithCaller(mcp.WithExecutor(t.Context(), g), mcp.Caller{Client: client})
			res, _ := w.Tool(known{}, runs).Respond(ctx, args)
			return told(t, res)
		}
		made := func(when string, counts, writes, asks int) {
			t.Helper()
			if c, w, a := len(g.count("count")), len(g.count("write")), len(g.count("ask")); c != counts || w != writes || a != asks {
				t.Errorf("%s: %d, %d and %d calls, want %d, %d and %d", when, c, w, a, counts, writes, asks)
			}
		}
		first := call("ana", `{}`)
		if first.OK || first.Error == nil || first.Error.Code != mcp.CodePendingApproval || first.Error.Approval != "abcd1234" {
			t.Fatalf("the first run is %+v", first)
		}
		made("at first", 2, 1, 0)
		call("ana", `{"who":"anna"}`) // the default, given explicitly
		made("not decided yet", 2, 2, 0)
		call("eve", `{}`)
		made("another caller", 4, 3, 0)
		call("ana", `{"who":"bob"}`)
		made("other arguments", 6, 4, 0)
		g.granted = true
		done := call("ana", `{}`)
		made("once approved", 6, 5, 1)
		if !done.OK || string(done.Output) != `"1 3"` || len(done.Steps) != 5 || !done.Steps[0].OK || !done.Steps[1].OK || !done.Steps[2].OK {
			t.Errorf("it ended as %+v", done)
		}
		g.granted = true
		if again := call("ana", `{}`); !again.OK || string(again.Output) == string(done.Output) {
			t.Errorf("a run that had ended goes on: %+v", again)
		}
		made("the next run", 8, 6, 2)
	})
}

// TestRunsAreForgotten: a run is dropped when its call no longer waits, when its caller
// has too many runs, and when the file has changed.
func TestRunsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, runs := newGated(time.Minute), &workflow.Runs{}
		w := parse(t, waiting)
		call := func(w *workflow.Workflow, who string) {
			ctx := mcp.WithCaller(mcp.WithExecutor(t.Context(), g), mcp.Caller{Client: "ana"})
			if _, err := w.Tool(known{}, runs).Respond(ctx, `{"who":"`+who+`"}`); err == nil {
				t.Fatal("it does not wait")
			}
		}
		counts := func(when string, want int) {
			t.Helper()
			if got := len(g.count("count")); got != want {
				t.Errorf("%s: %d calls, want %d", when, got, want)
			}
		}
		call(w, "a")
		time.Sleep(time.Minute)
		call(w, "a")
		counts("in vain", 4)
		call(parse(t, waiting+"# as before, but for this\n"), "a")
		counts("a file that changed", 6)
		for _, who := range "bcdefghi" {
			call(w, string(who))
		}
		counts("many", 22)
		call(w, "i")
		counts("the last", 22)
		call(w, "a")
		counts("the oldest", 24)
	})
}
