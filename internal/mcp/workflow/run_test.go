package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// trace shows how each step ended: "id+" succeeded, "id-" failed, "id?" did not run.
func trace(r result) string {
	var b strings.Builder
	for _, s := range r.Steps {
		mark := "-"
		switch {
		case s.Skipped:
			mark = "?"
		case s.OK:
			mark = "+"
		}
		b.WriteString(s.ID + mark + " ")
	}
	return strings.TrimSpace(b.String())
}

var errBroken = mcp.PublicError(errors.New("it is broken"))

func TestRun(t *testing.T) {
	refused := &mcp.Refusal{Code: mcp.CodeForbidden, Reason: "not for you"}
	tools := handlers{
		"echo": echo, "words": says("two words"), "list": says(`[{"name":"Ann","hp":3},{"name":"Bob","hp":7}]`),
		"broken": fails(errBroken), "refused": fails(fmt.Errorf("calling %q: %w", "refused", refused)),
		"empty": says(""),
		"reported": func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{IsError: true, Text: "no such door"}, nil
		},
	}
	for _, row := range []struct {
		name, text, args, trace, output string
		ok                              bool
		err                             error
		code                            mcp.Code
	}{
		{name: "every_step_is_told", text: "steps:\n- {id: a, tool: echo, with: {x: 1}}\n- {id: b, tool: words}", trace: "a+ b+", ok: true},
		{name: "one_expression_keeps_its_type", args: `{"n":3,"l":["a"],"s":"x"}`,
			text:  "parameters: {n: {type: integer}, l: {type: array}, s: {type: string}, o: {type: string}}\nsteps:\n- {id: a, tool: echo, with: {n: '{{ params.n }}', m: '{{ params.n + 1 }}', l: '{{ params.l }}', deep: {s: ['{{params.s}}', '{{ params.o }}']}, o: '{{ params.o }}', none: null}}\noutput: '{{ steps.a.result }}'",
			trace: "a+", ok: true, output: `{"deep":{"s":["x",null]},"l":["a"],"m":4,"n":3,"none":null}`},
		{name: "else_text_is_spliced", args: `{"n":3}`,
			text:  "parameters: {n: {type: integer}, o: {type: string}}\nsteps: [{id: a, tool: words}]\noutput: {a: '{{ params.n }} of {{ steps.a.result }}{{ params.o }}', b: ' {{ [1, true] }}', c: '{{ \"{{\" }}', d: '}} }}', e: \"{{ {'a': {'b': 1}}.a.b }}\"}",
			trace: "a+", ok: true, output: `{"a":"3 of two words","b":" [1,true]","c":"{{","d":"}} }}","e":1}`},
		{name: "defaults", text: "parameters: {n: {type: integer, default: 3}, l: {type: array, default: [1]}}\nsteps: [{id: a, tool: words}]\noutput: '{{ [params.n, params.l] }}'", trace: "a+", ok: true, output: "[3,[1]]"},
		{name: "functions", text: "steps: [{id: a, tool: list}]\noutput: {names: \"{{ join(map(steps.a.result, .name), ', ') }}\", top: \"{{ sortBy(steps.a.result, .hp, 'desc')[0].name }}\", sum: '{{ sum(steps.a.result, .hp) }}', last: '{{ steps.a.result[-1].name }}', any: '{{ any(steps.a.result, .hp > 5) }}', n: '{{ steps.a.result | filter(.hp > 5) | len() }}', cut: '{{ split(\"a-b\", \"-\")[1] }}'}",
			trace: "a+", ok: true, output: `{"any":true,"cut":"b","last":"Bob","n":1,"names":"Ann, Bob","sum":10,"top":"Bob"}`},
		{name: "what_is_missing_is_nil", text: "steps: [{id: a, tool: list}]\noutput: {a: '{{ steps.a.result.no.such[3].thing }}', b: '{{ steps.a.result[9] }}', c: '{{ steps.a.error.code ?? \"fine\" }}', d: '{{ not steps.a.result.x }}'}",
			trace: "a+", ok: true, output: `{"a":null,"b":null,"c":"fine","d":true}`},
		{name: "conditions", args: `{"go":true}`, text: "parameters: {go: {type: boolean}}\nsteps:\n- {id: a, tool: words, if: params.go}\n- {id: b, tool: words, if: steps.a.skipped or steps.a.result == 'x'}\n- {id: c, tool: words, if: steps.a.ok and not steps.b.ok}\n- {id: d, tool: words, if: false}",
			trace: "a+ b? c+ d?", ok: true},
		{name: "nil_is_no_truth", text: "parameters: {go: {type: boolean}}\nsteps:\n- {id: a, tool: words, if: params.go}", trace: "a?", ok: true},
		{name: "empty_answer", text: "steps: [{id: a, tool: empty}]\noutput: {a: '{{ steps.a.result }}', ok: '{{ steps.a.ok }}'}", trace: "a+", ok: true, output: `{"a":null,"ok":true}`},
		{name: "failure_ends_it", text: "steps:\n- {id: a, tool: words}\n- {id: b, tool: broken}\n- {id: c, tool: words}\noutput: x", trace: "a+ b- c?", err: errBroken, code: mcp.CodeHandlerError},
		{name: "refusal_keeps_its_code", text: "steps:\n- {id: a, tool: refused}\n- {id: b, tool: words}", trace: "a- b?", err: mcp.ErrNotAllowed, code: mcp.CodeForbidden},
		{name: "unknown_tool", text: "steps:\n- {id: a, tool: nosuch}", trace: "a-", err: mcp.ErrUnknownTool, code: mcp.CodeNotFound},
		{name: "reported_failure", text: "steps:\n- {id: a, tool: reported}", trace: "a-", err: errAny, code: mcp.CodeHandlerError},
		{name: "failure_is_known_to_later_steps", text: "stop_on_error: false\nsteps:\n- {id: a, tool: refused}\n- {id: b, tool: words, if: not steps.a.ok}\noutput: '{{ steps.a.error.code }}: {{ steps.a.error.message }}'",
			trace: "a- b+", output: `"forbidden: not for you"`},
		{name: "bad_condition", text: "steps:\n- {id: a, tool: words}\n- {id: b, tool: words, if: steps.a.result}\n- {id: c, tool: words}", trace: "a+ b- c?", err: errAny, code: mcp.CodeHandlerError},
		{name: "bad_argument", text: "steps:\n- {id: a, tool: words, with: {n: '{{ 1 / 0 }}'}}", trace: "a-", err: errAny, code: mcp.CodeHandlerError},
		{name: "bad_argument_in_a_group_runs_nothing", text: "steps:\n- parallel:\n  - {id: a, tool: words}\n  - {id: b, tool: words, with: {n: '{{ 1 % 0 }}'}}", trace: "a? b-", err: errAny, code: mcp.CodeHandlerError},
		{name: "bad_argument_in_a_patient_group", text: "stop_on_error: false\nsteps:\n- parallel:\n  - {id: a, tool: words}\n  - {id: b, tool: words, with: {n: '{{ 1 % 0 }}'}}", trace: "a+ b-"},
		{name: "bad_output", text: "steps:\n- {id: a, tool: words}\noutput: '{{ steps.a.result > 1 }}'", trace: "a+", err: errAny, code: mcp.CodeHandlerError},
		{name: "missing_parameter", text: "parameters: {n: {type: integer, required: true}}\nsteps: [{id: a, tool: words}]", err: mcp.ErrInvalidArguments, code: mcp.CodeInvalidInput},
		{name: "unknown_parameter", args: `{"x":1}`, text: "steps: [{id: a, tool: words}]", err: mcp.ErrInvalidArguments, code: mcp.CodeInvalidInput},
		{name: "parameter_of_another_type", args: `{"n":"3"}`, text: "parameters: {n: {type: integer}}\nsteps: [{id: a, tool: words}]", err: mcp.ErrInvalidArguments, code: mcp.CodeInvalidInput},
		{name: "arguments_are_no_object", args: `[]`, text: "steps: [{id: a, tool: words}]", err: mcp.ErrInvalidArguments, code: mcp.CodeInvalidInput},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := parse(t, "description: d\n"+row.text+"\n")
			got, res, err := run(t.Context(), t, w, &door{handlers: tools}, row.args)
			if row.err == nil && err != nil || row.err != nil && row.err != errAny && !errors.Is(err, row.err) || row.err == errAny && err == nil {
				t.Fatalf("err = %v, want %v", err, row.err)
			}
			if got := mcp.CodeOf(err); got != row.code {
				t.Errorf("code %q of %v, want %q", got, err, row.code)
			}
			if got.OK != row.ok || res.IsError != (err != nil && res.Structured != nil) {
				t.Errorf("ok %v, is_error %v; want %v, %v", got.OK, res.IsError, row.ok, err != nil)
			}
			if got := trace(got); got != row.trace {
				t.Errorf("steps %s, want %s", got, row.trace)
			}
			if string(got.Output) != row.output {
				t.Errorf("output %s, want %s", got.Output, row.output)
			}
		})
	}
}

