package mcpserver_test

//lint:file-ignore SA1019 clients of the older revisions know no other way to be asked for what their model says

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// form asks for a name.
func form() *sdk.ElicitParams {
	return &sdk.ElicitParams{
		Message: "Who are you?\u200b password=hunter2",
		RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string", "description": "as \u202ewritten"}},
		},
	}
}

// sentence asks a model for one.
func sentence() *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{
		MaxTokens: 20, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Say something."}}},
	}
}

// said is a result of one text, or of an error.
func said(text string, err error) *sdk.CallToolResult {
	if err != nil {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// curious asks whoever calls, by requests of its own or, as a newer one, by results.
func curious(newer bool) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	object := json.RawMessage(`{"type":"object"}`)
	answers := func(answer sdk.InputResponse) (*sdk.CallToolResult, error) {
		switch r := answer.(type) {
		case *sdk.ElicitResult:
			name, _ := r.Content["name"].(string)
			return said(r.Action+" "+name, nil), nil
		case *sdk.CreateMessageWithToolsResult:
			return said(r.Model+" "+r.Content[0].(*sdk.TextContent).Text, nil), nil
		}
		return nil, errors.New("no answer")
	}
	for name, ask := range map[string]func(context.Context, *sdk.ServerSession) (sdk.InputResponse, error){
		"form": func(ctx context.Context, s *sdk.ServerSession) (sdk.InputResponse, error) {
			return s.Elicit(ctx, form())
		},
		"model": func(ctx context.Context, s *sdk.ServerSession) (sdk.InputResponse, error) {
			r, err := s.CreateMessage(ctx, sentence())
			if err != nil {
				return nil, err
			}
			return &sdk.CreateMessageWithToolsResult{Model: r.Model, Content: []sdk.Content{r.Content}}, nil
		},
	} {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: object}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if newer && req.Params.InputResponses == nil {
				question := map[string]sdk.InputRequest{"form": form(), "model": sentence()}[name]
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": question}, RequestState: "mine"}, nil
			}
			if newer {
				return answers(req.Params.InputResponses["q"])
			}
			answer, err := ask(ctx, req.Session)
			if err != nil {
				return said("", err), nil
			}
			return answers(answer)
		})
	}
	return server
}

// lendNewer is lend for a server of the newest revision.
func (h *fixture) lendNewer(server *sdk.Server) {
	h.t.Helper()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	h.t.Cleanup(func() {
		_ = h.host.Close() // it holds connections
		web.Close()
	})
	must(h.t, "registering a server", h.host.RegisterServer(h.t.Context(), config.MCPServerConfig{
		Name: "far", Transport: config.TransportStreamableHTTP, URL: web.URL, AllowPrivate: true, ConnectTimeout: config.Duration(time.Minute),
	}))
}

// obliging answers what it is asked, and keeps it.
type obliging struct {
	mu    sync.Mutex
	asked []string
}

func (o *obliging) note(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, text)
}

// heard is what it was asked, in turn.
func (o *obliging) heard() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.asked, "\n")
}

func (o *obliging) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			schema, _ := json.Marshal(r.Params.RequestedSchema)
			o.note(r.Params.Message + " " + string(schema))
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Mira"}}, nil
		},
		CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			o.note(r.Params.Messages[0].Content.(*sdk.TextContent).Text)
			return &sdk.CreateMessageResult{Model: "mine", Role: "assistant", Content: &sdk.TextContent{Text: "Something."}}, nil
		},
	}
}

func TestServersAskTheClientBehindTheCall(t *testing.T) {
	for name, lend := range map[string]func(*fixture){
		"older server": func(h *fixture) { h.lend(curious(false)) }, "newer server": func(h *fixture) { h.lendNewer(curious(true)) },
	} {
		h := newFixture(t, plan{})
		lend(h)
		addr := h.web(config.Server{Clients: clients("dm")})
		for way, connect := range map[string]func(*sdk.ClientOptions) *sdk.ClientSession{
			"older pipe":  func(o *sdk.ClientOptions) *sdk.ClientSession { return h.pipeOf("dm", "2025-11-25", o) },
			"newest pipe": func(o *sdk.ClientOptions) *sdk.ClientSession { return h.pipeOf("dm", "2026-07-28", o) },
			"older http":  func(o *sdk.ClientOptions) *sdk.ClientSession { return h.http(addr, "dm", "2025-11-25", o) },
			"newest http": func(o *sdk.ClientOptions) *sdk.ClientSession { return h.http(addr, "dm", "2026-07-28", o) },
			"socket":      func(o *sdk.ClientOptions) *sdk.ClientSession { return h.socket(addr, "dm", o) },
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				var client obliging
				s := connect(client.options())
				for tool, want := range map[string]string{"form": "accept Mira", "model": "mine Something."} {
					res, err := call(t, s, tool, map[string]any{})
					must(t, "calling "+tool, err)
					if got := firstText(res); res.IsError || got != want {
						t.Errorf("%s says %q, want %q", tool, got, want)
					}
				}
				heard := client.heard()
				if !strings.Contains(heard, "far: Who are you? password=[masked]") || !strings.Contains(heard, "as written") || !strings.Contains(heard, "Say something.") {
					t.Errorf("the client was asked %q, want the server's name and clean text without secrets", heard)
				}
			})
		}
	}
}

func TestNobodyIsAskedWhoCannotAnswer(t *testing.T) {
	h := newFixture(t, plan{})
	h.lend(curious(false))
	addr := h.web(config.Server{Clients: clients("dm")})
	for way, s := range map[string]*sdk.ClientSession{
		"pipe": h.pipe("dm", nil), "older http": h.http(addr, "dm", "2025-11-25", nil), "newest http": h.http(addr, "dm", "2026-07-28", nil),
	} {
		t.Run(way, func(t *testing.T) {
			res, err := call(t, s, "form", map[string]any{})
			must(t, "calling", err)
			if got := firstText(res); !res.IsError || !strings.Contains(got, "the call has no client that can be asked") {
				t.Errorf("the server says %q, want that no client can be asked", got)
			}
		})
	}
	forms := h.pipeOf("dm", "2025-11-25", &sdk.ClientOptions{ElicitationHandler: (&obliging{}).options().ElicitationHandler})
	res, err := call(t, forms, "model", map[string]any{})
	must(t, "calling", err)
	if got := firstText(res); !res.IsError || !strings.Contains(got, "cannot be asked that") {
		t.Errorf("the server says %q, want that this client has no model", got)
	}
	_, err = call(t, forms, "form", map[string]any{})
	must(t, "calling", err)
	count := map[string]int{}
	records, _, err := h.audit.Query(t.Context(), access.LogQuery{Limit: 100})
	must(t, "reading the audit log", err)
	for _, r := range records {
		if r.Source == "far" && strings.Contains(r.Tool, "/") {
			count[r.Tool+" "+r.Decision+" "+r.Rule+" "+r.Who]++
		}
	}
	if count["elicitation/create denied client tester-dm"] != 1 || count["elicitation/create denied client client-dm"] != 2 ||
		count["sampling/createMessage denied client tester-dm"] != 1 || count["elicitation/create allowed  tester-dm"] != 1 {
		t.Errorf("records of what was asked: %v", count)
	}
}
