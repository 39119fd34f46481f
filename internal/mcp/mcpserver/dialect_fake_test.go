package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// dialectWorld is a backend with a few tools that do what their names say.
type dialectWorld struct {
	calls  atomic.Int32 // begun
	opened atomic.Int32 // sessions
	closed atomic.Int32
}

func (w *dialectWorld) Initialize(_ context.Context, _, _, profile string) (mcpserver.Session, error) {
	if profile == "nobody" {
		return nil, &mcp.Refusal{Code: mcp.CodeForbidden, Reason: `no profile "nobody"`, Hint: "ask for player.full"}
	}
	w.opened.Add(1)
	return &client{world: w}, nil
}

// client is a session in the world.
type client struct {
	world *dialectWorld

	mu     sync.Mutex // guards notify
	notify mcpserver.Notify
}

func (*client) Tools(context.Context) ([]mcpserver.Tool, error) {
	return []mcpserver.Tool{
		{Name: "roll", Description: "Roll dice.", InputSchema: map[string]any{
			"type": "object", "properties": map[string]any{"dice": map[string]any{"type": "string"}}, "required": []string{"dice"},
		}},
		{Name: "old", Description: "Has a schema of another draft.", InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`)},
		{Name: "any", Description: "Takes anything."},
	}, nil
}

const took = 420 * time.Microsecond

func (c *client) Call(ctx context.Context, name string, args json.RawMessage) (mcp.Result, error) {
	c.world.calls.Add(1)
	switch name {
	case "roll":
		mcp.Emit(ctx, "skill.executed")
		return mcp.Result{Text: "7", Structured: json.RawMessage(`{"total":7}`), Duration: took}, nil
	case "echo":
		return mcp.Result{Text: string(args), Duration: took}, nil
	case "say":
		return mcp.Result{Text: "Well met!", Duration: took}, nil
	case "paint":
		return mcp.Result{Text: "a picture", Duration: took, Content: []mcp.Content{
			{Type: "text", Text: "a picture"}, {Type: "image", Data: []byte{1, 2, 3}, MIMEType: "image/png"},
		}}, nil
	case "grumble":
		return mcp.Result{Text: "the well is dry", IsError: true, Duration: took}, nil
	case "slow", "never":
		wait := time.Minute
		if name == "slow" {
			wait = time.Second
		}
		select {
		case <-time.After(wait):
			return mcp.Result{Text: `"done"`, Duration: wait}, nil
		case <-ctx.Done():
			return mcp.Result{}, context.Cause(ctx)
		}
	}
	return mcp.Result{}, refusals[name]
}

// refusals are the errors of tools that always fail.
var refusals = map[string]error{
	"forbidden":   &mcp.Refusal{Code: mcp.CodeForbidden, Reason: "players may not", Hint: "ask the dungeon master"},
	"busy":        &mcp.Refusal{Code: mcp.CodeCapacityExceeded, Reason: "100 calls a minute", RetryAfter: 1500*time.Millisecond + 1},
	"asks":        &mcp.Refusal{Code: mcp.CodePendingApproval, Reason: "waits for approval", Approval: "a1"},
	"picky":       fmt.Errorf("%w: dice is missing", mcp.ErrInvalidArguments),
	"broken":      fmt.Errorf("the quill broke"),
	"late":        fmt.Errorf("%w after 2s", mcp.ErrTimeout),
	"away":        mcp.ErrUnavailable,
	"nonexistent": fmt.Errorf("%w: nonexistent", mcp.ErrUnknownTool),
}

func (c *client) Subscribe(ctx context.Context, params json.RawMessage, notify mcpserver.Notify) (any, error) {
	var p struct {
		AOI json.RawMessage `json:"aoi"`
	}
	if len(params) > 0 && json.Unmarshal(params, &p) != nil {
		return nil, fmt.Errorf("%w: aoi", mcp.ErrInvalidArguments)
	}
	snapshot := map[string]any{"tick": 3, "entities": []any{}}
	if err := notify(ctx, "state/snapshot", snapshot); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify = notify
	return map[string]any{"ok": true, "tick": 3}, nil
}

func (c *client) DeclareArea(ctx context.Context, params json.RawMessage) error {
	var p struct {
		Center *[3]float64 `json:"center"`
		Radius float64     `json:"radius"`
	}
	if json.Unmarshal(params, &p) != nil || p.Center == nil || p.Radius <= 0 {
		return fmt.Errorf("%w: an area has a center and a radius", mcp.ErrInvalidArguments)
	}
	c.mu.Lock()
	notify := c.notify
	c.mu.Unlock()
	if notify == nil {
		return nil
	}
	return notify(ctx, "state/delta", map[string]any{"tick": 4, "causedBy": []string{}, "changes": []any{}, "removed": []string{}})
}

func (c *client) Close() { c.world.closed.Add(1) }
