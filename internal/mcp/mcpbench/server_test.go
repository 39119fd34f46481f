package mcpbench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	gomcpserver "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// serveWord makes the test binary a stdio server when it is its only argument.
const serveWord = "serve-echo"

// strict holds the run to the targets of the design, not to the looser bounds
// that tests get on a machine with other work.
var strict = flag.Bool("strict", false, "measure longer and hold the host to its design targets")

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveWord {
		if err := echoServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The one tool that is called, and what every call says and gets back.
const (
	toolName = "echo"
	payload  = `{"round":3,"text":"Greymantle, what does the blinded condition do?"}`
)

func inputSchema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"text":  map[string]any{"type": "string"},
			"round": map[string]any{"type": "integer"},
		},
		"required": []string{"text"},
	}
}

// echoServer answers with the arguments it was given.
func echoServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: toolName, Description: "Says it back.", InputSchema: inputSchema()},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
		})
	return s
}

// echoGoServer is echoServer made with mcp-go, which connects in process to its
// own servers only.
func echoGoServer() (*gomcpserver.MCPServer, error) {
	schema, err := json.Marshal(inputSchema())
	if err != nil {
		return nil, err
	}
	s := gomcpserver.NewMCPServer("echo", "1")
	s.AddTool(gomcp.NewToolWithRawSchema(toolName, "Says it back.", schema),
		func(_ context.Context, r gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			args, err := json.Marshal(r.Params.Arguments)
			return gomcp.NewToolResultText(string(args)), err
		})
	return s, nil
}

// echoBuiltin is the tool as a built-in one.
func echoBuiltin() tools.Tool {
	return tools.Tool{
		Definition:  llm.ToolDefinition{Name: toolName, Description: "Says it back.", Parameters: inputSchema()},
		Handler:     func(_ context.Context, args string) (string, error) { return args, nil },
		DeclaredP50: 1, DeclaredMax: 1000,
	}
}
