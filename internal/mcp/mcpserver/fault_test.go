package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// hanging is a tool that says when it begins and why it ends.
func hanging() (def mcphost.BuiltinTool, begun <-chan struct{}, ended <-chan error) {
	b, e := make(chan struct{}, 1), make(chan error, 1)
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "hang", MaxDurationMs: 60_000}, Permission: "dice.roll", ReadOnly: true,
		Handler: func(ctx context.Context, _ string) (string, error) {
			b <- struct{}{}
			<-ctx.Done()
			e <- ctx.Err()
			return "", ctx.Err()
		},
	}, b, e
}

const newest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","arguments":{},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`

// TestClientsThatVanish shows that a call ends when nobody is left to hear its
// answer; the test's goroutines are counted when all is over.
func TestClientsThatVanish(t *testing.T) {
	tool, begun, ended := hanging()
	h := newHouse(t, plan{tools: []mcphost.BuiltinTool{tool}})
	addr := h.web(config.Server{Clients: clients("dm")})
	for name, vanish := range map[string]func(t *testing.T){
		"http newest": func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(newest))
			must(t, "making a request", err)
			for k, v := range map[string]string{
				"Authorization": "Bearer " + token("dm"), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "hang",
			} {
				req.Header.Set(k, v)
			}
			done := make(chan struct{})
			go func() { // ends with cancel
				defer close(done)
				if resp, err := http.DefaultClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			}()
			<-begun
			cancel()
			<-done
		},
		"websocket": func(t *testing.T) {
			conn, _, err := websocket.Dial(t.Context(), "ws://"+addr+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token("dm")}}})
			must(t, "dialling", err)
			must(t, "calling", conn.Write(t.Context(), websocket.MessageText, []byte(newest)))
			<-begun
			_ = conn.CloseNow() // without a word of farewell
		},
		"websocket, dialect": func(t *testing.T) {
			conn, _, err := websocket.Dial(t.Context(), "ws://"+addr+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token("dm")}}})
			must(t, "dialling", err)
			for _, m := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"agentId":"a","sessionId":"s","profile":"dm"}}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}`,
			} {
				must(t, "sending", conn.Write(t.Context(), websocket.MessageText, []byte(m)))
			}
			<-begun
			_ = conn.CloseNow()
		},
	} {
		t.Run(name, func(t *testing.T) {
			vanish(t)
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the call goes on after its client has vanished")
			}
		})
	}
}
