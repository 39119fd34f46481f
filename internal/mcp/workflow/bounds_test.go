package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

// TestExpressionsCannotCostMuch runs expressions that could take minutes or gigabytes,
// over a list and a text of the maximum size.
func TestExpressionsCannotCostMuch(t *testing.T) {
	list := "[" + strings.Repeat("1,", 100_000) + "1]"
	text := strings.Repeat("a", 400_000)
	d := &door{handlers: handlers{"list": says(list), "text": says(text)}}
	for _, row := range []struct{ name, expr string }{
		{"nested_loops", "all(L, all(L, all(L, # == 1)))"},
		{"search_in_a_loop", "count(L, T contains 'aaab')"},
		{"copies_in_a_loop", "map(L, upper(T))"},
		{"sums_in_a_loop", "map(L, T + 'b')"},
		{"split_in_a_loop", "map(L, split(T, ''))"},
		{"join_with_a_long_separator", "join(L, T)"},
		{"join_in_a_loop", "map(L, join(L, ','))"},
		{"doubling", "T + T + T + T + T + T + T + T + T + T + T + T + T"},
		{"list_in_list", "count(L, # in L)"},
		{"equality_in_a_loop", "count(L, L == L)"},
		{"sorting_in_a_loop", "map(L, sort(L))"},
		{"reversing_in_a_loop", "map(L, reverse(L))"},
		{"a_result_too_large", "map(L, T)"},
		{"literal_too_large", "[T, T, T, T]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			expr := strings.NewReplacer("L", "steps.l.result", "T", "steps.t.result").Replace(row.expr)
			w := parse(t, "description: d\nsteps:\n- {id: l, tool: list}\n- {id: t, tool: text}\noutput: \"{{ "+expr+" }}\"\n")
			start := time.Now()
			_, _, err := run(t.Context(), t, w, d, "")
			if took := time.Since(start); err == nil || took > time.Minute {
				t.Errorf("err = %v after %v, want one soon", err, took)
			}
		})
	}
}

func TestExpressionsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := &door{handlers: handlers{"list": func(context.Context, string) (mcp.Result, error) {
		cancel() // the step still succeeds
		return mcp.Result{Text: "[1]"}, nil
	}}}
	w := parse(t, "description: d\nsteps: [{id: l, tool: list}]\noutput: '{{ map(steps.l.result, #) }}'\n")
	if _, _, err := run(ctx, t, w, d, ""); mcp.CodeOf(err) != mcp.CodeCancelled {
		t.Errorf("err = %v, want it cancelled", err)
	}
}

func TestResultsAreBounded(t *testing.T) {
	half := says(strings.Repeat("x", workflow.MaxResult/2))
	d := &door{handlers: handlers{"half": half, "small": says("s")}}
	w := parse(t, "description: d\nstop_on_error: false\nsteps:\n- {id: a, tool: half}\n- {id: b, tool: half}\n- {id: c, tool: half}\n- {id: d, tool: small}\n")
	got, res, err := run(t.Context(), t, w, d, "")
	if err != nil || trace(got) != "a+ b- c- d+" || !strings.Contains(got.Steps[1].Error.Message, "the call was made") {
		t.Errorf("steps %s, %v, second %+v", trace(got), err, got.Steps[1].Error)
	}
	if len(res.Structured) > workflow.MaxResult+10_000 {
		t.Errorf("result of %d bytes", len(res.Structured))
	}
	got, res, err = runBatch(t.Context(), t, d, `{"operations":`+operations(50, "half")+`}`)
	if err != nil || got.Succeeded != 1 || len(res.Structured) > workflow.MaxResult+50*1000 {
		t.Errorf("%d succeeded in %d bytes, %v; want 1", got.Succeeded, len(res.Structured), err)
	}
}

