package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// wireAnswer is what comes back for a request.
type wireAnswer struct {
	status int // of HTTP
	Error  *struct {
		Code    int
		Message string
	}
	Result json.RawMessage
}

const meta2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends a request as it is and returns what comes back, and the headers.
func post(t *testing.T, addr, body string, header map[string]string) (wireAnswer, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(body))
	must(t, "making a request", err)
	req.Header.Set("Authorization", "Bearer "+token("dm"))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, "posting", err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, "reading", err)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"id"`) {
				raw = []byte(data)
			}
		}
	}
	a := wireAnswer{status: resp.StatusCode}
	if len(raw) > 0 && json.Unmarshal(raw, &a) != nil {
		t.Errorf("%s is answered with no JSON: %d %s", body, resp.StatusCode, raw)
	}
	return a, resp.Header
}

func TestRequestsThatAreWrongAreToldWhy(t *testing.T) {
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{echo("echo", "dice.roll")}})
	addr := h.web(config.Server{Clients: clients("dm")})
	_, headers := post(t, addr, handshake, nil)
	session := map[string]string{"Mcp-Session-Id": headers.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-11-25"}
	newest := func(method, name string) map[string]string {
		header := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
		if name != "" {
			header["Mcp-Name"] = name
		}
		return header
	}
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `}}`
	}
	for _, row := range []struct {
		name, body   string
		header       map[string]string
		status, code int
		says         string
	}{
		{"unknown method, older", call("foo/bar", ""), session, 200, -32601, `there is no method "foo/bar"`},
		{"unknown method, no session", call("foo/bar", ""), nil, 200, -32601, `there is no method "foo/bar"`},
		{"unknown method, newest", call("foo/bar", meta2026), newest("foo/bar", ""), 404, -32601, `there is no method "foo/bar"`},
		{"before initialize", call("tools/list", ""), nil, 400, -32600, "call initialize first"},
		{"newest under an older header", call("tools/list", meta2026), session, 400, -32020, "names revision 2026-07-28, its header Mcp-Protocol-Version names 2025-11-25"},
		{"newest without header", call("tools/list", meta2026), nil, 400, -32020, "send the header Mcp-Protocol-Version with it"},
		{"name of another type", call("tools/call", `"name":5`), session, 200, -32602, "`name` must be a string"},
		{"arguments of another type", call("tools/call", `"name":"echo","arguments":[1]`), session, 200, -32602, "`arguments` must be an object"},
		{"address of another type", call("resources/read", `"uri":{"secret":"hunter2"}`), session, 200, -32602, "`uri` must be a string"},
		{"inner parameter of another type", call("completion/complete", `"ref":{"type":5},"argument":{"name":"a","value":"b"}`), session, 200, -32602, "`ref.type` must be a string"},
		{"resource that is not there, older", call("resources/read", `"uri":"glyphoxa://nothing/x"`), session, 200, -32002, "Resource not found"},
		{"resource that is not there, newest", call("resources/read", `"uri":"glyphoxa://nothing/x",`+meta2026), newest("resources/read", "glyphoxa://nothing/x"), 400, -32602, "Resource not found"},
		{"unknown level", call("logging/setLevel", `"level":"loud"`), session, 200, -32602, "`level` must be one of debug, info"},
		{"null arguments, older", call("tools/call", `"name":"echo","arguments":null`), session, 200, 0, ""},
		{"null arguments, newest", call("tools/call", `"name":"echo","arguments":null,`+meta2026), newest("tools/call", "echo"), 200, 0, ""},
		{"known level", call("logging/setLevel", `"level":"error"`), session, 200, 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _ := post(t, addr, row.body, row.header)
			checkAnswer(t, got, row.code, row.says)
			if got.status != row.status {
				t.Errorf("the status is %d, want %d", got.status, row.status)
			}
		})
	}
}

func checkAnswer(t *testing.T, got wireAnswer, code int, says string) {
	t.Helper()
	switch {
	case code == 0:
		if got.Error != nil || strings.Contains(string(got.Result), `"isError":true`) {
			t.Errorf("the answer is %+v %s, want a good result", got.Error, got.Result)
		}
	case got.Error == nil:
		t.Errorf("the answer is %s, want the error %d %s", got.Result, code, says)
	case got.Error.Code != code || !strings.Contains(got.Error.Message, says):
		t.Errorf("the error is %d %q, want %d %q", got.Error.Code, got.Error.Message, code, says)
	case strings.Contains(got.Error.Message, "hunter2") || strings.Contains(got.Error.Message, "mcp.") || strings.Contains(got.Error.Message, "unmarshal"):
		t.Errorf("the error tells of the inside, or what was sent: %q", got.Error.Message)
	}
}

// TestRequestsOnStreamsAreToldWhy has the same said over WebSocket and standard streams.
func TestRequestsOnStreamsAreToldWhy(t *testing.T) {
	rows := []struct {
		line string
		code int
		says string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, -32600, "tools/list came before initialize"},
		{`{"jsonrpc":"2.0","id":2,"method":"foo/bar"}`, -32601, `there is no method "foo/bar"`},
		{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":5}}`, -32602, "`protocolVersion` must be a string"},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, -32600, "came before initialize"},
		{handshake, 0, ""},
		{handshake, -32600, "initialised already"},
		{`{"jsonrpc":"2.0","id":5,"method":"foo/bar"}`, -32601, `there is no method "foo/bar"`},
		{`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":5}}`, -32602, "`name` must be a string"},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":null}}`, 0, ""},
		{`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"glyphoxa://nothing/x"}}`, -32002, "Resource not found"},
	}
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{echo("echo", "dice.roll")}})
	t.Run("websocket", func(t *testing.T) {
		addr := h.web(config.Server{Clients: clients("dm")})
		conn, _, err := websocket.Dial(t.Context(), "ws://"+addr+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token("dm")}}})
		must(t, "dialling", err)
		defer conn.CloseNow()
		conn.SetReadLimit(1 << 20)
		for _, row := range rows {
			must(t, "writing", conn.Write(t.Context(), websocket.MessageText, []byte(row.line)))
			_, raw, err := conn.Read(t.Context())
			must(t, "reading", err)
			checkAnswer(t, decoded[wireAnswer](t, json.RawMessage(raw)), row.code, row.says)
		}
	})
	t.Run("stdio", func(t *testing.T) {
		in, client := io.Pipe()
		answers, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- h.server.Serve(t.Context(), h.subject("dm"), mcpserver.Lines(in, out, 0)) }()
		lines := bufio.NewReader(answers)
		for _, row := range rows {
			_, err := io.WriteString(client, row.line+"\n")
			must(t, "writing", err)
			raw, err := lines.ReadBytes('\n')
			must(t, "reading", err)
			checkAnswer(t, decoded[wireAnswer](t, json.RawMessage(raw)), row.code, row.says)
		}
		must(t, "closing", client.Close())
		must(t, "serving", <-done)
	})
}
