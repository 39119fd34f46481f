package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

func TestTool(t *testing.T) {
	second := time.Second
	read := fact{target: mcp.Target{ReadOnly: true, Source: "builtin"}, p50: second / 10, max: second, idempotent: true}
	slow := fact{target: mcp.Target{ReadOnly: true, Source: "builtin"}, p50: second, max: 5 * second, idempotent: true}
	write := fact{target: mcp.Target{Source: "builtin"}, p50: second / 10, max: second, idempotent: true}
	reg := known{
		"read": read, "slow": slow, "write": write,
		"once":  {target: mcp.Target{ReadOnly: true, Source: "builtin"}, p50: second, max: second},
		"far":   {target: mcp.Target{ReadOnly: true, Source: "harbour"}, p50: second, max: 50 * second, idempotent: true},
		"vague": {target: mcp.Target{ReadOnly: true, Source: "builtin"}, idempotent: true},
		"other": {target: mcp.Target{ReadOnly: true, Source: "workflow"}, p50: second, max: second, idempotent: true},
	}
	type facts struct {
		ReadOnly, Idempotent, Destructive, OpenWorld bool
		Expected                                     time.Duration
		MaxMs                                        int
	}
	for _, row := range []struct {
		name, steps string
		want        facts
	}{
		{"sequence_adds_up", "- {id: a, tool: read}\n- {id: b, tool: slow}", facts{true, true, false, false, 1100 * time.Millisecond, 6000}},
		{"group_is_its_slowest", "- parallel:\n  - {id: a, tool: read}\n  - {id: b, tool: slow}\n  - {id: c, tool: slow}\n- {id: d, tool: other}", facts{true, true, false, false, 2 * second, 6000}},
		{"one_that_writes", "- {id: a, tool: read}\n- {id: b, tool: write}", facts{false, true, true, false, second / 5, 2000}},
		{"one_not_to_repeat", "- {id: a, tool: read}\n- {id: b, tool: once}", facts{true, false, false, false, 1100 * time.Millisecond, 2000}},
		{"one_from_elsewhere", "- {id: a, tool: far}", facts{true, true, false, true, second, 50000}},
		{"at_most_a_minute", "- {id: a, tool: far}\n- {id: b, tool: far}", facts{true, true, false, true, 2 * second, 60000}},
		{"unknown_latency", "- {id: a, tool: vague}", facts{true, true, false, false, second, 30000}},
		{"unknown_tool_may_do_anything", "- {id: a, tool: nosuch}", facts{false, false, true, true, second, 30000}},
		{"own_timeout", "- {id: a, tool: far}\ntimeout: 1500ms", facts{true, true, false, true, second, 1500}},
	} {
		t.Run(row.name, func(t *testing.T) {
			tool := parse(t, "name: w\ntitle: T\ndescription: D\nsteps:\n"+row.steps+"\n").Tool(reg, nil)
			d := tool.Definition
			got := facts{tool.ReadOnly, d.Idempotent, tool.Destructive, tool.OpenWorld, tool.Expected(), d.MaxDurationMs}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			if d.Name != "w" || tool.Title != "T" || d.Description != "D" || tool.Kind != tools.KindWorkflow || !tool.Composite || tool.Permission != "" {
				t.Errorf("tool %+v", tool)
			}
		})
	}
}

func TestExpectedFollowsTheRegistry(t *testing.T) {
	reg := known{"a": {p50: time.Second}}
	tool := parse(t, "description: d\nsteps: [{id: a, tool: a}]\n").Tool(reg, nil)
	reg["a"] = fact{p50: time.Minute}
	if got := tool.Expected(); got != time.Minute {
		t.Errorf("Expected() = %v, want what the registry says now, %v", got, time.Minute)
	}
}

func TestEffect(t *testing.T) {
	for _, row := range []struct {
		name, lines string
		want        tools.Effect
	}{
		{"default", "", tools.EffectAtCommit},
		{"commit", "effect: commit\n", tools.EffectAtCommit},
		{"now", "effect: now\n", tools.EffectNow},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := parse(t, short(row.lines)).Tool(known{}, nil).Effect; got != row.want {
				t.Errorf("effect %v, want %v", got, row.want)
			}
		})
	}
}

func TestParametersBecomeASchema(t *testing.T) {
	tool := parse(t, short(`parameters:
  topic: {type: string, description: What., required: true, enum: [a, b]}
  limit: {type: integer, default: 3, minimum: 1, maximum: 9}
  ids: {type: array, items: {type: string}}
  more: {type: object}
`)).Tool(known{}, nil)
	got, err := json.Marshal(tool.Definition.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"additionalProperties":false,"properties":{"ids":{"items":{"type":"string"},"type":"array"},"limit":{"default":3,"maximum":9,"minimum":1,"type":"integer"},"more":{"type":"object"},"topic":{"description":"What.","enum":["a","b"],"type":"string"}},"required":["topic"],"type":"object"}`
	if string(got) != want {
		t.Errorf("schema %s\nwant   %s", got, want)
	}
}

// resolve compiles a schema.
func resolve(t *testing.T, schema map[string]any) *jsonschema.Resolved {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResultsFitTheirSchemas(t *testing.T) {
	refused := &mcp.Refusal{Code: mcp.CodeCapacityExceeded, Reason: "slower", Hint: "wait", RetryAfter: time.Second, Approval: "k3"}
	d := &door{handlers: handlers{"echo": echo, "refused": fails(refused)}}
	batch := workflow.Batch()
	wf := parse(t, "description: d\nstop_on_error: false\nsteps:\n- {id: a, tool: echo, with: {x: 1}}\n- {id: b, tool: refused}\n- {id: c, tool: echo, if: false}\noutput: {a: 1}\n").Tool(known{}, nil)
	failing := parse(t, "description: d\nsteps:\n- {id: b, tool: refused}\n").Tool(known{}, nil)
	ops := `{"stop_on_error":true,"operations":[{"tool":"echo","id":"a"},{"tool":"refused"},{"tool":"echo"}]}`
	for _, row := range []struct {
		name, args string
		tool       tools.Tool
	}{{"workflow", "{}", wf}, {"failing_workflow", "{}", failing}, {"batch", ops, batch}} {
		t.Run(row.name, func(t *testing.T) {
			var args any
			if err := json.Unmarshal([]byte(row.args), &args); err != nil {
				t.Fatal(err)
			}
			if err := resolve(t, row.tool.Definition.Parameters).Validate(args); err != nil {
				t.Errorf("arguments: %v", err)
			}
			res, _ := row.tool.Respond(mcp.WithExecutor(t.Context(), d), row.args) // res contains the error
			var out any
			if err := json.Unmarshal(res.Structured, &out); err != nil {
				t.Fatal(err)
			}
			if err := resolve(t, row.tool.OutputSchema).Validate(out); err != nil {
				t.Errorf("%s: %v", res.Structured, err)
			}
		})
	}
}

func TestBatchIsNoShortcut(t *testing.T) {
	b := workflow.Batch()
	if b.Definition.Name != "batch" || b.ReadOnly || b.Floor != mcp.BudgetDeep || b.Permission != "" || b.Kind != "" || b.Needs != nil || !b.Composite || b.Definition.Idempotent {
		t.Errorf("batch is %+v", b)
	}
}
