package agent_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
)

func TestRaised(t *testing.T) {
	for _, row := range []struct {
		name     string
		choice   agent.Choice
		evidence string
		want     agent.Choice
	}{
		{"evidence raises", agent.Choice{Ceiling: mcp.BudgetDeep, Reason: tier.ReasonDefault}, "rules found", agent.Choice{Tier: mcp.BudgetStandard, Ceiling: mcp.BudgetDeep, Reason: "rules found"}},
		{"within the ceiling", agent.Choice{Ceiling: mcp.BudgetFast, Reason: tier.ReasonDefault}, "rules found", agent.Choice{Ceiling: mcp.BudgetFast, Reason: "rules found"}},
		{"none", agent.Choice{Ceiling: mcp.BudgetDeep, Reason: tier.ReasonDefault}, "", agent.Choice{Ceiling: mcp.BudgetDeep, Reason: tier.ReasonDefault}},
		{"players wait", agent.Choice{Ceiling: mcp.BudgetDeep, Reason: tier.ReasonQueue}, "rules found", agent.Choice{Ceiling: mcp.BudgetDeep, Reason: tier.ReasonQueue}},
		{"a keyword decides", agent.Choice{Tier: mcp.BudgetDeep, Ceiling: mcp.BudgetDeep, Reason: tier.ReasonDeep}, "rules found", agent.Choice{Tier: mcp.BudgetDeep, Ceiling: mcp.BudgetDeep, Reason: tier.ReasonDeep}},
		{"the DM decides", agent.Choice{Tier: mcp.BudgetFast, Ceiling: mcp.BudgetDeep, Reason: tier.ReasonOverride}, "memory found", agent.Choice{Tier: mcp.BudgetFast, Ceiling: mcp.BudgetDeep, Reason: tier.ReasonOverride}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.choice.Raised(row.evidence); got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}
