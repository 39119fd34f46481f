package mcphost_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func noop(name string, inline bool) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, Parameters: map[string]any{"type": "object"}},
		Handler:    func(context.Context, string) (string, error) { return "{}", nil },
		Inline:     inline, DeclaredP50: 1, DeclaredMax: 1000,
	}
}

func newHost(tb testing.TB, defs ...mcphost.BuiltinTool) *mcphost.Host {
	tb.Helper()
	h := mcphost.New()
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	for _, d := range defs {
		if err := h.RegisterBuiltin(d); err != nil {
			tb.Fatal(err)
		}
	}
	return h
}

func BenchmarkAvailableTools(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			defs := make([]mcphost.BuiltinTool, n)
			for i := range defs {
				defs[i] = noop(fmt.Sprintf("tool_%04d", i), true)
			}
			h := newHost(b, defs...)
			b.ReportAllocs()
			for b.Loop() {
				if len(h.AvailableTools(mcp.BudgetFast)) != n {
					b.Fatal("tools are missing")
				}
			}
		})
	}
}

func BenchmarkExecuteTool(b *testing.B) {
	h := newHost(b, append(diceroller.Tools(), noop("noop", true), noop("guarded_noop", false))...)
	for _, bc := range []struct{ name, tool, args string }{
		{"noop", "noop", "{}"},
		{"guarded", "guarded_noop", "{}"},
		{"roll", "roll", `{"expression":"2d6+3"}`},
	} {
		b.Run(bc.name, func(b *testing.B) {
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.ExecuteTool(ctx, bc.tool, bc.args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
