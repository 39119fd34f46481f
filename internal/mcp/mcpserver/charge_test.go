package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// scarce is a budget that a test uses up.
func scarce() plan {
	return plan{config: config.Server{Limits: config.Limits{Burst: scarceBurst, PerSecond: 0.01, Sessions: 10}}}
}

const scarceBurst = 12

// untilLimited asks until an answer is one of the limits, and fails if that is not soon,
// or the very first.
func untilLimited(t *testing.T, ask func() (limited bool)) {
	t.Helper()
	passed := 0
	for passed <= scarceBurst && !ask() {
		passed++
	}
	if passed == 0 || passed > scarceBurst {
		t.Errorf("%d pass with a budget of %d", passed, scarceBurst)
	}
}

// TestRefusedRequestsAreLimited shows that what is refused before anybody looks at it in
// earnest takes from the budget like everything else, over HTTP.
func TestRefusedRequestsAreLimited(t *testing.T) {
	newest := func(method string) map[string]string {
		return map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
	}
	session := map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": ""}
	for _, row := range []struct {
		name, method, body string
		header             map[string]string
	}{
		{"unknown method, older", "", `{"jsonrpc":"2.0","id":7,"method":"foo/bar","params":{}}`, session},
		{"unknown method, newest", "", `{"jsonrpc":"2.0","id":7,"method":"foo/bar","params":{` + meta2026 + `}}`, newest("foo/bar")},
		{"before initialize", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, nil},
		{"name of another type, older", "", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}`, session},
		{"name of another type, newest", "", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5,` + meta2026 + `}}`, newest("tools/call")},
		{"no JSON, older", "", `{"jsonrpc":`, session},
		{"no JSON, newest", "", `{"jsonrpc":`, newest("tools/list")},
		{"ping in the newest", "", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + meta2026 + `}}`, newest("ping")},
		{"discovery in the older", "", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}`, session},
		{"newest under an older header", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{` + meta2026 + `}}`, session},
		{"initialized twice", "", handshake, session},
		{"a level that is none", "", `{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"loud"}}`, session},
		{"too deep", "", strings.Repeat("[", mcpserver.MaxDepth+1), session},
		{"too many entries", "", "[" + strings.Repeat("0,", mcpserver.MaxValues), newest("tools/list")},
		{"no session of theirs", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "nobody"}},
		{"another kind of content", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Content-Type": "text/plain"}},
		{"a session's end that is none", http.MethodDelete, "", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := newFixture(t, scarce())
			addr := h.web(config.Server{Clients: clients("dm")})
			header := row.header
			if _, needs := header["Mcp-Session-Id"]; needs && header["Mcp-Session-Id"] == "" {
				_, opened := post(t, addr, handshake, nil)
				header = map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": opened.Get("Mcp-Session-Id")}
			}
			untilLimited(t, func() bool {
				status, said := ask(t, addr, "dm", row.method, row.body, header)
				return status == http.StatusTooManyRequests || strings.Contains(said, "-32010")
			})
			denied, _, err := h.audit.Query(t.Context(), access.LogQuery{Denied: true, Who: "client-dm"})
			must(t, "reading the audit log", err)
			found := false
			for _, r := range denied {
				found = found || r.Rule == "limits" && r.Code == "capacity_exceeded"
			}
			if !found {
				t.Errorf("the audit log has %+v, want what the limits refused", denied)
			}
		})
	}
}

// ask sends a request as it is, with a profile's token if there is one, and returns what
// it is answered.
func ask(t *testing.T, addr, profile, method, body string, header map[string]string) (status int, said string) {
	t.Helper()
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+"/mcp", strings.NewReader(body))
	must(t, "making a request", err)
	if profile != "" {
		req.Header.Set("Authorization", "Bearer "+token(profile))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, "sending", err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, "reading", err)
	return resp.StatusCode, string(raw)
}

// TestRefusedRequestsAreLimitedOnStreams has the same shown over WebSocket and standard
// streams.
func TestRefusedRequestsAreLimitedOnStreams(t *testing.T) {
	rows := []struct{ name, line string }{
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"foo/bar"}`},
		{"before initialize", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`},
		{"name of another type", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5,` + meta2026 + `}}`},
		{"no JSON", `{"jsonrpc":`},
		{"no request", `{"jsonrpc":"2.0","id":7}`},
		{"ping in the newest", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + meta2026 + `}}`},
		{"discovery in the older", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}`},
		{"too deep", strings.Repeat("[", mcpserver.MaxDepth+1)},
	}
	limited := func(raw []byte) bool { return strings.Contains(string(raw), `"code":-32010`) }
	for _, row := range rows {
		t.Run(row.name+", websocket", func(t *testing.T) {
			h := newFixture(t, scarce())
			conn := h.dial(h.web(config.Server{Clients: clients("dm")}), "dm")
			untilLimited(t, func() bool {
				must(t, "writing", conn.Write(t.Context(), websocket.MessageText, []byte(row.line)))
				_, raw, err := conn.Read(t.Context())
				must(t, "reading", err)
				return limited(raw)
			})
		})
		t.Run(row.name+", stdio", func(t *testing.T) {
			h := newFixture(t, scarce())
			in, client := io.Pipe()
			answers, out := io.Pipe()
			done := make(chan error, 1)
			go func() { done <- h.server.Serve(t.Context(), h.subject("dm"), mcpserver.Lines(in, out, 0)) }()
			lines := bufio.NewReader(answers)
			untilLimited(t, func() bool {
				_, err := io.WriteString(client, row.line+"\n")
				must(t, "writing", err)
				raw, err := lines.ReadBytes('\n')
				must(t, "reading", err)
				if !json.Valid(raw) {
					t.Errorf("the answer is no JSON: %s", raw)
				}
				return limited(raw)
			})
			must(t, "closing", client.Close())
			must(t, "serving", <-done)
		})
	}
}

// dial connects a WebSocket that ends with the test.
func (h *fixture) dial(addr, profile string) *websocket.Conn {
	h.t.Helper()
	conn, _, err := websocket.Dial(h.t.Context(), "ws://"+addr+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token(profile)}}})
	must(h.t, "dialling", err)
	conn.SetReadLimit(1 << 20)
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}
