package mcpbench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	gomcpserver "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// serveWord as the only argument makes the test binary a stdio server.
const serveWord = "serve-echo"

// strict applies the design's targets instead of the looser bounds for busy
// machines.
var strict = flag.Bool("strict", false, "measure longer and hold the host to its design targets")

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveWord {
		if err := echoServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == watchWord {
		os.Exit(watchMain(os.Args[2]))
	}
	os.Exit(m.Run())
}

// question is a measured call: a tool and its arguments, which it echoes.
type question struct {
	tool, args string
	schema     map[string]any
}

var (
	// plain has the input of most tools: a few scalars.
	plain = question{
		tool: "echo", args: `{"round":3,"text":"Greymantle, what does the blinded condition do?"}`,
		schema: object(map[string]any{"round": kind("integer"), "text": kind("string")}),
	}
	// nested has objects within arrays as input.
	nested = question{
		tool: "echo_nested", args: `{"lines":[{"round":3,"text":"Greymantle, are you there?"},{"round":4,"text":"Aye."}]}`,
		schema: object(map[string]any{"lines": map[string]any{
			"type": "array", "items": object(map[string]any{"round": kind("integer"), "text": kind("string")}),
		}}),
	}
)

func kind(name string) map[string]any { return map[string]any{"type": name} }

// object returns the schema of an object with all properties required.
func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties))}
}

// echoServer answers with its arguments.
func echoServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	for _, q := range []question{plain, nested} {
		s.AddTool(&sdk.Tool{Name: q.tool, Description: "Says it back.", InputSchema: q.schema},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
			})
	}
	return s
}

// echoGoServer is echoServer written with mcp-go, whose in-process client
// connects only to its own servers.
func echoGoServer(q question) (*gomcpserver.MCPServer, error) {
	schema, err := json.Marshal(q.schema)
	if err != nil {
		return nil, err
	}
	s := gomcpserver.NewMCPServer("echo", "1")
	s.AddTool(gomcp.NewToolWithRawSchema(q.tool, "Says it back.", schema),
		func(_ context.Context, r gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			args, err := json.Marshal(r.Params.Arguments)
			return gomcp.NewToolResultText(string(args)), err
		})
	return s, nil
}

// echoBuiltin is the same tool as a built-in one.
func echoBuiltin(q question) tools.Tool {
	return tools.Tool{
		Definition:  llm.ToolDefinition{Name: q.tool, Description: "Says it back.", Parameters: q.schema},
		Handler:     func(_ context.Context, args string) (string, error) { return args, nil },
		DeclaredP50: 1, DeclaredMax: 1000,
	}
}
