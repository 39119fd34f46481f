package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// slowly is a tool that takes until release is closed, or nobody waits any more.
func slowly(release <-chan struct{}) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: "slow", EstimatedDurationMs: 1}, Permission: "dice.roll", ReadOnly: true,
		Handler: func(ctx context.Context, _ string) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "done", nil
		},
	}
}

// callSlow is a call of it whose arguments have so many bytes.
func callSlow(id, size int) string {
	half := strings.Repeat("x", size/2)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow","arguments":{"a":%q,"b":%q},%s}}`, id, half, half, meta2026)
}

// TestRefusalsAreInTheAuditLog has requests refused in every way before they are any
// call's, and looks for who, what and by which rule.
func TestRefusalsAreInTheAuditLog(t *testing.T) {
	deep, long := strings.Repeat("[", mcpserver.MaxDepth+1), strings.Repeat(" ", 4<<20+1)
	newest := map[string]string{"Mcp-Protocol-Version": "2026-07-28"}
	var release func() // ends the calls that are under way; each row's own
	over := func(header map[string]string, profile, body string, status int) func(*testing.T, *fixture, string) {
		return func(t *testing.T, _ *fixture, addr string) {
			if got, said := ask(t, addr, profile, "", body, header); got != status {
				t.Errorf("it is answered %d %s, want %d", got, said, status)
			}
		}
	}
	socket := func(lines ...string) func(*testing.T, *fixture, string) {
		return func(t *testing.T, h *fixture, addr string) {
			conn := h.dial(addr, "dm")
			for _, line := range lines {
				must(t, "writing", conn.Write(t.Context(), websocket.MessageText, []byte(line)))
			}
			_, _, _ = conn.Read(t.Context()) // an answer, or the end
		}
	}
	stdio := func(lines ...string) func(*testing.T, *fixture, string) {
		return func(t *testing.T, h *fixture, _ string) {
			in, client := io.Pipe()
			answers, out := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- h.server.Serve(ctx, h.subject("dm"), mcpserver.Lines(in, out, 100_000)) }()
			for _, line := range lines {
				_, err := io.WriteString(client, line+"\n")
				must(t, "writing", err)
			}
			_, err := answers.Read(make([]byte, 1<<10))
			must(t, "reading", err)
			release()                                           // else the end of the input waits for them
			go func() { _, _ = io.Copy(io.Discard, answers) }() // ends with the pipe
			must(t, "closing", answers.CloseWithError(io.EOF))
			must(t, "closing", client.Close())
			<-done // it may fail to write
		}
	}
	many := func() (lines []string) {
		for i := range 65 {
			lines = append(lines, callSlow(i, 0))
		}
		return lines
	}()
	for _, row := range []struct {
		name, who, tool, rule string
		refuse                func(t *testing.T, h *fixture, addr string)
	}{
		{"too deep", "client-dm", "request", "limits", over(newest, "dm", deep, 413)},
		{"too long", "client-dm", "request", "limits", over(newest, "dm", long, 413)},
		{"metrics", "client-player.full", "metrics", "profile", func(t *testing.T, _ *fixture, addr string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/metrics", http.NoBody)
			must(t, "making a request", err)
			r.Header.Set("Authorization", "Bearer "+token("player.full"))
			res, err := http.DefaultClient.Do(r)
			must(t, "sending", err)
			must(t, "closing", res.Body.Close())
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("it is answered %s", res.Status)
			}
		}},
		{"another's session", "client-player.full", "session", "session", func(t *testing.T, h *fixture, addr string) {
			_, opened := post(t, addr, handshake, nil)
			header := map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": opened.Get("Mcp-Session-Id")}
			over(header, "player.full", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 403)(t, h, addr)
		}},
		{"forwarded without a token", "nobody", "connect", "no_token", over(map[string]string{"X-Forwarded-For": "192.0.2.1"}, "", handshake, 401)},
		{"two names", "nobody", "connect", "framing", rawly("Content-Length: 0\r\nMcp-Name: a\r\nMcp-Name: b\r\n")},
		{"two lengths", "nobody", "connect", "framing", rawly("Content-Length: 0\r\nContent-Length: 1\r\n")},
		{"too deep, websocket", "client-dm", "request", "limits", socket(deep)},
		{"too long, websocket", "client-dm", "request", "limits", socket(long)},
		{"too many under way, websocket", "client-dm", "request", "limits", socket(many...)},
		{"too much under way, websocket", "client-dm", "request", "limits", socket(callSlow(1, 3<<20), callSlow(2, 3<<20))},
		{"too deep, stdio", "tester-dm", "request", "limits", stdio(deep)},
		{"too long, stdio", "tester-dm", "request", "limits", stdio(long)},
		{"too many under way, stdio", "tester-dm", "request", "limits", stdio(many...)},
	} {
		t.Run(row.name, func(t *testing.T) {
			held := make(chan struct{})
			release = sync.OnceFunc(func() { close(held) })
			h := newFixture(t, plan{tools: []mcphost.BuiltinTool{slowly(held)}})
			addr := h.web(config.Server{Clients: clients("dm", "player.full")})
			t.Cleanup(release) // before the server ends
			row.refuse(t, h, addr)
			h.awaitDenied(t, row.who, row.tool, row.rule)
		})
	}
}

// rawly sends a head with some headers on a raw connection.
func rawly(headers string) func(*testing.T, *fixture, string) {
	return func(t *testing.T, _ *fixture, addr string) {
		conn, err := net.Dial("tcp", addr)
		must(t, "dialling", err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: "+addr+"\r\n"+headers+"\r\n")
		must(t, "writing", err)
		_, _ = io.ReadAll(conn) // ends, since the connection does
	}
}

// awaitDenied waits for the record of a refusal: some are written after the answer.
func (h *fixture) awaitDenied(t *testing.T, who, tool, rule string) {
	t.Helper()
	late, tick := time.After(10*time.Second), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		records, _, err := h.audit.Query(t.Context(), access.LogQuery{Denied: true})
		must(t, "reading the audit log", err)
		for _, r := range records {
			if r.Who == who && r.Tool == tool && r.Rule == rule {
				return
			}
		}
		select {
		case <-late:
			t.Fatalf("the audit log has %+v, want %s denied to %s by %s", records, tool, who, rule)
		case <-tick.C:
		}
	}
}
