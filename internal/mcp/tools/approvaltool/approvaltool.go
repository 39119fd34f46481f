// Package approvaltool shows the calls that wait for somebody's approval and
// decides on them: list_approvals and decide_approval.
//
// Imported by the composition root.
package approvaltool

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Desk is where calls wait. It is safe for concurrent use.
type Desk interface {
	Pending() []policy.Approval
	// Decide grants or denies a call. An id that waits for nothing, and a caller
	// who decides on its own call, wrap [mcp.ErrInvalidArguments] or are refused.
	Decide(id string, grant bool, by string) error
}

// Tools returns the tools over desk.
func Tools(desk Desk) []tools.Tool {
	return []tools.Tool{list(desk), decide(desk)}
}

type waiting struct {
	ID        string    `json:"id"`
	Caller    string    `json:"caller"`
	Tool      string    `json:"tool"`
	Arguments string    `json:"arguments"`
	Asked     time.Time `json:"asked"`
	Expires   time.Time `json:"expires"`
}

func list(desk Desk) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "list_approvals", Description: "List the calls that wait for approval, oldest first.",
			Parameters:          object(nil, map[string]any{}),
			EstimatedDurationMs: 1, MaxDurationMs: 1000, Idempotent: true,
		},
		Title: "List approvals", Permission: policy.SessionControl, ReadOnly: true, Floor: mcp.BudgetDeep, Inline: true,
		OutputSchema: object([]string{"approvals"}, map[string]any{"approvals": map[string]any{
			"type": "array", "items": object([]string{"id", "caller", "tool", "arguments", "asked", "expires"}, map[string]any{
				"id": text("Id to decide with."), "caller": text("Who asks."), "tool": text("What it wants to call."),
				"arguments": text("With what, as JSON."), "asked": text("Since when."), "expires": text("Until when it waits."),
			}),
		}}),
		Handler: func(context.Context, string) (string, error) {
			all := []waiting{}
			for _, a := range desk.Pending() {
				all = append(all, waiting{a.ID, a.Caller, a.Tool, a.Args, a.Asked.UTC(), a.Expires.UTC()})
			}
			return encode(map[string]any{"approvals": all})
		},
	}
}

func decide(desk Desk) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "decide_approval", Description: "Grant or deny a call that waits for approval. A granted call passes once.",
			Parameters: object([]string{"id", "grant"}, map[string]any{
				"id": text("Id of the approval."), "grant": map[string]any{"type": "boolean", "description": "true lets the call pass, false denies it."},
			}),
			EstimatedDurationMs: 1, MaxDurationMs: 1000,
		},
		Title: "Decide on an approval", Permission: policy.SessionControl, Floor: mcp.BudgetDeep, Inline: true,
		OutputSchema: object([]string{"id", "granted"}, map[string]any{"id": text("Id of the approval."), "granted": map[string]any{"type": "boolean"}}),
		Handler: func(ctx context.Context, raw string) (string, error) {
			var args struct {
				ID    string `json:"id"`
				Grant bool   `json:"grant"`
			}
			if err := json.Unmarshal([]byte(raw), &args); err != nil {
				return "", fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
			}
			if err := desk.Decide(args.ID, args.Grant, mcp.CallerFrom(ctx).Name()); err != nil {
				return "", err
			}
			event := "approval.denied"
			if args.Grant {
				event = "approval.granted"
			}
			mcp.Emit(ctx, event)
			return encode(map[string]any{"id": args.ID, "granted": args.Grant})
		},
	}
}

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func object(required []string, properties map[string]any) map[string]any {
	o := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func encode(v any) (string, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding the answer: %w", err)
	}
	return string(out), nil
}