// errAny stands for any error.
var errAny = errors.New("any")

func TestResultsAreToldWithoutOutputAndAfterFailure(t *testing.T) {
	tools := handlers{"echo": echo, "broken": fails(errBroken)}
	for _, row := range []struct{ name, lines, want string }{
		{"without_output", "", `{"x":1}`},
		{"with_output", "output: done\n", ""},
		{"failed", "- {id: b, tool: broken}\noutput: done\n", `{"x":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := parse(t, "description: d\nsteps:\n- {id: a, tool: echo, with: {x: 1}}\n"+row.lines)
			got, _, err := run(t.Context(), t, w, &door{handlers: tools}, "")
			if string(got.Steps[0].Result) != row.want {
				t.Errorf("result %s (%v), want %s", got.Steps[0].Result, err, row.want)
			}
		})
	}
}

func TestErrorNamesTheStep(t *testing.T) {
	w := parse(t, "description: d\nsteps:\n- {id: first, tool: broken}\n")
	got, _, err := run(t.Context(), t, w, &door{handlers: handlers{"broken": fails(errBroken)}}, "")
	if want := `step "first": it is broken`; err == nil || err.Error() != want || got.Error == nil || got.Error.Message != want {
		t.Errorf("err = %v, told %+v; want %s", err, got.Error, want)
	}
}

func TestStepsRunInOrderAndGroupsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &door{handlers: handlers{"fast": slow(time.Second, "1"), "slow": slow(3*time.Second, "2")}}
		w := parse(t, "description: d\nsteps:\n- {id: a, tool: fast}\n- parallel:\n  - {id: b, tool: slow}\n  - {id: c, tool: fast}\n  - {id: e, tool: slow}\n- {id: f, tool: fast}\n")
		start := time.Now()
		got, _, err := run(t.Context(), t, w, d, "")
		if took := time.Since(start); err != nil || took != 5*time.Second {
			t.Errorf("took %v, %v; want 1 s + 3 s + 1 s", took, err)
		}
		var ms []float64
		for _, s := range got.Steps {
			ms = append(ms, s.Ms)
		}
		if diff := cmp.Diff([]float64{1000, 3000, 1000, 3000, 1000}, ms); diff != "" {
			t.Errorf("durations (-want +got):\n%s", diff)
		}
	})
}

func TestFirstFailureEndsTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := func(ctx context.Context, _ string) (mcp.Result, error) {
			time.Sleep(time.Second)
			return mcp.Result{}, errBroken
		}
		d := &door{handlers: handlers{"broken": broken, "slow": slow(time.Hour, "x"), "fast": slow(time.Millisecond, "x")}}
		w := parse(t, "description: d\nsteps:\n- parallel:\n  - {id: a, tool: slow}\n  - {id: b, tool: broken}\n  - {id: c, tool: fast}\n- {id: d, tool: fast}\n")
		start := time.Now()
		got, _, err := run(t.Context(), t, w, d, "")
		if took := time.Since(start); !errors.Is(err, errBroken) || took != time.Second {
			t.Errorf("ended after %v with %v; want 1 s and %v", took, err, errBroken)
		}
		if trace(got) != "a- b- c+ d?" || got.Steps[0].Error.Code != mcp.CodeCancelled {
			t.Errorf("steps %s, first %+v; want the first cancelled", trace(got), got.Steps[0].Error)
		}
	})
}

func TestContextEndsIt(t *testing.T) {
	for _, row := range []struct{ name, text, trace string }{
		{"in_a_step", "steps:\n- {id: a, tool: fast}\n- {id: b, tool: slow}\n- {id: c, tool: fast}\n", "a+ b- c?"},
		{"in_a_group", "steps:\n- parallel:\n  - {id: a, tool: fast}\n  - {id: b, tool: slow}\n- {id: c, tool: fast}\n", "a+ b- c?"},
		{"patient", "stop_on_error: false\nsteps:\n- {id: b, tool: slow}\n- {id: c, tool: fast}\n", "b- c?"},
		{"patient_at_the_end", "stop_on_error: false\nsteps:\n- {id: b, tool: slow}\n", "b-"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &door{handlers: handlers{"slow": slow(time.Hour, "x"), "fast": slow(time.Millisecond, "x")}}
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, mcp.ErrTimeout)
				defer cancel()
				start := time.Now()
				got, res, err := run(ctx, t, parse(t, "description: d\n"+row.text), d, "")
				if took := time.Since(start); mcp.CodeOf(err) != mcp.CodeTimeout || took != 950*time.Millisecond || !res.IsError {
					t.Errorf("ended after %v with %v (%v); want a timeout a moment before 1 s", took, err, res.IsError)
				}
				if trace(got) != row.trace {
					t.Errorf("steps %s, want %s", trace(got), row.trace)
				}
			})
		})
	}
}

func TestConditionsSayWhatTheyWant(t *testing.T) {
	d := &door{handlers: handlers{"text": says("x"), "list": says("[1]"), "object": says("{}"), "number": says(`{"n":1.5}`)}}
	for _, row := range []struct{ name, tool, cond, want string }{
		{"text", "text", "steps.a.result", `step "b": computing "steps.a.result": want true or false, not text`},
		{"list", "list", "steps.a.result", `step "b": computing "steps.a.result": want true or false, not a list`},
		{"object", "object", "steps.a.result", `step "b": computing "steps.a.result": want true or false, not an object`},
		{"number", "number", "steps.a.result.n", `step "b": computing "steps.a.result.n": want true or false, not a number`},
		{"within", "number", "steps.a.ok and steps.a.result.n", `step "b": computing "steps.a.ok and steps.a.result.n": want true or false, not a number`},
		{"comparison", "text", "steps.a.result > 1", `step "b": computing "steps.a.result > 1": invalid operation: string > int`},
		{"nil", "text", "steps.a.error > 1", `step "b": computing "steps.a.error > 1": invalid operation: <nil> > int`},
		{"separator", "list", "join(steps.a.result, 1) == ''", `step "b": computing "join(steps.a.result, 1) == ''": the separator of join is no text`},
		{"no_list", "text", "join(steps.a.result) == ''", `step "b": computing "join(steps.a.result) == ''": join takes a list`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := parse(t, "description: d\nsteps:\n- {id: a, tool: "+row.tool+"}\n- id: b\n  tool: text\n  if: "+row.cond+"\n")
			_, _, err := run(t.Context(), t, w, d, "")
			if err == nil || err.Error() != row.want {
				t.Errorf("err = %v\nwant  %s", err, row.want)
			}
		})
	}
}

func TestArgumentsFitTheirParameters(t *testing.T) {
	w := parse(t, short(`parameters:
  n: {type: integer, minimum: 1, maximum: 5}
  x: {type: number}
  b: {type: boolean}
  e: {type: string, enum: [a, b]}
  k: {type: number, enum: [1, 2.5]}
  l: {type: array, items: {type: integer, minimum: 0}}
  o: {type: object, default: {a: [1, {b: null}], c: 2.5}}
`))
	d := &door{handlers: handlers{"roll": echo}}
	for _, row := range []struct{ name, args, want string }{
		{"all", `{"n":5,"x":1,"b":false,"e":"a","k":1.0,"l":[0,3],"o":{}}`, ""},
		{"null_is_left_out", `{"n":null}`, ""},
		{"whole_as_fraction", `{"n":3.0}`, ""},
		{"fraction", `{"n":3.5}`, `"n" cannot have this value: it is not of type integer`},
		{"below", `{"n":0}`, `"n" cannot have this value: it is below the minimum of 1`},
		{"above", `{"n":6}`, `"n" cannot have this value: it is above the maximum of 5`},
		{"text_for_number", `{"x":"1"}`, `"x" cannot have this value: it is not of type number`},
		{"number_for_bool", `{"b":1}`, `"b" cannot have this value: it is not of type boolean`},
		{"not_listed", `{"e":"c"}`, `"e" cannot have this value: it is none of [a b]`},
		{"number_not_listed", `{"k":2}`, `"k" cannot have this value: it is none of [1 2.5]`},
		{"item", `{"l":[1,-1]}`, `"l" cannot have this value: an item is wrong: it is below the minimum of 0`},
		{"list_for_object", `{"o":[]}`, `"o" cannot have this value: it is not of type object`},
		{"no_json", `{"o":`, `want a JSON object`},
		{"two_values", `{} {}`, `want a JSON object`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := run(t.Context(), t, w, d, row.args)
			if row.want == "" && err != nil || row.want != "" && (err == nil || err.Error() != "invalid arguments: "+row.want) {
				t.Errorf("err = %v, want %q", err, row.want)
			}
		})
	}
}
