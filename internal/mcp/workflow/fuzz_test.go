package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// FuzzLoad checks that a file either loads and runs within its limits, or every problem
// names an existing line.
func FuzzLoad(f *testing.F) {
	for _, row := range broken {
		f.Add(row.text)
	}
	for _, name := range []string{"recap", "ambush", "arrival"} {
		f.Add(readFile(f, "../../../workflows/"+name+".yaml"))
	}
	f.Add(short("parameters: {p: {type: array, items: {type: integer}, required: true}}\noutput: '{{ map(params.p, # * 2) }}'\n"))
	f.Fuzz(func(t *testing.T, text string) {
		w, err := workflow.Parse("w.yaml", []byte(text))
		if err != nil {
			var list userfile.Problems
			if w != nil || !errors.As(err, &list) {
				t.Fatalf("Parse = %v, %v; want problems alone", w, err)
			}
			for _, p := range list {
				if lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2; p.Line < 0 || p.Line > lines || p.What == "" {
					t.Fatalf("problem %+v in %d lines", p, lines)
				}
			}
			return
		}
		exercise(t, w)
	})
}

// exercise runs w with arguments generated from its schema, and checks its limits.
func exercise(t *testing.T, w *workflow.Workflow) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d := &door{handlers: handlers{}}
	for i, name := range w.Needs() {
		d.handlers[name] = []func(context.Context, string) (mcp.Result, error){echo, says("[1,{\"a\":\"b\"}]"), says("text"), fails(errBroken)}[i%4]
	}
	tool := w.Tool(known{}, nil)
	args, err := json.Marshal(sample(tool.Definition.Parameters))
	if err != nil {
		t.Fatalf("the schema %v cannot be encoded: %v", tool.Definition.Parameters, err)
	}
	res, err := tool.Respond(mcp.WithExecutor(ctx, d), string(args))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatal("the run did not end in time")
	}
	if errors.Is(err, mcp.ErrInvalidArguments) && res.Structured == nil {
		return result{} // the sample is invalid, for example below a minimum
	}
	got := told(t, res)
	if n := len(d.seen()); n > workflow.MaxSteps || len(got.Steps) > workflow.MaxSteps || len(got.Steps) < n {
		t.Fatalf("%d calls by %d steps", n, len(got.Steps))
	}
	if !json.Valid(res.Structured) || !utf8.Valid(res.Structured) || len(res.Structured) > workflow.MaxResult+workflow.MaxSteps*10_000 {
		t.Fatalf("result of %d bytes: %.200s", len(res.Structured), res.Structured)
	}
	if res.IsError != (err != nil) || err != nil && got.OK {
		t.Fatalf("err %v, is_error %v, ok %v", err, res.IsError, got.OK)
	}
	return got
}

// sample generates arguments from a schema.
func sample(schema map[string]any) map[string]any {
	values := map[string]any{"string": "x", "integer": 1, "number": 1.5, "boolean": true, "array": []any{}, "object": map[string]any{"a": 1}}
	out := map[string]any{}
	for name, p := range schema["properties"].(map[string]any) {
		p := p.(map[string]any)
		switch enum, _ := p["enum"].([]any); {
		case len(enum) > 0:
			out[name] = enum[0]
		case p["minimum"] != nil:
			out[name] = p["minimum"]
		default:
			out[name] = values[p["type"].(string)]
		}
	}
	return out
}

// FuzzTemplate checks that text without expressions is unchanged, and text with
// expressions is either refused or rendered within its limits.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		"plain", "{{ params.s }}", "a {{ params.n }} b {{ steps.a.result.x }}", "{{ '}}' }}", "{{ {'a': {'b': 1}}.a.b }}", "{{", "}}", "{{}}", "{{ \"\\\"\" }}",
		"{{ map(params.l, # + 1) | join(', ') }}", "{{ params.s[0:2] }}", "{{ sortBy(params.l, #, 'desc') }}", "{{ params.o.deep.er ?? 'no' }}",
		"{{ params.n > 1 ? 'many' : 'one' }}", "{{ [params.n, 2.5, nil, true, {'k': 'v'}] }}", "{{ -params.n ** 2 % 3 }}", "{{ `raw` }}", "{{ string(params.o) }}",
		"{{ int('x') }}", "{{ take(params.l, -1) }}", "{{ params.l[-1] }}", "{{ 1 / 0 }}", "{{ filter(params.l, 1) }}", "{{ if params.n > 1 { 2 } else { 3 } }}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil || strings.TrimSpace(text) == "" {
			return
		}
		w, err := workflow.Parse("w.yaml", []byte("description: d\nparameters: {s: {type: string}, n: {type: integer}, l: {type: array, default: [3, 1, 2]}, o: {type: object}}\nsteps: [{id: a, tool: t}]\noutput: "+string(quoted)+"\n"))
		if err != nil {
			return
		}
		got := exercise(t, w)
		var out any
		if got.Output != nil {
			if err := json.Unmarshal(got.Output, &out); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(text, "{{") && utf8.ValidString(text) && out != text {
			t.Errorf("output %q, want %q", out, text)
		}
	})
}
