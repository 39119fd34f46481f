package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// fixture is a tool by the name the suite calls it.
type fixture struct {
	name string
	does string // its description
	// input is the JSON Schema of its arguments; empty means there are none.
	input string
	asks  bool // it wants the request of its client
	run   tools.Respond
}

// tool is the fixture as the host takes it. Anybody on this machine may call
// it.
func (f fixture) tool() tools.Tool {
	var schema map[string]any
	if f.input != "" {
		if err := json.Unmarshal([]byte(f.input), &schema); err != nil {
			panic(fmt.Sprintf("the schema of %s: %v", f.name, err)) // it is a constant
		}
	}
	return tools.Tool{
		Definition: llm.ToolDefinition{Name: f.name, Description: f.does, Parameters: schema},
		Respond:    f.run, ReadOnly: true, Permission: access.DiceRoll, AsksClient: f.asks,
	}
}

// says answers with a text.
func says(text string) tools.Respond {
	return func(context.Context, string) (mcp.Result, error) { return mcp.Result{Text: text}, nil }
}

// shows answers with content.
func shows(items ...mcp.Content) tools.Respond {
	return func(context.Context, string) (mcp.Result, error) { return mcp.Result{Content: items}, nil }
}

// errNoRequest is what a fixture says that was called without a client to talk
// to.
var errNoRequest = errors.New("the call comes from no MCP client")

// talks answers in the protocol's own form, knowing the request. A
// *jsonrpc.Error is the protocol's error, not a result.
func talks(do func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) tools.Respond {
	return func(ctx context.Context, _ string) (mcp.Result, error) {
		req := mcpserver.RequestFrom(ctx)
		if req == nil {
			return mcp.Result{}, errNoRequest
		}
		res, err := do(ctx, req)
		var wire *jsonrpc.Error
		if errors.As(err, &wire) {
			return mcp.Result{Native: wire, Text: wire.Message, IsError: true}, nil
		}
		return mcp.Result{Native: res}, err
	}
}

// words is a result of text alone.
func words(format string, values ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, values...)}}}
}

// pause waits, but no longer than ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
