package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// lend has the fixture's host use the tools of an external server called "far".
func (h *fixture) lend(server *sdk.Server) {
	h.t.Helper()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	h.t.Cleanup(func() {
		_ = h.host.Close() // it holds connections
		web.Close()
	})
	must(h.t, "registering a server", h.host.RegisterServer(h.t.Context(), config.MCPServerConfig{
		Name: "far", Transport: config.TransportStreamableHTTP, URL: web.URL, AllowPrivate: true, ConnectTimeout: config.Duration(time.Minute),
	}))
}

// leaking says what it must not, in each way a server can fail.
func leaking() *sdk.Server {
	const leak = `opening /home/alice/app/db.yaml: password=hunter2 refused`
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	object := json.RawMessage(`{"type":"object"}`)
	answer := func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res := &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: leak}}}
		switch req.Params.Name {
		case "refuses":
			return nil, &jsonrpc.Error{Code: -32000, Message: leak}
		case "mistrusts":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: leak}
		case "details":
			res.StructuredContent = map[string]any{"token": "hunter2", "why": leak}
		}
		return res, nil
	}
	for _, name := range []string{"fails", "details", "refuses", "mistrusts"} {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: object}, answer)
	}
	return server
}

func TestFailuresOfServersCarryTheTaxonomyAndNoSecrets(t *testing.T) {
	h := newFixture(t, plan{})
	h.lend(leaking())
	addr := h.web(config.Server{Clients: clients("dm")})
	for way, s := range map[string]*sdk.ClientSession{
		"pipe": h.pipe("dm", nil), "older http": h.http(addr, "dm", "2025-11-25", nil), "newest http": h.http(addr, "dm", "2026-07-28", nil),
	} {
		for name, code := range map[string]string{
			"fails": "handler_error", "details": "handler_error", "refuses": "handler_error", "mistrusts": "invalid_input",
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				res, err := call(t, s, name, map[string]any{})
				must(t, "calling", err)
				whole, err := json.Marshal(res)
				must(t, "encoding", err)
				for _, secret := range []string{"hunter2", "alice"} {
					if strings.Contains(string(whole), secret) {
						t.Errorf("the answer tells %q: %s", secret, whole)
					}
				}
				failed := decoded[struct{ Code, Message, Hint string }](t, res.Meta["glyphoxa/error"])
				if !res.IsError || failed.Code != code || failed.Message == "" || failed.Hint == "" || strings.Contains(failed.Message, "refused") {
					t.Errorf("the answer is %s; want a failure with the code %s, in our words", whole, code)
				}
				said := res.Content[len(res.Content)-1].(*sdk.TextContent)
				if name != "mistrusts" && name != "refuses" {
					said = res.Content[0].(*sdk.TextContent)
				} else if res.StructuredContent == nil {
					t.Error("a failure in our words has no structured content")
				}
				if want := "opening [path]: password=[masked] refused"; said.Text != want {
					t.Errorf("the server's words are %q, want %q", said.Text, want)
				}
			})
		}
	}
}

func TestSecretsInWhatSucceedsAreMasked(t *testing.T) {
	h := newFixture(t, plan{})
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		const text = `/home/alice/db.yaml: password=hunter2`
		return &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: text}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x://y", Text: text}}},
			StructuredContent: map[string]any{"password": "hunter2", "lines": []any{text}},
		}, nil
	})
	h.lend(server)
	res, err := call(t, h.pipe("dm", nil), "read", map[string]any{})
	must(t, "calling", err)
	whole, err := json.Marshal(res)
	must(t, "encoding", err)
	if says := string(whole); strings.Contains(says, "hunter2") || strings.Count(says, "/home/alice/db.yaml: password=[masked]") != 3 {
		t.Errorf("the answer is %s, want the path thrice, and nowhere the password", says)
	}
}

func TestWhyAServerIsAwayStaysInside(t *testing.T) {
	h := newFixture(t, plan{})
	gone := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	sdk.AddTool(gone, &sdk.Tool{Name: "ask"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	})
	broken := httptest.NewServer(breaking(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return gone }, nil)))
	t.Cleanup(func() { _ = h.host.Close(); broken.Close() })
	must(t, "registering a server", h.host.RegisterServer(t.Context(), config.MCPServerConfig{
		Name: "far", Transport: config.TransportStreamableHTTP, URL: broken.URL, AllowPrivate: true, ConnectTimeout: config.Duration(time.Minute),
	}))
	res, err := call(t, h.pipe("dm", nil), "ask", map[string]any{})
	must(t, "calling", err)
	whole, err := json.Marshal(res)
	must(t, "encoding", err)
	failed := decoded[struct{ Code, Message string }](t, res.Meta["glyphoxa/error"])
	if failed.Code != "unavailable" || !strings.Contains(failed.Message, `"far"`) {
		t.Errorf("the answer is %s, want it unavailable, and which server", whole)
	}
	if strings.Contains(string(whole), "127.0.0.1") || strings.Contains(string(whole), "hunter2") || strings.Contains(string(whole), "500") {
		t.Errorf("the answer tells how the server is reached, or what went wrong there: %s", whole)
	}
}

// breaking answers calls with an error of its own making.
func breaking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || bytes.Contains(body, []byte(`"tools/call"`)) {
			http.Error(w, "db password=hunter2", http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
