package mcphost_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestToolsetListsExactlyWhatItExecutes(t *testing.T) {
	h := newHost(t, builtin("a", 5, answer(`"a"`)), builtin("b", 5, answer(`"b"`)), builtin("slow", 900, answer(`"s"`)))
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"slow", "a", "ghost"}, Tier: mcp.BudgetFast})
	if got := names(ts.Definitions()); got != "a" {
		t.Errorf("definitions = %q, want a alone", got)
	}
	for _, row := range []struct {
		tool string
		want error
	}{{"a", nil}, {"b", mcp.ErrNotAllowed}, {"slow", mcp.ErrNotAllowed}, {"ghost", mcp.ErrNotAllowed}, {"", mcp.ErrNotAllowed}} {
		if _, err := ts.Execute(t.Context(), row.tool, "{}"); !errors.Is(err, row.want) {
			t.Errorf("Execute(%q) = %v, want %v", row.tool, err, row.want)
		}
	}
	if got := h.Toolset(mcphost.ToolsetOptions{Tier: mcp.BudgetDeep}).Definitions(); len(got) != 0 {
		t.Errorf("an empty whitelist lists %v", got)
	}
}

func TestRoundCostsItsSlowestCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, builtin("a", 5, takes(15*time.Millisecond)), builtin("b", 5, takes(200*time.Millisecond)),
			builtin("c", 5, takes(10*time.Second)))
		ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a", "b", "c"}, Tier: mcp.BudgetFast, Ceiling: 500 * time.Millisecond})
		start := time.Now()
		out := ts.ExecuteRound(t.Context(), []llm.ToolCall{{Name: "a"}, {Name: "b"}})
		if took := time.Since(start); took != 200*time.Millisecond || out[0].Err != nil || out[1].Err != nil {
			t.Errorf("round took %v with %v, want 200 ms and no error", took, out)
		}
		start = time.Now()
		out = ts.ExecuteRound(t.Context(), []llm.ToolCall{{Name: "c"}, {Name: "a"}})
		if took := time.Since(start); took != 500*time.Millisecond || !errors.Is(out[0].Err, mcp.ErrTimeout) || out[1].Err != nil {
			t.Errorf("round took %v with %v, want the ceiling and one time-out", took, out)
		}
	})
}

func TestOrderIsStableWhenLatenciesTie(t *testing.T) {
	h := newHost(t, noop("c", true), noop("a", true), noop("b", true))
	for i := range 200 {
		h.ExecuteTool(t.Context(), []string{"a", "b", "c"}[i%3], "")
		if got := names(h.AvailableTools(mcp.BudgetFast)); got != "a b c" {
			t.Fatalf("order = %s", got)
		}
	}
}

func TestRoundIsBoundedAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, builtin("slow", 5, takes(400*time.Millisecond)))
		ts := h.Toolset(mcphost.ToolsetOptions{Allow: []string{"slow"}, Tier: mcp.BudgetFast, Ceiling: 500 * time.Millisecond})
		calls := make([]llm.ToolCall, mcphost.MaxRound+4)
		for i := range calls {
			calls[i].Name = "slow"
		}
		start := time.Now()
		out := ts.ExecuteRound(t.Context(), calls)
		if took := time.Since(start); took != 400*time.Millisecond {
			t.Errorf("%d calls took %v, want 400 ms", len(calls), took)
		}
		for i, o := range out {
			if want := i >= mcphost.MaxRound; errors.Is(o.Err, mcp.ErrBusy) != want {
				t.Errorf("call %d ended in %v, want busy = %v", i, o.Err, want)
			}
		}
	})
}
