package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// BatchName is the name of the tool that [Batch] returns.
const BatchName = "batch"

const (
	maxOperations = 100
	maxAtOnce     = 8 // operations of one parallel batch
	batchP50      = 2 * time.Second
	batchMax      = time.Minute
)

// Batch returns the "batch" tool, which makes many tool calls in one call. Each of them goes through the
// caller's door ([mcp.Through]). A failed operation does not fail the batch. The tool returns an error,
// together with the results so far, only if its context ends before all operations have run.
func Batch() tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: BatchName,
			Description: "Call up to 100 tools in one go, one after another or several at once. " +
				"Each call succeeds or fails by itself; the results are in the order of the operations.",
			Parameters:          batchInput(),
			EstimatedDurationMs: int(batchP50.Milliseconds()),
			MaxDurationMs:       int(batchMax.Milliseconds()),
		},
		Respond:      batch,
		Title:        "Batch of calls",
		OutputSchema: batchOutput(),
		Composite:    true,
		Destructive:  true,
		OpenWorld:    true,
		Floor:        mcp.BudgetDeep,
	}
}

type operation struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	ID        string          `json:"id"`
}

type batchReport struct {
	OK        bool              `json:"ok"`
	Results   []operationReport `json:"results"`
	Succeeded int               `json:"succeeded"`
	Failed    int               `json:"failed"`
	Skipped   int               `json:"skipped"`
}

type operationReport struct {
	Index   int             `json:"index"`
	ID      string          `json:"id,omitempty"`
	Tool    string          `json:"tool"`
	OK      bool            `json:"ok"`
	Skipped bool            `json:"skipped,omitempty"`
	Ms      float64         `json:"ms"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

func batch(ctx context.Context, args string) (mcp.Result, error) {
	var in struct {
		Operations  []operation `json:"operations"`
		StopOnError bool        `json:"stop_on_error"`
		Parallel    bool        `json:"parallel"`
	}
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return mcp.Result{}, fmt.Errorf("%w: reading arguments as a JSON object: %v", mcp.ErrInvalidArguments, err)
	}
	if n := len(in.Operations); n == 0 || n > maxOperations {
		return mcp.Result{}, fmt.Errorf("%w: a batch has 1 to %d operations, not %d", mcp.ErrInvalidArguments, maxOperations, n)
	}
	rep := batchReport{Skipped: len(in.Operations)}
	for i, op := range in.Operations {
		rep.Results = append(rep.Results, operationReport{Index: i, ID: op.ID, Tool: op.Tool, Skipped: true})
	}
	atOnce := 1
	if in.Parallel {
		atOnce = maxAtOnce
	}
	ctx, release := early(ctx)
	defer release()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	progress, left := mcp.ProgressFrom(ctx), MaxResult
	fan(inner, len(in.Operations), atOnce,
		func(i int) outcome { return in.Operations[i].runCall(inner) },
		func(i int, o outcome) {
			o.fit(&left)
			rep.recordOutcome(i, o)
			if o.err != nil && in.StopOnError {
				cancel(errStopped)
			}
			if progress != nil {
				progress(float64(rep.Succeeded+rep.Failed), float64(len(rep.Results)), rep.Results[i].Tool)
			}
		})
	rep.OK = rep.Succeeded == len(rep.Results)
	if ctx.Err() != nil && !rep.OK {
		return reportResult(rep, fmt.Errorf("ended after %d of %d operations: %w", rep.Succeeded+rep.Failed, len(rep.Results), context.Cause(ctx)))
	}
	return reportResult(rep, nil)
}

// runCall makes the operation's call. It refuses to call batch itself, because a nested batch would bypass
// the limit on operations.
func (o operation) runCall(ctx context.Context) outcome {
	switch {
	case o.Tool == "":
		return outcome{err: fmt.Errorf("%w: the operation names no tool", mcp.ErrInvalidArguments)}
	case o.Tool == BatchName:
		return outcome{err: fmt.Errorf("%w: a batch cannot hold a batch", mcp.ErrInvalidArguments)}
	}
	args := string(o.Arguments)
	if args == "" || args == "null" {
		args = "{}"
	}
	return callThrough(ctx, o.Tool, args)
}

// recordOutcome records how operation i ended.
func (b *batchReport) recordOutcome(i int, o outcome) {
	r := &b.Results[i]
	r.OK, r.Skipped, r.Ms, r.Result, r.Error = o.err == nil, false, mcp.RoundedMillis(o.took), o.raw, describeError(o.err)
	b.Skipped--
	if r.OK {
		b.Succeeded++
		return
	}
	b.Failed++
	if r.Error.Hint == "" {
		r.Error.Hint = hint(r.Error.Code)
	}
}

// hint returns advice for a failure that carries none of its own.
func hint(c mcp.Code) string {
	switch c {
	case mcp.CodeNotFound:
		return "list the tools to see which there are"
	case mcp.CodeInvalidInput:
		return "compare the arguments with the tool's input schema"
	case mcp.CodeForbidden:
		return "use a tool that you are listed"
	case mcp.CodeCapacityExceeded, mcp.CodeUnavailable:
		return "wait a moment and try again"
	case mcp.CodeTimeout:
		return "ask for less, or make the call on its own"
	}
	return ""
}

func batchInput() map[string]any {
	s := object(map[string]any{
		"operations": map[string]any{
			"type": "array", "minItems": 1, "maxItems": maxOperations,
			"items": map[string]any{
				"type": "object",
				"properties": map[string]any{
					"tool":      map[string]any{"type": "string", "minLength": 1, "description": "Name of the tool."},
					"arguments": typed("object", "Its arguments."),
					"id":        map[string]any{"type": "string", "maxLength": 64, "description": "Returned with the result."},
				},
				"required": []string{"tool"}, "additionalProperties": false,
			},
		},
		"stop_on_error": map[string]any{"type": "boolean", "default": false, "description": "Begin no more after the first failure."},
		"parallel":      map[string]any{"type": "boolean", "default": false, "description": "Run up to 8 at once, in no particular order."},
	}, "operations")
	s["additionalProperties"] = false
	return s
}

func batchOutput() map[string]any {
	return object(map[string]any{
		"ok": typed("boolean", "Whether every operation succeeded."),
		"results": map[string]any{"type": "array", "items": object(map[string]any{
			"index":   typed("integer", ""),
			"id":      typed("string", ""),
			"tool":    typed("string", ""),
			"ok":      typed("boolean", ""),
			"skipped": typed("boolean", "It was not begun."),
			"ms":      typed("number", "How long it took."),
			"result":  anyValue("What it returned."),
			"error":   failureSchema(),
		}, "index", "tool", "ok", "ms")},
		"succeeded": typed("integer", ""),
		"failed":    typed("integer", ""),
		"skipped":   typed("integer", ""),
	}, "ok", "results", "succeeded", "failed", "skipped")
}
