package audittool

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type queryArgs struct {
	Who      string `json:"who"`
	Tool     string `json:"tool"`
	Decision string `json:"decision"`
	Session  string `json:"session"`
	Since    string `json:"since"`
	Until    string `json:"until"`
	// Limit is nil for the default. Models like to write whole numbers as 5.0.
	Limit  *float64 `json:"limit"`
	Cursor string   `json:"cursor"`
}

type queryResult struct {
	Count   int            `json:"count"`
	Records []audit.Record `json:"records"`
	Next    string         `json:"next,omitempty"`
	// Lost is how many records are missing because the disk refused them.
	Lost int64 `json:"lost"`
}

func (t *toolset) query() tools.Tool {
	return define(llm.ToolDefinition{
		Name: "audit_query",
		Description: "Look up who called which tool, what was decided and why, and how long it took, newest first. " +
			"Give next as cursor for the page that follows.",
		Parameters: object(map[string]any{
			"who":      optional("Only calls of this caller: a client's name, npc:ID or operator."),
			"tool":     optional("Only calls of this tool."),
			"decision": choice("Only calls with this decision.", audit.Allowed, audit.Denied, audit.Pending),
			"session":  optional("Only calls of this session."),
			"since":    optional(sinceHelp),
			"until":    optional(untilHelp),
			"limit": map[string]any{
				"type": "integer", "minimum": 1, "maximum": audit.MaxLimit, "default": audit.DefaultLimit,
				"description": "Most records to return.",
			},
			"cursor": optional("Where to go on: next of the page before."),
		}),
		EstimatedDurationMs: 50,
		MaxDurationMs:       5000,
	}, "Query the audit log", queryOutput(), tools.JSON(t.runQuery))
}

func (t *toolset) runQuery(ctx context.Context, args queryArgs) (queryResult, error) {
	q := audit.Query{Who: args.Who, Tool: args.Tool, Decision: args.Decision, Session: args.Session, Cursor: args.Cursor}
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
		records = []audit.Record{}
	}
	return queryResult{Count: len(records), Records: records, Next: next, Lost: t.log.Lost()}, nil
}

func limit(asked *float64) (int, error) {
	if asked == nil {
		return audit.DefaultLimit, nil
	}
	if n := int(*asked); float64(n) == *asked && 1 <= n && n <= audit.MaxLimit {
		return n, nil
	}
	return 0, fmt.Errorf("%w: limit is %v; use a whole number from 1 to %d", mcp.ErrInvalidArguments, *asked, audit.MaxLimit)
}
