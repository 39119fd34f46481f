package mcpbench

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func toolName(i int) string { return fmt.Sprintf("tool_%05d", i) }

// manyTools returns n tools that may be probed and that calibration moves to
// FAST.
func manyTools(n int) []tools.Tool {
	all := make([]tools.Tool, n)
	for i := range all {
		all[i] = tools.Tool{
			Definition: llm.ToolDefinition{
				Name: toolName(i), Description: "Looks something up that nobody asks for.", Idempotent: true,
				Parameters: map[string]any{
					"type": "object", "additionalProperties": false,
					"properties": map[string]any{"of": map[string]any{"type": "string", "description": "What of."}},
				},
			},
			Handler:  func(context.Context, string) (string, error) { return `{"found":1}`, nil },
			ReadOnly: true, Inline: true, Permission: "dice.roll",
		}
	}
	return all
}

// failing is a tool that is demoted, and so moves to another tier, after a few
// failed calls.
func failing(name string) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{Name: name, EstimatedDurationMs: 1},
		Handler:    func(context.Context, string) (string, error) { return "", errors.New("no") },
		Inline:     true,
	}
}

const (
	growthRounds = 5
	// untilDemoted is the number of failures that demote a tool.
	untilDemoted = 5
)

// registrySteps are the steps of a host alone.
func registrySteps(t *testing.T, size int) []step {
	ctx := t.Context()
	all := manyTools(size)
	var host *mcphost.Host
	closeHost := func() {
		if host != nil {
			must(t, "closing the host", host.Close())
		}
	}
	t.Cleanup(closeHost)
	fresh := func() {
		closeHost()
		host = mcphost.New()
	}
	filled := func() {
		fresh()
		must(t, "registering tools", host.RegisterBuiltin(all...))
		for i := range growthRounds { // for the steps after calibration
			must(t, "registering a failing tool", host.RegisterBuiltin(failing(toolName(-1-i))))
		}
	}
	allow := []string{toolName(5), toolName(6), toolName(size - 1)}
	next := 0
	return []step{
		{name: "register", bound: straight, rounds: growthRounds, prepare: fresh, work: func() {
			must(t, "registering tools", host.RegisterBuiltin(all...))
		}},
		{name: "calibrate", bound: straight, rounds: 3, prepare: filled, work: func() {
			must(t, "calibrating", host.Calibrate(ctx))
		}},
		{name: "one moves to another tier", bound: moved, rounds: growthRounds, work: func() {
			changed := host.Changed()
			for range untilDemoted {
				if _, err := host.ExecuteTool(ctx, toolName(-1-next), "{}"); err == nil {
					t.Error("a failing tool succeeded")
				}
			}
			next++
			select {
			case <-changed:
			default:
				t.Error("the tool did not move")
			}
		}},
		{name: "definitions of a tier", bound: flat, rounds: growthRounds, each: 1000, work: func() {
			for range 1000 {
				if len(host.AvailableTools(mcp.BudgetDeep)) != size+growthRounds {
					t.Error("not all tools are there")
				}
			}
		}},
		{name: "tools of an NPC that may use three", bound: flat, rounds: growthRounds, each: 100, work: func() {
			for range 100 {
				if len(host.Toolset(mcphost.ToolsetOptions{Allow: allow, Tier: mcp.BudgetDeep}).Definitions()) != 3 {
					t.Error("not all tools are there")
				}
			}
		}},
		{name: "one call", bound: flat, rounds: growthRounds, each: 1000, work: func() {
			for range 1000 {
				if _, err := host.ExecuteTool(ctx, allow[2], "{}"); err != nil {
					t.Error(err)
				}
			}
		}},
	}
}

func TestGrowthOfTools(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; make gate runs this without it")
	}
	holdGrowth(t, "tools", atSizes(t, sizes(10, 10_000), registrySteps))
}
