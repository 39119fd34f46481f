package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// newAnnex runs an external MCP server on loopback with two tools: peek, which
// says that it only looks, and deliver, which does not. It returns its address.
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
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}
