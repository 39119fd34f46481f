package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newAnnex runs an external MCP server on loopback and returns its address. Its
// tool peek is read-only, deliver is not, and linger, under the path /slow,
// never answers.
func newAnnex(t testing.TB) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "annex", Version: "1"}, nil)
	schema := map[string]any{"type": "object"}
	answer := func(text string) sdk.ToolHandler {
		return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		}
	}
	server.AddTool(&sdk.Tool{Name: "peek", Description: "Looks.", InputSchema: schema, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, answer("a barrel"))
	server.AddTool(&sdk.Tool{Name: "deliver", Description: "Brings something.", InputSchema: schema}, answer("it is there"))
	slow := sdk.NewServer(&sdk.Implementation{Name: "annex", Version: "1"}, nil)
	slow.AddTool(&sdk.Tool{Name: "linger", Description: "Takes its time.", InputSchema: schema}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		if r.URL.Path == "/slow" {
			return slow
		}
		return server
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}
