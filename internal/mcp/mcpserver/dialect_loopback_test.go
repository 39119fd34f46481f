package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// serveSocket serves w over WebSockets on loopback and returns a client, and
// what Serve returned for it.
func serveSocket(t *testing.T, w *dialectWorld) (*websocket.Conn, <-chan error) {
	t.Helper()
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(rw, r, nil)
		if err != nil {
			ended <- err
			return
		}
		conn := mcpserver.NewConn(mcpserver.WebSocket(c, 0), mcpserver.ConnOptions{})
		defer conn.Close()
		req, _, err := conn.Peek(r.Context())
		if err == nil && !mcpserver.IsHandshake(req) {
			err = fmt.Errorf("%s is no handshake", req.Method)
		}
		if err == nil {
			err = mcpserver.Serve(r.Context(), conn, w)
		}
		ended <- err
	}))
	t.Cleanup(server.Close)
	c, _, err := websocket.Dial(t.Context(), "ws://"+server.Listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c, ended
}

func say(t *testing.T, c *websocket.Conn, message string) {
	t.Helper()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

func TestDialectOverWebSocket(t *testing.T) {
	w := &dialectWorld{}
	c, ended := serveSocket(t, w)
	for _, exchange := range []struct {
		say  string
		want []string
	}{
		{dialectHandshake, []string{`"protocolVersion":"` + mcpserver.ProtocolVersion + `"`}},
		{callOf(1, "roll"), []string{`"result":{"total":7}`}},
		{`no message`, []string{`"code":-32700`}},
		{`{"jsonrpc":"2.0","id":2,"method":"state/subscribe"}`, []string{`"method":"state/snapshot"`, `"id":2,"result":{"ok":true,"tick":3}`}},
		{`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, []string{`"ok":true`}},
	} {
		say(t, c, exchange.say)
		for _, want := range exchange.want {
			_, got, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), want) {
				t.Errorf("%s was answered %s, want %s", exchange.say, got, want)
			}
		}
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Errorf("closing: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestClientThatVanishesMidCall(t *testing.T) {
	w := &dialectWorld{}
	c, ended := serveSocket(t, w)
	say(t, c, dialectHandshake)
	if _, _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	say(t, c, callOf(1, "never")) // takes a minute unless it is cancelled
	say(t, c, callOf(2, "roll"))
	if _, _, err := c.Read(t.Context()); err != nil { // then both have begun
		t.Fatal(err)
	}
	start := time.Now()
	c.CloseNow()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if took := time.Since(start); took >= time.Minute {
		t.Errorf("the call went on for %v after its client had vanished", took)
	}
	if opened, closed := w.opened.Load(), w.closed.Load(); opened != 1 || closed != 1 {
		t.Errorf("%d sessions were opened and %d closed, want 1 and 1", opened, closed)
	}
}

// relay is a stream that hands over one call at a time and takes its answer.
type relay struct {
	asks     chan *jsonrpc.Request
	answered chan *jsonrpc.Response
}

func (r relay) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case req := <-r.asks:
		return req, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r relay) Write(_ context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		r.answered <- resp
	}
	return nil
}

// BenchmarkCall measures a call from its decoded request to its response.
func BenchmarkCall(b *testing.B) {
	ctx, stop := context.WithCancel(b.Context())
	r := relay{make(chan *jsonrpc.Request), make(chan *jsonrpc.Response)}
	done := make(chan error, 1)
	go func() { done <- mcpserver.Serve(ctx, r, &dialectWorld{}) }()
	id, err := jsonrpc.MakeID("x")
	if err != nil {
		b.Fatal(err)
	}
	ask := func(method, params string) {
		r.asks <- &jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(params)}
		if resp := <-r.answered; resp.Error != nil {
			b.Fatal(resp.Error)
		}
	}
	ask("initialize", `{"agentId":"a","sessionId":"s","profile":"p"}`)
	b.ReportAllocs()
	for b.Loop() {
		ask("tools/call", `{"name":"roll","arguments":{"dice":"2d6"}}`)
	}
	stop()
	<-done
}