func TestArgumentsAreBounded(t *testing.T) {
	d := &door{handlers: handlers{"text": says(strings.Repeat("x", workflow.MaxResult/2)), "echo": echo}}
	for _, with := range []string{"'{{ steps.a.result }}{{ steps.a.result }}{{ steps.a.result }}'", "['{{ steps.a.result }}', '{{ steps.a.result }}', '{{ steps.a.result }}']"} {
		w := parse(t, "description: d\nsteps:\n- {id: a, tool: text}\n- {id: b, tool: echo, with: {x: "+with+"}}\n")
		if got, _, err := run(t.Context(), t, w, d, ""); err == nil || trace(got) != "a+ b-" {
			t.Errorf("steps %s, %v; want the second refused", trace(got), err)
		}
	}
	if n := len(d.seen()); n != 2 {
		t.Errorf("%d calls, want 2: those with large arguments are not made", n)
	}
}

func TestOddAnswersStayJSON(t *testing.T) {
	odd := handlers{
		"broken_structured": func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{Text: "text", Structured: json.RawMessage("{")}, nil
		},
		"almost_json": says("{x"), "invalid_utf8": says("\xff"), "number": says("3"), "huge_number": says(`{"n":1e999,"m":12345678901234567890}`),
	}
	for _, row := range []struct{ tool, want string }{
		{"broken_structured", `"text"`}, {"almost_json", `"{x"`}, {"invalid_utf8", `"\ufffd"`}, {"number", `"3"`}, {"huge_number", `{"m":12345678901234567000,"n":"1e999"}`},
	} {
		t.Run(row.tool, func(t *testing.T) {
			w := parse(t, "description: d\nsteps: [{id: a, tool: "+row.tool+"}]\noutput: '{{ steps.a.result }}'\n")
			got, _, err := run(t.Context(), t, w, &door{handlers: odd}, "")
			if err != nil || string(got.Output) != row.want && string(got.Output) != "\"\ufffd\"" {
				t.Errorf("output %s, %v; want %s", got.Output, err, row.want)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	inner := func(ctx context.Context, _ string) (mcp.Result, error) {
		if p := mcp.ProgressFrom(ctx); p != nil {
			p(7, 7, "from within")
		}
		return mcp.Result{}, nil
	}
	d := &door{handlers: handlers{"t": inner}}
	var told []string
	ctx := mcp.WithProgress(t.Context(), func(done, total float64, message string) {
		told = append(told, fmt.Sprint(done, "/", total, " ", message))
	})
	w := parse(t, "description: d\nsteps:\n- {id: a, tool: t}\n- {id: b, tool: t, if: false}\n- {id: c, tool: t}\n")
	if _, _, err := run(ctx, t, w, d, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := runBatch(ctx, t, d, `{"operations":`+operations(2, "t")+`}`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1/3 a", "2/3 b", "3/3 c", "1/2 t", "2/2 t"}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestCallsOfCallsEnd(t *testing.T) {
	// The door knows the workflow's tool only as "again", so the loader cannot see the
	// recursion.
	d := &door{handlers: handlers{}}
	w := parse(t, "name: w\ndescription: d\nsteps: [{id: a, tool: again}]\n").Tool(known{}, nil)
	d.handlers["again"] = w.Respond
	d.handlers["batch"] = workflow.Batch().Respond
	_, err := w.Respond(mcp.WithExecutor(t.Context(), d), "")
	if !errors.Is(err, mcp.ErrNotAllowed) || len(d.seen()) != 4 {
		t.Errorf("%d calls, %v; want an end after 4", len(d.seen()), err)
	}
	around := parse(t, "name: around\ndescription: d\nsteps:\n- {id: a, tool: batch, with: {operations: [{tool: again}]}}\n").Tool(known{}, nil)
	d.handlers["again"] = around.Respond
	d.calls = nil
	if _, err := around.Respond(mcp.WithExecutor(t.Context(), d), ""); err != nil || len(d.seen()) != 4 {
		t.Errorf("%d calls, %v; want an end after 4, told in the results", len(d.seen()), err)
	}
}

func TestWithoutDoorNothingRuns(t *testing.T) {
	w := parse(t, "description: d\nsteps: [{id: a, tool: roll}]\n").Tool(known{}, nil)
	if _, err := w.Respond(t.Context(), ""); mcp.CodeOf(err) != mcp.CodeForbidden {
		t.Errorf("workflow without a door: %v, want it forbidden", err)
	}
	res, err := workflow.Batch().Respond(t.Context(), `{"operations":[{"tool":"roll"}]}`)
	if got := told(t, res); err != nil || got.Failed != 1 || got.Results[0].Error.Code != mcp.CodeForbidden {
		t.Errorf("batch without a door: %+v, %v; want it forbidden", got, err)
	}
}

// TestRightsAreTheCallers runs random workflows and batches through doors that allow only
// some tools: a refused call is never reported as done, and every call goes through the
// door.
func TestRightsAreTheCallers(t *testing.T) {
	names := []string{"t0", "t1", "t2", "t3"}
	rapid.Check(t, func(rt *rapid.T) {
		allowed := map[string]bool{}
		for _, n := range names {
			allowed[n] = rapid.Bool().Draw(rt, n)
		}
		served := 0
		d := doorFunc(func(_ context.Context, name, _ string) (mcp.Result, error) {
			if !allowed[name] {
				return mcp.Result{}, fmt.Errorf("calling %q: %w", name, mcp.ErrNotAllowed)
			}
			served++
			return mcp.Result{Text: "done"}, nil
		})
		tools := rapid.SliceOfN(rapid.SampledFrom(names), 1, 8).Draw(rt, "tools")
		patient := rapid.Bool().Draw(rt, "patient")
		var b, ops strings.Builder
		fmt.Fprintf(&b, "description: d\nstop_on_error: %v\nsteps:\n", !patient)
		for i, tool := range tools {
			fmt.Fprintf(&b, "- {id: s%d, tool: %s}\n", i, tool)
			fmt.Fprintf(&ops, `,{"tool":"%s"}`, tool)
		}
		got, _, err := run(t.Context(), t, parse(t, b.String()), d, "")
		done := 0
		for _, s := range got.Steps {
			if s.OK {
				done++
			}
			if s.OK && !allowed[s.Tool] || s.Error != nil && s.Error.Code != mcp.CodeForbidden {
				rt.Fatalf("step %+v with rights %v", s, allowed)
			}
		}
		if done != served || err != nil && !errors.Is(err, mcp.ErrNotAllowed) {
			rt.Fatalf("%d steps done, %d served, %v", done, served, err)
		}
		served = 0
		got, _, err = runBatch(t.Context(), t, d, fmt.Sprintf(`{"stop_on_error":%v,"operations":[%s]}`, !patient, ops.String()[1:]))
		if err != nil || got.Succeeded != served {
			rt.Fatalf("%d operations succeeded, %d served, %v", got.Succeeded, served, err)
		}
		for _, o := range got.Results {
			if o.OK && !allowed[o.Tool] {
				rt.Fatalf("operation %+v with rights %v", o, allowed)
			}
		}
	})
}

type doorFunc func(ctx context.Context, name, args string) (mcp.Result, error)

func (f doorFunc) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	return f(ctx, name, args)
}

func TestManyRunsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := parse(t, "description: d\nparameters: {n: {type: integer}}\nsteps:\n- parallel:\n  - {id: a, tool: echo, with: {n: '{{ params.n }}'}}\n  - {id: b, tool: echo, with: {n: '{{ params.n + 1 }}'}}\noutput: '{{ steps.a.result.n + steps.b.result.n }}'\n").Tool(known{}, nil)
		ctx := mcp.WithExecutor(t.Context(), &door{handlers: handlers{"echo": echo}})
		outputs := make(chan string, 20)
		for n := range 20 {
			go func() {
				res, err := w.Respond(ctx, fmt.Sprintf(`{"n":%d}`, n))
				outputs <- fmt.Sprintf("%v %v", strings.Contains(res.Text, fmt.Sprintf(`"output":%d`, 2*n+1)), err)
			}()
		}
		for range 20 {
			if got := <-outputs; got != "true <nil>" {
				t.Errorf("output is right: %s", got)
			}
		}
	})
}
