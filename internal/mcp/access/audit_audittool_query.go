package access

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type queryArgs struct {
	Who      string `json:"who,omitempty" jsonschema:"Only calls of this caller: a client's name, npc:ID or operator."`
	Tool     string `json:"tool,omitempty" jsonschema:"Only calls of this tool."`
	Decision string `json:"decision,omitempty" jsonschema:"Only calls with this decision."`
	Denied   bool   `json:"denied,omitempty" jsonschema:"Only calls that were refused."`
	Session  string `json:"session,omitempty" jsonschema:"Only calls of this session."`
	Since    string `json:"since,omitempty" jsonschema:"Earliest time of a call: RFC 3339, or how long ago, such as 2h or 7d."`
	Until    string `json:"until,omitempty" jsonschema:"Calls before this time: RFC 3339, or how long ago, such as 30m."`
	// Limit is nil for the default. It is a float because models like to write whole numbers as 5.0.
	Limit  *float64 `json:"limit,omitempty" jsonschema:"Most records to return."`
	Cursor string   `json:"cursor,omitempty" jsonschema:"Where to go on: next of the page before."`
}

type queryResult struct {
	Count   int         `json:"count"`
	Records []LogRecord `json:"records"`
	Next    string      `json:"next,omitempty"`
	// Lost is the number of records missing because of disk failures.
	Lost int64 `json:"lost"`
}

func (t *toolset) query() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "audit_query",
			Description: "Look up who called which tool, what was decided and why, and how long it took, newest first. " +
				"Give next as cursor for the page that follows.",
			Parameters: tools.SchemaOf[queryArgs](tools.Bounds{
				"decision": {"enum": Decisions()},
				"limit":    {"type": "integer", "minimum": 1, "maximum": MaxLimit, "default": DefaultLimit},
			}),
			EstimatedDurationMs: 50, MaxDurationMs: 5000,
		},
		Title: "Query the audit log", Permission: permission, Floor: mcp.BudgetDeep, Probe: probe,
		OutputSchema: tools.SchemaOf[queryResult](tools.Bounds{
			"count": atLeastZero, "lost": atLeastZero, "records.id": atLeastZero,
			"records.duration_ms": {"type": "number", "minimum": 0},
		}),
		Handler: tools.JSON(t.runQuery),
	})
}

func (t *toolset) runQuery(ctx context.Context, args queryArgs) (queryResult, error) {
	q := LogQuery{Who: args.Who, Tool: args.Tool, Decision: args.Decision, Denied: args.Denied, Session: args.Session, Cursor: args.Cursor}
	var err error
	if q.Since, q.Until, err = period(args.Since, args.Until, time.Now()); err != nil {
		return queryResult{}, err
	}
	if q.Limit, err = limit(args.Limit); err != nil {
		return queryResult{}, err
	}
	records, next, err := t.log.Query(ctx, q)
	if err != nil {
		return queryResult{}, err
	}
	if records == nil {
		records = []LogRecord{}
	}
	return queryResult{Count: len(records), Records: records, Next: next, Lost: t.log.Lost()}, nil
}

func limit(asked *float64) (int, error) {
	if asked == nil {
		return DefaultLimit, nil
	}
	if n := int(*asked); float64(n) == *asked && 1 <= n && n <= MaxLimit {
		return n, nil
	}
	return 0, fmt.Errorf("%w: limit is %v; use a whole number from 1 to %d", mcp.ErrInvalidArguments, *asked, MaxLimit)
}
