package access

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// defaultPeriod is how far a summary looks back by default.
const defaultPeriod = 24 * time.Hour

type usageArgs struct {
	Who   string `json:"who,omitempty" jsonschema:"Only calls of this caller: a client's name, npc:ID or operator."`
	Tool  string `json:"tool,omitempty" jsonschema:"Only calls of this tool."`
	Since string `json:"since,omitempty" jsonschema:"Earliest time of a call: RFC 3339, or how long ago, such as 2h or 7d."`
	Until string `json:"until,omitempty" jsonschema:"Calls before this time: RFC 3339, or how long ago, such as 30m."`
}

type usageResult struct {
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"`
	Calls     int       `json:"calls"`
	Truncated bool      `json:"truncated"`
	Usage     []usage   `json:"usage"`
	Lost      int64     `json:"lost"`
}

type usage struct {
	Who     string  `json:"who"`
	Tool    string  `json:"tool"`
	Calls   int     `json:"calls"`
	Denied  int     `json:"denied"`
	Pending int     `json:"pending"`
	Errors  int     `json:"errors"`
	Cached  int     `json:"cached"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
}

func (t *toolset) usage() tools.Tool {
	bounds := tools.Bounds{"calls": atLeastZero, "lost": atLeastZero}
	for _, amount := range []string{"calls", "denied", "pending", "errors", "cached", "p50_ms", "p99_ms"} {
		bounds["usage."+amount] = atLeastZero
	}
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "audit_usage",
			Description: "Sum up calls by caller and tool over a period: how many, how many denied or failed, " +
				"and the median and 99th percentile of their duration. Without a period, the last 24 hours.",
			Parameters:          tools.SchemaOf[usageArgs](nil),
			EstimatedDurationMs: 300, MaxDurationMs: 10_000,
		},
		Title: "Sum up the audit log", Permission: permission, Floor: mcp.BudgetDeep, Probe: probe,
		OutputSchema: tools.SchemaOf[usageResult](bounds), Handler: tools.JSON(t.runUsage),
	})
}

func (t *toolset) runUsage(ctx context.Context, args usageArgs) (usageResult, error) {
	now := time.Now()
	since, until, err := period(args.Since, args.Until, now)
	if err != nil {
		return usageResult{}, err
	}
	q := UsageQuery{Who: args.Who, Tool: args.Tool, Since: since, Until: until}
	if until.IsZero() {
		until = now
	}
	if since.IsZero() {
		since = until.Add(-defaultPeriod)
		q.Since = since
	}
	sum, err := t.log.Usage(ctx, q)
	if err != nil {
		return usageResult{}, err
	}
	out := usageResult{
		Since: since.UTC(), Until: until.UTC(), Calls: sum.Counted, Truncated: sum.Truncated,
		Usage: make([]usage, 0, len(sum.Usages)), Lost: t.log.Lost(),
	}
	for _, u := range sum.Usages {
		out.Usage = append(out.Usage, usage{
			Who: u.Who, Tool: u.Tool, Calls: u.Calls, Denied: u.Denied, Pending: u.Pending, Errors: u.Errors,
			Cached: u.Cached, P50: mcp.RoundedMillis(u.P50), P99: mcp.RoundedMillis(u.P99),
		})
	}
	return out, nil
}
