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

// fixture is a tool under the suite's name.
type fixture struct {
	name string
	does string // its description
	// input is the JSON Schema of its arguments; empty means there are none.
	input string
	asks  bool // needs its client's request
	run   tools.Respond
}

// tool returns the fixture for the host. Every program on this machine may call
// it.
func (f fixture) tool() tools.Tool {
	var schema map[string]any
	if f.input != "" {
		if err := json.Unmarshal([]byte(f.input), &schema); err != nil {
			panic(fmt.Sprintf("the schema of %s: %v", f.name, err)) // the schema is a constant
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

// errNoRequest is the error of a fixture that was called without a client.
var errNoRequest = errors.New("the call comes from no MCP client")

// talks returns the protocol's own result and can see the request. A
// *jsonrpc.Error becomes a protocol error, not a result.
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

// words is a text-only result.
func words(format string, values ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, values...)}}}
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
