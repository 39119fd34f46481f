package mcpserver_test

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// talkative logs while it works.
func talkative() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}},
	})
	server.AddTool(&sdk.Tool{Name: "work", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, level := range []sdk.LoggingLevel{"debug", "warning"} {
			_ = req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: "db", Data: map[string]any{"says": "password=hunter2 expired"}})
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	return server
}

func TestWhatServersLogIsRelayedToWhoAsked(t *testing.T) {
	h := newFixture(t, plan{})
	h.lend(talkative())
	addr := h.web(config.Server{Clients: clients("dm")})
	for name, connect := range map[string]func(*sdk.ClientOptions) *sdk.ClientSession{
		"pipe":        func(o *sdk.ClientOptions) *sdk.ClientSession { return h.pipeOf("dm", "2025-11-25", o) },
		"older http":  func(o *sdk.ClientOptions) *sdk.ClientSession { return h.http(addr, "dm", "2025-11-25", o) },
		"newest http": func(o *sdk.ClientOptions) *sdk.ClientSession { return h.http(addr, "dm", "2026-07-28", o) },
	} {
		t.Run(name, func(t *testing.T) {
			heard := make(chan *sdk.LoggingMessageParams, 100)
			s := connect(&sdk.ClientOptions{LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
				if strings.HasPrefix(r.Params.Logger, "far") {
					heard <- r.Params
				}
			}})
			params := &sdk.CallToolParams{Name: "work", Arguments: map[string]any{}}
			_, err := s.CallTool(t.Context(), params)
			must(t, "calling before anything was asked for", err)
			if name == "newest http" {
				params.Meta = sdk.Meta{sdk.MetaKeyLogLevel: "info"}
			} else {
				must(t, "asking for messages", s.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}))
			}
			_, err = s.CallTool(t.Context(), params)
			must(t, "calling", err)
			m := <-heard
			said, err := json.Marshal(m.Data)
			must(t, "encoding", err)
			if m.Level != "warning" || m.Logger != "far/db" || string(said) != `{"says":"password=[masked] expired"}` {
				t.Errorf("relayed is %s %s %s, want the warning of far/db, masked", m.Level, m.Logger, said)
			}
			if len(heard) > 0 {
				t.Errorf("more is relayed than was asked for: %+v", <-heard)
			}
		})
	}
}
