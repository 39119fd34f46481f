package mcpserver_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// definitions returns the definitions that a client with all rights sees, by name.
func definitions(t *testing.T, h *fixture) map[string]*sdk.Tool {
	t.Helper()
	res, err := h.pipe("dm", nil).ListTools(t.Context(), nil)
	must(t, "listing", err)
	all := map[string]*sdk.Tool{}
	for _, tool := range res.Tools {
		all[tool.Name] = tool
	}
	return all
}

func TestDefinitionsListPropertiesAndRequired(t *testing.T) {
	for name, tool := range definitions(t, newFixture(t, plan{})) {
		schema, _ := tool.InputSchema.(map[string]any)
		for _, member := range []string{"properties", "required"} {
			if schema[member] == nil {
				t.Errorf("the input schema of %s has no %s: %v", name, member, schema)
			}
		}
	}
}

func TestInReadOnlyModeEveryToolIsAnnotatedAsReadOnly(t *testing.T) {
	for mode, options := range map[string]func(*mcpserver.Options){"all tools": nil, "compact": func(o *mcpserver.Options) { o.Compact = true }} {
		t.Run(mode, func(t *testing.T) {
			tools := definitions(t, newFixture(t, plan{readOnly: true, options: options}))
			if tools["batch"] == nil && tools["invoke_program"] == nil {
				t.Error("neither batch nor invoke_program is listed")
			}
			for name, tool := range tools {
				if a := tool.Annotations; !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint {
					t.Errorf("annotations of %s = %+v, want read-only and not destructive", name, a)
				}
			}
		})
	}
	if tools := definitions(t, newFixture(t, plan{})); tools["batch"].Annotations.ReadOnlyHint {
		t.Error("batch is annotated as read-only although it may change something")
	}
}

func TestTheAddressMayEndWithASlash(t *testing.T) {
	addr := newFixture(t, plan{}).web(config.Server{Clients: clients("dm")})
	for path, want := range map[string]int{"/mcp": http.StatusOK, "/mcp/": http.StatusOK, "/mcp/more": http.StatusNotFound} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		must(t, "making the request", err)
		r.Header.Set("Authorization", "Bearer "+token("dm"))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		must(t, "asking", err)
		must(t, "closing", resp.Body.Close())
		if resp.StatusCode != want {
			t.Errorf("POST %s = %s, want %d", path, resp.Status, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAResultWithoutItsDeclaredStructureIsAFailure(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{
		Name: "misfit", InputSchema: map[string]any{"type": "object"},
		OutputSchema: map[string]any{"type": "object", "required": []string{"n"}},
	}, answering(&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "seven"}}, StructuredContent: map[string]any{"m": 7}}))
	h := newFixture(t, plan{})
	h.lend(server)
	res, err := call(t, h.pipe("dm", nil), "misfit", map[string]any{})
	must(t, "calling", err)
	failed := decoded[struct{ Message string }](t, res.Meta["glyphoxa/error"])
	says := func(c sdk.Content) bool { text, ok := c.(*sdk.TextContent); return ok && text.Text == "seven" }
	if !res.IsError || !strings.Contains(failed.Message, "does not fit its output schema") || !slices.ContainsFunc(res.Content, says) {
		t.Errorf("misfit = %+v, want a failure that has the text", res)
	}
}

func TestOwnToolsDecodeTextsToo(t *testing.T) {
	s := newFixture(t, plan{}).pipe("dm", nil)
	res, err := call(t, s, "search_tools", map[string]any{"limit": "1", "refresh": "false", "cursor": nil})
	must(t, "searching", err)
	if found := decoded[struct{ Count int }](t, res.StructuredContent); res.IsError || found.Count != 1 {
		t.Errorf("search_tools = %s, want one tool", firstText(res))
	}
}

// answering returns a handler that always returns the same result.
func answering(res *sdk.CallToolResult) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return res, nil }
}
