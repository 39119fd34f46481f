package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// caller posts to one server in one session, over a real connection.
type caller struct {
	t       *testing.T
	url     string
	session string
}

// newCaller opens a session.
func newCaller(t *testing.T, addr string) *caller {
	t.Helper()
	c := &caller{t: t, url: "http://" + addr + "/mcp"}
	res := c.do(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "")
	_, _ = io.Copy(io.Discard, res.Body)
	must(t, "closing", res.Body.Close())
	if c.session = res.Header.Get("Mcp-Session-Id"); c.session == "" {
		t.Fatalf("no session is opened: %s", res.Status)
	}
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// do sends a request; its answer is for the caller to read.
func (c *caller) do(ctx context.Context, method, body, lastEvent string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	must(c.t, "making a request", err)
	for key, value := range map[string]string{
		"Authorization": "Bearer " + token("dm"), "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25",
	} {
		r.Header.Set(key, value)
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	if lastEvent != "" {
		r.Header.Set("Last-Event-Id", lastEvent)
	}
	res, err := http.DefaultClient.Do(r)
	must(c.t, "sending", err)
	return res
}

// post sends a message and returns what is answered, whole.
func (c *caller) post(body string) string {
	c.t.Helper()
	res := c.do(c.t.Context(), http.MethodPost, body, "")
	raw, err := io.ReadAll(res.Body)
	must(c.t, "reading", err)
	must(c.t, "closing", res.Body.Close())
	return res.Status + "\n" + string(raw)
}

const hangCall = `{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hang","arguments":{}}}`

// TestSessionCalls shows how the calls of a session end: by a cancellation, by the end of the
// session, and not with the connection, whose client can fetch the answer later.
func TestSessionCalls(t *testing.T) {
	tool, begun, ended := hanging()
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{tool, echo("echo", "dice.roll")}})
	c := newCaller(t, h.web(config.Server{Clients: clients("dm")}))
	t.Run("cancelled", func(t *testing.T) { c.cancelled(t, begun, ended) })
	t.Run("same id twice", func(t *testing.T) { c.sameID(t, begun, ended) })
	t.Run("lost and found", func(t *testing.T) { c.lostAndFound(t, begun, ended) })
	t.Run("closed", func(t *testing.T) { c.closed(t) })
}

// TestSessionKeepsItsLogLevel shows that a level set in one HTTP request holds for the calls
// of that session in later requests, and for no other session.
func TestSessionKeepsItsLogLevel(t *testing.T) {
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{echo("echo", "dice.roll")}})
	addr := h.web(config.Server{Clients: clients("dm")})
	asks, silent := newCaller(t, addr), newCaller(t, addr)
	asks.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"progressToken":"p"}}}`
	if got := asks.post(call); !strings.Contains(got, "notifications/message") {
		t.Errorf("a client that wants messages gets %q, want one", got)
	}
	if got := silent.post(call); strings.Contains(got, "notifications/message") {
		t.Errorf("a client that wants no messages gets %q", got)
	}
}

// TestBrokenStructuredContentIsAnswered shows that a client gets an error instead of waiting
// for a response that the SDK cannot encode.
func TestBrokenStructuredContentIsAnswered(t *testing.T) {
	tool := echo("broken", "dice.roll")
	tool.Handler, tool.Respond = nil, func(context.Context, string) (mcp.Result, error) {
		return mcp.Result{Text: "x", Structured: json.RawMessage(`{"n":`)}, nil
	}
	h := newFixture(t, plan{tools: []mcphost.BuiltinTool{tool}})
	c := newCaller(t, h.web(config.Server{Clients: clients("dm")}))
	got := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken","arguments":{}}}`)
	if !strings.Contains(got, `"error":{"code":-32603,"message":"the server could not answer; its log says why"}`) {
		t.Errorf("the call is answered %q, want an internal error", got)
	}
}

// withdraw cancels the call that hangs.
func (c *caller) withdraw() {
	c.t.Helper()
	got := c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h"}}`)
	if !strings.HasPrefix(got, "202") {
		c.t.Errorf("a cancellation is answered %q", got)
	}
}

func (c *caller) cancelled(t *testing.T, begun <-chan struct{}, ended <-chan error) {
	answer := make(chan string, 1)
	go func() { answer <- c.post(hangCall) }()
	<-begun
	c.withdraw()
	<-ended
	if got := <-answer; !strings.Contains(got, "event: prime\nid: ") || !strings.Contains(got, `"code":"cancelled"`) {
		t.Errorf("a cancelled call is answered %q", got)
	}
}

func (c *caller) sameID(t *testing.T, begun <-chan struct{}, ended <-chan error) {
	answer := make(chan string, 1)
	go func() { answer <- c.post(hangCall) }()
	<-begun
	if got := c.post(hangCall); !strings.HasPrefix(got, "400") || !strings.Contains(got, "duplicate in-flight request ID h") {
		t.Errorf("a second call with the same id is answered %q", got)
	}
	if got := c.post(strings.Replace(hangCall, `"hang"`, `"echo"`, 1)); !strings.HasPrefix(got, "400") {
		t.Errorf("another with the same id is answered %q", got)
	}
	c.withdraw()
	<-ended
	<-answer
}

func (c *caller) lostAndFound(t *testing.T, begun <-chan struct{}, ended <-chan error) {
	ctx, cancel := context.WithCancel(t.Context())
	res := c.do(ctx, http.MethodPost, hangCall, "")
	<-begun
	var id string
	for lines := bufio.NewScanner(res.Body); id == "" && lines.Scan(); {
		id, _ = strings.CutPrefix(lines.Text(), "id: ")
		if !strings.Contains(lines.Text(), "id: ") {
			id = ""
		}
	}
	cancel()
	_ = res.Body.Close()
	found := make(chan string, 1)
	go func() {
		var raw []byte
		for len(raw) == 0 || strings.HasPrefix(string(raw), "stream ID conflicts") { // until its going has been noticed
			res := c.do(t.Context(), http.MethodGet, "", id)
			raw, _ = io.ReadAll(res.Body)
			_ = res.Body.Close()
		}
		found <- string(raw)
	}()
	select {
	case got := <-found:
		t.Errorf("who comes back finds %q before the call has ended", got)
	case err := <-ended:
		t.Errorf("the call ends with its connection: %v", err)
	default:
	}
	c.withdraw()
	<-ended
	if got := <-found; !strings.Contains(got, `"code":"cancelled"`) || !strings.Contains(got, strings.TrimSuffix(id, "0")+"1") {
		t.Errorf("who comes back for %q finds %q", id, got)
	}
}

func (c *caller) closed(t *testing.T) {
	if got := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`); !strings.HasPrefix(got, "200") {
		t.Errorf("a call is answered %q", got)
	}
	res := c.do(t.Context(), http.MethodDelete, "", "")
	must(t, "closing", res.Body.Close())
	if got := c.post(hangCall); !strings.HasPrefix(got, "404") {
		t.Errorf("a call in a session that is closed is answered %q", got)
	}
}
