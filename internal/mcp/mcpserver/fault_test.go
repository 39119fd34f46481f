package mcpserver_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
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
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{tool}})
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
			_ = conn.CloseNow() // without a word of drainTime
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

// impatient serves the network transports with little time for bodies.
func (h *fixture) impatient(within time.Duration) string {
	h.t.Helper()
	keeper, err := access.NewGatekeeper(h.t.Context(), config.Server{Clients: clients("dm")}, access.GatekeeperOptions{Profile: h.policy.Profile})
	must(h.t, "making the gatekeeper", err)
	o := mcpserver.WebOptions{Gatekeeper: keeper, Limits: config.Limits{Body: 4 << 20}}
	o.SetBodyTime(within)
	web, err := h.server.Listen(h.t.Context(), "127.0.0.1:0", o)
	must(h.t, "listening", err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- web.Serve(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Errorf("Serve = %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return web.Addr()
}

// TestDrippingBodies shows that a body which does not come ends its
// connection, whoever sends it, and that a slow answer is no slow body.
func TestDrippingBodies(t *testing.T) {
	const within = 200 * time.Millisecond
	slow := echo("slow", "dice.roll")
	slow.Definition.MaxDurationMs = 60_000
	slow.Handler = func(ctx context.Context, _ string) (string, error) {
		select {
		case <-time.After(3 * within):
			return "at last", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{slow}})
	addr := h.impatient(within)
	head := func(path, auth, length string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
			"Authorization: Bearer " + auth + "\r\n" + length + "\r\n\r\n"
	}
	for name, text := range map[string]string{
		"a client":             head("/mcp", token("dm"), "Content-Length: 1000") + "{",
		"a client in chunks":   head("/mcp", token("dm"), "Transfer-Encoding: chunked") + "1\r\n{\r\n",
		"a stranger":           head("/mcp", "nobody-knows-this-token", "Content-Length: 1000") + "{",
		"a stranger in chunks": head("/mcp", "nobody-knows-this-token", "Transfer-Encoding: chunked") + "1\r\n{\r\n",
		"a lost one":           head("/nowhere", token("dm"), "Content-Length: 1000") + "{",
		"a page's":             strings.Replace(head("/mcp", token("dm"), "Content-Length: 1000"), "Accept:", "Origin: https://evil.example\r\nAccept:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", addr)
			must(t, "dialling", err)
			defer func() { _ = conn.Close() }()
			_, err = io.WriteString(conn, text)
			must(t, "writing", err)
			must(t, "setting a deadline", conn.SetReadDeadline(time.Now().Add(30*time.Second)))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("the connection is still open: %v", err)
			}
		})
	}
	t.Run("a slow answer", func(t *testing.T) {
		for _, protocol := range []string{"2025-06-18", ""} {
			res, err := call(t, h.http(addr, "dm", protocol, nil), "slow", nil)
			must(t, "calling", err)
			if res.IsError || firstText(res) != "at last" {
				t.Errorf("revision %q: the answer is %s", protocol, firstText(res))
			}
		}
	})
}
