package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

// unmeasured knows nothing of any tool.
type unmeasured struct{}

func (unmeasured) Lookup(string) (mcp.Target, time.Duration, time.Duration, bool, bool) {
	return mcp.Target{}, 0, 0, false, false
}

// TestApprovedWorkflowGoesOn has a client call a workflow of which one step waits for
// approval: once it is granted the same call makes the rest, and the step before it was
// made once.
func TestApprovedWorkflowGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		look, write := echo("look_up", "memory.read"), echo("write_it", "world.write")
		write.ReadOnly = false
		var found, noted int
		counted := func(t *mcphost.BuiltinTool, n *int) {
			t.Handler = func(_ context.Context, args string) (string, error) { *n++; return args, nil }
		}
		counted(&look, &found)
		counted(&write, &noted)
		w, err := workflow.Parse("note.yaml", []byte("description: Notes it.\nsteps:\n- {id: found, tool: look_up, with: {a: 1}}\n- {id: noted, tool: write_it, with: {a: 2}}\n"))
		must(t, "reading the workflow", err)
		var runs workflow.Runs
		h := newFixture(t, plan{
			tools:  []mcphost.BuiltinTool{look, write, w.Tool(unmeasured{}, &runs)},
			config: config.Server{Policy: []config.Rule{{Name: "ask", Kind: config.RuleApproval, Tools: []string{"write_it"}}}},
		})
		s := h.pipeOf("builder.readWrite", "2025-06-18", nil)
		call := func() string {
			res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "note"})
			must(t, "calling", err)
			raw, err := json.Marshal(res)
			must(t, "encoding", err)
			return string(raw)
		}
		for range 2 {
			if got := call(); !strings.Contains(got, "pending_approval") {
				t.Fatalf("a run whose step waits answers %s", got)
			}
		}
		must(t, "granting", h.policy.Decide(h.policy.Pending()[0].ID, true, "dm"))
		if got := call(); strings.Contains(got, `"isError":true`) || strings.Contains(got, "pending_approval") {
			t.Errorf("the granted run answers %s", got)
		}
		if found != 1 || noted != 1 {
			t.Errorf("the steps were made %d and %d times, want once each", found, noted)
		}
	})
}
