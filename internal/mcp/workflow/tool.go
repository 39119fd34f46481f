package workflow

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// unknownP50 is used for tools of unknown latency. It puts a workflow into the STANDARD tier, never FAST.
	unknownP50 = time.Second
	// unknownMax is used for tools whose deadline is unknown.
	unknownMax = 30 * time.Second
	// maxDefault is the maximum duration of a workflow whose file gives no timeout.
	maxDefault = time.Minute
)

// Registry looks up the available tools. It is cheap to call and safe for concurrent use.
type Registry interface {
	// Lookup returns the known properties of a tool: the target for access decisions, its P50 and its
	// deadline (0 if unknown), and whether it is idempotent.
	Lookup(name string) (t mcp.Target, p50 time.Duration, max time.Duration, idempotent bool, ok bool)
}

// Tool returns the workflow as a tool, ready for registration with the host. It derives the tool's properties
// (read-only, idempotent) and its timing from r at the time of the call. Call Tool again when the set of
// tools changes.
//
// If a step fails, the tool's Respond returns both a result and an error: the steps done so far, and why the
// run stopped. If a run stops because a step waits for approval, it is kept in runs and the same call resumes
// it. If runs is nil, the call starts from the beginning.
func (w *Workflow) Tool(r Registry, runs *Runs) tools.Tool {
	readOnly, idempotent, openWorld := true, true, false
	for _, name := range w.Needs() {
		t, _, _, again, ok := r.Lookup(name)
		readOnly = readOnly && ok && t.ReadOnly
		idempotent = idempotent && ok && again
		openWorld = openWorld || !ok || t.Source != "builtin" && t.Source != tools.KindWorkflow
	}
	timeout := w.timeout
	if timeout == 0 {
		timeout = min(w.span(func(s *step) time.Duration { return maxOf(r, s.tool) }), maxDefault)
	}
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name:          w.Name,
			Description:   w.Description,
			Parameters:    w.schema(),
			MaxDurationMs: int((timeout + time.Millisecond - 1) / time.Millisecond),
			Idempotent:    idempotent,
		},
		Respond: func(ctx context.Context, args string) (mcp.Result, error) {
			return w.respond(ctx, args, runs)
		},
		Title:        w.Title,
		OutputSchema: outputSchema(),
		Composite:    true,
		Kind:         tools.KindWorkflow,
		Needs:        w.Needs(),
		Expected: func() time.Duration {
			return w.span(func(s *step) time.Duration { return p50Of(r, s.tool) })
		},
		ReadOnly:    readOnly,
		Destructive: !readOnly,
		OpenWorld:   openWorld,
		Effect:      w.effect,
	}
}

// span sums the durations of the stages. A stage takes as long as its longest step.
func (w *Workflow) span(of func(*step) time.Duration) time.Duration {
	var sum time.Duration
	for _, st := range w.stages {
		var most time.Duration
		for _, s := range st {
			most = max(most, of(s))
		}
		sum += most
	}
	return sum
}

func maxOf(r Registry, tool string) time.Duration {
	if _, _, most, _, ok := r.Lookup(tool); ok && most > 0 {
		return most
	}
	return unknownMax
}

func p50Of(r Registry, tool string) time.Duration {
	if _, p50, _, _, ok := r.Lookup(tool); ok && p50 > 0 {
		return p50
	}
	return unknownP50
}

// Sum returns a hash of the file's content. It changes whenever the workflow's behaviour changes.
func (w *Workflow) Sum() [sha256.Size]byte { return w.sum }

// schema returns the JSON Schema of the parameters.
func (w *Workflow) schema() map[string]any {
	properties := map[string]any{}
	var required []string
	for i := range w.params {
		p := &w.params[i]
		properties[p.name] = p.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	return s
}

func typed(name, description string) map[string]any {
	s := map[string]any{"type": name}
	if description != "" {
		s["description"] = description
	}
	return s
}

func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func failureSchema() map[string]any {
	return object(map[string]any{
		"code":           typed("string", "not_found, invalid_input, forbidden, handler_error, capacity_exceeded, timeout, unavailable, pending_approval or cancelled."),
		"message":        typed("string", ""),
		"said":           typed("string", "What the tool's server said of it."),
		"hint":           typed("string", "What to do about it."),
		"retry_after_ms": typed("integer", "How long to wait before trying again."),
		"approval":       typed("string", "The id under which the call waits for approval."),
	}, "code", "message")
}

// anyValue returns a schema that accepts any value. It is explicit so that no client takes it for a forgotten
// schema.
func anyValue(description string) map[string]any {
	var kinds []any
	for _, kind := range []string{"object", "array", "string", "number", "boolean", "null"} {
		kinds = append(kinds, map[string]any{"type": kind})
	}
	return map[string]any{"description": description, "anyOf": kinds}
}

func outputSchema() map[string]any {
	return object(map[string]any{
		"ok": typed("boolean", "Whether no step failed."),
		"steps": map[string]any{"type": "array", "items": object(map[string]any{
			"id":      typed("string", ""),
			"tool":    typed("string", ""),
			"ok":      typed("boolean", ""),
			"skipped": typed("boolean", "It did not run: its condition did not hold, or the workflow ended before."),
			"ms":      typed("number", "How long it took."),
			"result":  anyValue("What it returned; left out if there is an output."),
			"error":   failureSchema(),
		}, "id", "tool", "ok", "ms")},
		"output": anyValue("What the workflow yields."),
		"error":  failureSchema(),
	}, "ok", "steps")
}
