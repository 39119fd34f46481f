package scenario

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// registerTools adds the scene's tools to a host.
func registerTools(host *mcphost.Host, script []Tool, rec *record) error {
	for _, t := range script {
		if err := host.RegisterBuiltin(t.build(rec)); err != nil {
			return err
		}
	}
	return nil
}

// build creates a tool from its script.
func (t Tool) build(rec *record) tools.Tool {
	effect := tools.EffectNow
	if t.Writes {
		effect = tools.EffectAtCommit
	}
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: t.Name, Description: "A tool of the scene.",
			Parameters: map[string]any{
				"type": "object", "additionalProperties": false,
				"properties": map[string]any{"x": map[string]any{"type": "string"}, "expression": map[string]any{"type": "string"}},
			},
		},
		DeclaredP50: int(time.Duration(t.P50) / time.Millisecond),
		Effect:      effect, ReadOnly: !t.Writes && !t.Changes,
		Handler: func(ctx context.Context, args string) (string, error) {
			rec.noteNow(kindToolRan, "tool", t.Name, "args", args)
			how := "done"
			result, err := t.runScript(ctx)
			switch {
			case ctx.Err() != nil:
				how = "cancelled"
			case err != nil:
				how = "failed"
			}
			rec.noteNow(kindToolEnded, "tool", t.Name, "how", how)
			return result, err
		},
	}
}

func (t Tool) runScript(ctx context.Context) (string, error) {
	if err := rig.Pause(ctx, time.Duration(t.Takes)); err != nil {
		return "", err
	}
	switch {
	case t.Hangs:
		<-ctx.Done()
		return "", ctx.Err()
	case t.Error != "":
		return "", errors.New(t.Error)
	case t.Result == "":
		return "{}", nil
	}
	return t.Result, nil
}
