package bridge_test

import (
	"context"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// sink is a session that signals each result and keeps nothing.
type sink struct {
	handle   s2s.ToolCallHandler
	answered chan struct{}
}

func (s *sink) SetTools(context.Context, []llm.ToolDefinition) error { return nil }
func (s *sink) OnToolCall(handle s2s.ToolCallHandler)                { s.handle = handle }
func (s *sink) SendToolResult(context.Context, s2s.ToolResult) error {
	s.answered <- struct{}{}
	return nil
}

// BenchmarkCall compares a call through the bridge, from the session's handler to the
// result, with the same call of the toolset alone.
func BenchmarkCall(b *testing.B) {
	inline := tool("noop", 1, answer("{}"))
	inline.Inline = true
	h := newHost(b, inline, tool("guarded", 1, answer("{}")))
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"noop", "guarded"}, Tier: mcp.BudgetFast})
	for _, name := range []string{"noop", "guarded"} {
		b.Run("toolset/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ts.Execute(b.Context(), name, "{}"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("bridge/"+name, func(b *testing.B) {
			s := &sink{answered: make(chan struct{}, 1)}
			br, err := bridge.NewBridge(h, s, mcp.BudgetFast)
			if err != nil {
				b.Fatal(err)
			}
			defer br.Close()
			b.ReportAllocs()
			for b.Loop() {
				s.handle(llm.ToolCall{Name: name, Arguments: "{}"})
				<-s.answered
			}
		})
	}
}
