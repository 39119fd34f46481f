package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

func TestIsHandshake(t *testing.T) {
	for _, row := range []struct {
		name, method, params string
		want                 bool
	}{
		{"all strings", "initialize", `{"agentId":"a","sessionId":"s","profile":"p"}`, true},
		{"empty strings", "initialize", `{"agentId":"","sessionId":"","profile":""}`, true},
		{"and more", "initialize", `{"agentId":"a","sessionId":"s","profile":"p","protocolVersion":"x"}`, true},
		{"no profile", "initialize", `{"agentId":"a","sessionId":"s"}`, false},
		{"null profile", "initialize", `{"agentId":"a","sessionId":"s","profile":null}`, false},
		{"number as profile", "initialize", `{"agentId":"a","sessionId":"s","profile":1}`, false},
		{"MCP", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, false},
		{"array", "initialize", `["a","s","p"]`, false},
		{"no params", "initialize", ``, false},
		{"another method", "server/discover", `{"agentId":"a","sessionId":"s","profile":"p"}`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := &jsonrpc.Request{Method: row.method, Params: json.RawMessage(row.params)}
			if got := mcpserver.IsHandshake(req); got != row.want {
				t.Errorf("IsHandshake = %v, want %v", got, row.want)
			}
		})
	}
	if mcpserver.IsHandshake(nil) {
		t.Error("nothing is a handshake")
	}
}

const dialectHandshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"agentId":"a","sessionId":"s","profile":"p"}}`

// callOf is a call of a tool; without an id it is a notification.
func callOf(id int, tool string) string {
	if id == 0 {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":%q}}`, tool)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func TestCallsRunAtTheSameTimeUpToABound(t *testing.T) {
	for _, row := range []struct {
		name  string
		bound int // of the connection
		notes bool
		want  string // in the refusal of one more; empty if it is dropped
	}{
		{"refused by the dialect", 1000, false, `"code":-32002,"message":"too busy: 64 calls are under way","data":{"success":false,"error":{"code":"capacity_exceeded"`},
		{"refused by the connection", 64, false, `"code":-32002,"message":"too many requests are under way`},
		{"notifications are dropped", 1000, true, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sit(t.Context(), mcpserver.ConnOptions{MaxInFlight: row.bound})
				s.say(dialectHandshake)
				for i := range 64 {
					id := i + 1
					if row.notes {
						id = 0
					}
					if heard := s.say(callOf(id, "slow")); heard != nil {
						t.Fatalf("call %d was answered %s", i, heard)
					}
				}
				var heard []string
				if row.notes {
					heard = s.say(callOf(0, "slow"))
				} else {
					heard = s.say(callOf(65, "slow"))
				}
				if got := strings.Join(heard, " "); !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
					t.Errorf("one more was answered %q, want %q", got, row.want)
				}
				if got := s.world.calls.Load(); got != 64 {
					t.Errorf("%d calls began, want 64", got)
				}
				time.Sleep(time.Second)
				if got := len(s.listen()); !row.notes && got != 64 {
					t.Errorf("%d answers after a second, want 64", got)
				}
				s.in.Close()
				if err := <-s.end; err != nil {
					t.Errorf("Serve: %v", err)
				}
			})
		})
	}
}

func TestEndOfServe(t *testing.T) {
	for _, row := range []struct {
		name   string
		tool   string
		note   bool
		cancel bool // the context, instead of ending the input
		takes  time.Duration
		hears  string
		want   error
	}{
		{"nothing under way", "", false, false, 0, "", nil},
		{"a request is answered first", "slow", false, false, time.Second, `"result":"done"`, nil},
		{"a notification is finished first", "slow", true, false, time.Second, "", nil},
		{"a request that takes too long is cancelled", "never", false, false, 30 * time.Second, `"code":"cancelled"`, nil},
		{"a notification that takes too long is cancelled", "never", true, false, 30 * time.Second, "", nil},
		{"the context ends", "never", false, true, 0, `"code":"cancelled"`, errStop},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				s := sit(ctx, mcpserver.ConnOptions{})
				s.say(dialectHandshake)
				if row.tool != "" {
					id := 1
					if row.note {
						id = 0
					}
					s.say(callOf(id, row.tool))
				}
				start := time.Now()
				if row.cancel {
					stop(errStop)
				} else {
					s.in.Close()
				}
				if err := <-s.end; !errors.Is(err, row.want) || (err == nil) != (row.want == nil) {
					t.Errorf("Serve: %v, want %v", err, row.want)
				}
				if took := time.Since(start); took != row.takes {
					t.Errorf("it took %v, want %v", took, row.takes)
				}
				if got := strings.Join(s.listen(), " "); !strings.Contains(got, row.hears) || (got == "") != (row.hears == "") {
					t.Errorf("heard %q, want %q", got, row.hears)
				}
				if got := s.world.closed.Load(); got != 1 {
					t.Errorf("%d sessions were closed, want 1", got)
				}
				s.in.Close()
			})
		})
	}
}

var errStop = errors.New("stop")

// deaf is a stream whose peer is gone: it asks, and cannot be answered.
type deaf struct {
	asks []*jsonrpc.Request
	gone error
}

func (d *deaf) Read(ctx context.Context) (jsonrpc.Message, error) {
	if len(d.asks) > 0 {
		req := d.asks[0]
		d.asks = d.asks[1:]
		return req, nil
	}
	if d.gone != nil {
		return nil, d.gone
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (d *deaf) Write(_ context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok && resp.Error == nil {
		return nil // the handshake
	}
	return errStop
}

func TestClientThatIsGone(t *testing.T) {
	asks := func(tools ...string) []*jsonrpc.Request {
		id, err := jsonrpc.MakeID("x")
		if err != nil {
			t.Fatal(err)
		}
		all := []*jsonrpc.Request{{ID: id, Method: "initialize", Params: json.RawMessage(`{"agentId":"a","sessionId":"s","profile":"p"}`)}}
		for _, tool := range tools {
			all = append(all, &jsonrpc.Request{ID: id, Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `"}`)})
		}
		return all
	}
	for _, row := range []struct {
		name   string
		stream *deaf
		want   error
	}{
		{"its calls are cancelled at once", &deaf{asks: asks("never"), gone: mcpserver.ErrGone}, mcpserver.ErrGone},
		{"an answer that cannot be written ends it", &deaf{asks: asks("broken")}, errStop},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dialectWorld{}
				start := time.Now()
				if err := mcpserver.Serve(t.Context(), row.stream, w); !errors.Is(err, row.want) {
					t.Errorf("Serve: %v, want %v", err, row.want)
				}
				if took := time.Since(start); took != 0 {
					t.Errorf("it took %v, want no time", took)
				}
				if got := w.closed.Load(); got != 1 {
					t.Errorf("%d sessions were closed, want 1", got)
				}
			})
		})
	}
}
