package access

// These tools list the calls that wait for approval and decide on them: list_approvals and decide_approval.

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// ApprovalTools returns the tools for w.
func ApprovalTools(w Waiting) []tools.Tool {
	return []tools.Tool{listTool(w), decideTool(w)}
}

type listArgs struct{}

// PendingApprovals is the output of list_approvals.
type PendingApprovals struct {
	Approvals []PendingApproval `json:"approvals"`
}

// PendingApproval is a call that waits for approval.
type PendingApproval struct {
	ID        string    `json:"id" jsonschema:"Id to decide with."`
	Caller    string    `json:"caller" jsonschema:"Who asks."`
	Tool      string    `json:"tool" jsonschema:"What it wants to call."`
	Arguments string    `json:"arguments" jsonschema:"With what, as JSON."`
	Asked     time.Time `json:"asked" jsonschema:"Since when."`
	Expires   time.Time `json:"expires" jsonschema:"Until when it waits."`
	Proposed  bool      `json:"proposed" jsonschema:"It is made once it is granted; else its caller has to make it again."`
}

func listTool(w Waiting) tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "list_approvals", Description: "List the calls that wait for approval, oldest first.",
			Parameters: tools.SchemaOf[listArgs](nil), EstimatedDurationMs: 1, MaxDurationMs: 1000,
		},
		Title: "List approvals", Permission: SessionControl, Floor: mcp.BudgetDeep, Inline: true,
		OutputSchema: tools.SchemaOf[PendingApprovals](nil),
		Handler: tools.JSON(func(context.Context, listArgs) (PendingApprovals, error) {
			all := []PendingApproval{}
			for _, a := range w.Policy.Pending() {
				all = append(all, PendingApproval{a.ID, a.Caller, a.Tool, a.Args, a.Asked.UTC(), a.Expires.UTC(), a.Proposed})
			}
			return PendingApprovals{all}, nil
		}),
	})
}

type decideArgs struct {
	ID    string `json:"id" jsonschema:"Id of the approval."`
	Grant bool   `json:"grant" jsonschema:"true lets the call pass, false denies it."`
}

type decideResult struct {
	ID      string `json:"id" jsonschema:"Id of the approval."`
	Granted bool   `json:"granted"`
	Made    *Made  `json:"made,omitempty" jsonschema:"What came of a proposed call; missing where the caller has to make it again."`
}

// decideMax bounds a decision, in milliseconds. The call that it allows has its own deadline.
const decideMax = 60_000

func decideTool(w Waiting) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "decide_approval", Description: "Grant or deny a call that waits for approval. The first decision stands. A granted call passes once; one that was proposed is made at once.",
			Parameters: tools.SchemaOf[decideArgs](nil), EstimatedDurationMs: 1, MaxDurationMs: decideMax,
		},
		Title: "Decide on an approval", Permission: SessionControl, Floor: mcp.BudgetDeep,
		OutputSchema: tools.SchemaOf[decideResult](nil),
		Handler: tools.JSON(func(ctx context.Context, args decideArgs) (decideResult, error) {
			made, err := w.Decide(ctx, args.ID, args.Grant, mcp.CallerFrom(ctx).Name())
			if err != nil {
				return decideResult{}, err
			}
			event := "approval.denied"
			if args.Grant {
				event = "approval.granted"
			}
			mcp.Emit(ctx, event)
			return decideResult{ID: args.ID, Granted: args.Grant, Made: made}, nil
		}),
	}
}
