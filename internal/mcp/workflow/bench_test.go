package workflow_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

// BenchmarkRun measures the overhead of a workflow.
func BenchmarkRun(b *testing.B) {
	for _, row := range []struct{ name, text string }{
		{"one_step", "steps: [{id: a, tool: t}]\n"},
		{"ten_steps", sequence(10)[len("description: d\n"):]},
		{"sixteen_at_once", group(16)[len("description: d\n"):]},
		{"templated", "parameters: {n: {type: integer, default: 2}}\nsteps:\n- {id: a, tool: t, with: {x: '{{ params.n }}', y: 'n is {{ params.n }}'}}\n- {id: b, tool: t, if: steps.a.ok}\noutput: {x: '{{ steps.a.result.x }}'}\n"},
	} {
		b.Run(row.name, func(b *testing.B) {
			tool := parse(b, "description: d\n"+row.text).Tool(known{}, nil)
			ctx := mcp.WithExecutor(b.Context(), doorFunc(answer))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Respond(ctx, "{}"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBatch measures the overhead of a batch of a hundred.
func BenchmarkBatch(b *testing.B) {
	args := `{"operations":` + operations(100, "t") + `}`
	ctx := mcp.WithExecutor(b.Context(), doorFunc(answer))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := workflow.Batch().Respond(ctx, args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad measures how long it takes to read a shipped file.
func BenchmarkLoad(b *testing.B) {
	text := []byte(readFile(b, "../../../workflows/recap.yaml"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := workflow.Parse("recap.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}
