package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// peer is the client's side of a connection over lines.
type peer struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
}

// connect returns a connection over lines of at most max bytes and its peer.
func connect(t *testing.T, max int, o mcpserver.ConnOptions) (*mcpserver.Conn, *peer) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := mcpserver.NewConn(mcpserver.Lines(inR, outW, max), o)
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	out := bufio.NewScanner(outR)
	out.Buffer(nil, 32<<20)
	return c, &peer{t, inW, out}
}

// send writes a line from a goroutine that ends with the pipe.
func (p *peer) send(lines ...string) {
	go func() {
		for _, l := range lines {
			if _, err := io.WriteString(p.in, l+"\n"); err != nil {
				return
			}
		}
	}()
}

// hear returns the next line that the peer gets.
func (p *peer) hear() string {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("the output ended: %v", p.out.Err())
	}
	return p.out.Text()
}

// wireEcho answers every request of c with its method until c ends.
func wireEcho(ctx context.Context, c *mcpserver.Conn) error {
	for {
		msg, err := c.Read(ctx)
		if err != nil {
			return err
		}
		if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
			if err := c.Write(ctx, reply(req)); err != nil {
				return err
			}
		}
	}
}

func reply(req *jsonrpc.Request) *jsonrpc.Response {
	method, err := json.Marshal(req.Method)
	if err != nil {
		return &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: -32603, Message: "internal error"}}
	}
	return &jsonrpc.Response{ID: req.ID, Result: method}
}

// frames are single frames and what a peer hears of each: the id and the code
// of an error, or the method it called; empty if nothing is answered.
var frames = []struct{ name, frame, want string }{
	{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `1 ping`},
	{"string id", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `"a" ping`},
	{"empty string id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `"" ping`},
	{"zero id", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `0 ping`},
	{"negative id", `{"jsonrpc":"2.0","id":-3,"method":"ping"}`, `-3 ping`},
	{"escaped keys", `{"jsonrpc":"2.0","\u0069d":4,"m\u0065thod":"pi\u006eg"}`, `4 ping`},
	{"escaped version", `{"jsonrpc":"2\u002e0","id":4,"method":"ping"}`, `4 ping`},
	{"keys match in case", `{"jsonrpc":"2.0","ID":4,"id":5,"method":"ping","Method":"x"}`, `5 ping`},
	{"the last of two members wins", `{"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}`, `5 ping`},
	{"spaces", " {\t\"jsonrpc\" : \"2.0\" , \"id\" : 6 , \"method\" : \"ping\" , \"params\" : { \"a\" : [ \"]}\" ] } } ", `6 ping`},
	{"null params", `{"jsonrpc":"2.0","id":7,"method":"ping","params":null}`, `7 ping`},
	{"array params", `{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}`, `7 ping`},
	{"empty method", `{"jsonrpc":"2.0","id":7,"method":""}`, `7 `},
	{"notification", `{"jsonrpc":"2.0","method":"ping"}`, ``},
	{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
	{"complaint", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}}`, ``},
	{"malformed response", `{"jsonrpc":"2.0","id":1,"error":"what"}`, ``},
	{"response of both kinds", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`, ``},

	{"not json", `hello`, `null -32700`},
	{"cut short", `{"jsonrpc":"2.0","id":1,`, `null -32700`},
	{"two values", `{"jsonrpc":"2.0","id":1,"method":"a"} {}`, `null -32700`},
	{"not utf-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `null -32700`},
	{"number", `12`, `null -32600`},
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null -32600`},
	{"empty batch", `[]`, `null -32600`},
	{"empty object", `{}`, `null -32600`},
	{"no version", `{"id":1,"method":"ping"}`, `1 -32600`},
	{"no version nor id", `{"method":"ping"}`, `null -32600`},
	{"old version", `{"jsonrpc":"1.0","id":"x","method":"ping"}`, `"x" -32600`},
	{"version of wrong type", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `1 -32600`},
	{"no method", `{"jsonrpc":"2.0","id":1}`, `1 -32600`},
	{"method of wrong type", `{"jsonrpc":"2.0","id":1,"method":7}`, `1 -32600`},
	{"null method", `{"jsonrpc":"2.0","id":1,"method":null}`, `1 -32600`},
	{"params of wrong type", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, `1 -32600`},
	{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null -32600`},
	{"object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null -32600`},
	{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `1.5 -32600`},
	{"id beyond telling apart", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `9007199254740993 -32600`},
	{"id beyond all numbers", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, `1e999 -32600`},
	{"request with a result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":1}`, `1 -32600`},
}

// heard condenses an answer to its id and its method or code.
func heard(t *testing.T, line string) string {
	t.Helper()
	var a struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  *string         `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("answer %s: %v", line, err)
	}
	switch {
	case a.Version != "2.0":
		t.Errorf("answer %s is not JSON-RPC 2.0", line)
	case a.Error != nil && a.Error.Message == "":
		t.Errorf("answer %s does not say what is wrong", line)
	}
	if a.Error != nil {
		return fmt.Sprintf("%s %d", a.ID, a.Error.Code)
	}
	return fmt.Sprintf("%s %s", a.ID, *a.Result)
}

func TestFrameAnswers(t *testing.T) {
	for _, row := range frames {
		t.Run(row.name, func(t *testing.T) {
			c, p := connect(t, 0, mcpserver.ConnOptions{})
			done := make(chan error, 1)
			go func() { done <- wireEcho(t.Context(), c) }()
			p.send(row.frame, `{"jsonrpc":"2.0","id":"last","method":"end"}`)
			if row.want != "" {
				if got := heard(t, p.hear()); got != row.want {
					t.Errorf("answered %q, want %q", got, row.want)
				}
			}
			if got, want := heard(t, p.hear()), `"last" end`; got != want {
				t.Errorf("the message behind it was answered %q, want %q", got, want)
			}
			p.in.Close()
			if err := <-done; err != io.EOF {
				t.Errorf("ended with %v, want EOF", err)
			}
		})
	}
}

func TestTooLongLineIsSkipped(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, row := range []struct{ name, line, want string }{
		{"id in front", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"` + long + `"}}`, `7 -32600`},
		{"id before version", `{"id":"q","jsonrpc":"2.0","method":"m","params":{"a":"` + long + `"}}`, `"q" -32600`},
		{"id at the end", `{"method":"m","params":{"a":"` + long + `"},"jsonrpc":"2.0","id":8}`, `8 -32600`},
		{"id inside params", `{"method":"m","params":{"a":"` + long + `","id":8}}`, `null -32600`},
		{"id inside a string", `{"method":"m","params":"` + long + `,\"id\":8}"}`, `null -32600`},
		{"id of an answer", `{"jsonrpc":"2.0","id":7,"result":"` + long + `"}`, `null -32600`},
		{"no message", long, `null -32600`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, p := connect(t, 100<<10, mcpserver.ConnOptions{})
			done := make(chan error, 1)
			go func() { done <- wireEcho(t.Context(), c) }()
			p.send(row.line, "", "\r", `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\r")
			if got := heard(t, p.hear()); got != row.want {
				t.Errorf("answered %q, want %q", got, row.want)
			}
			if got, want := heard(t, p.hear()), `1 ping`; got != want {
				t.Errorf("the message behind it was answered %q, want %q", got, want)
			}
			p.in.Close()
			if err := <-done; err != io.EOF {
				t.Errorf("ended with %v, want EOF", err)
			}
		})
	}
}

func TestHundredMalformedMessagesEndTheConnection(t *testing.T) {
	c, p := connect(t, 0, mcpserver.ConnOptions{})
	done := make(chan error, 1)
	go func() { done <- wireEcho(t.Context(), c) }()
	for range 99 {
		p.send("?")
		p.hear()
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.hear()
	for range 100 {
		p.send("?")
		p.hear()
	}
	if err := <-done; !errors.Is(err, mcpserver.ErrMalformed) {
		t.Errorf("ended with %v, want %v", err, mcpserver.ErrMalformed)
	}
	if err := c.Push(t.Context(), []byte(`{}`)); !errors.Is(err, mcpserver.ErrClosed) {
		t.Errorf("pushing afterwards: %v, want %v", err, mcpserver.ErrClosed)
	}
}

func TestRequestsBeyondTheBoundAreRefused(t *testing.T) {
	c, p := connect(t, 0, mcpserver.ConnOptions{MaxInFlight: 2})
	read := func() *jsonrpc.Request {
		t.Helper()
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return msg.(*jsonrpc.Request)
	}
	call := func(id string) { p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`) }
	call("1")
	first := read()
	call("2")
	second := read()

	next := make(chan *jsonrpc.Request, 1)
	go func() { next <- read() }()
	call("1")
	if got, want := heard(t, p.hear()), "1 -32600"; got != want {
		t.Errorf("an id under way was answered %q, want %q", got, want)
	}
	call("3")
	want := `{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"too many requests are under way; try again when some have been answered",` +
		`"data":{"success":false,"error":{"code":"capacity_exceeded","message":"too many requests are under way; try again when some have been answered"},"retryAfterMs":250}}}`
	if diff := cmp.Diff(want, p.hear()); diff != "" {
		t.Errorf("refusal (-want +got):\n%s", diff)
	}
	answered := make(chan string)
	go func() { answered <- p.hear() }()
	if err := c.Write(t.Context(), reply(first)); err != nil {
		t.Fatal(err)
	}
	if got, want := heard(t, <-answered), "1 m"; got != want {
		t.Errorf("the first request was answered %q, want %q", got, want)
	}
	call("1")
	third := <-next
	if third.ID != first.ID || second.ID == third.ID {
		t.Errorf("after an answer, read id %v, want 1 again", third.ID.Raw())
	}
}

func TestEndWaitsForAnswers(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"slow"}`
	for _, row := range []struct {
		name    string
		message string
		answer  time.Duration // 0: never
		want    time.Duration
	}{
		{"nothing owed", `{"jsonrpc":"2.0","method":"note"}`, 0, 0},
		{"answered in time", request, 5 * time.Second, 5 * time.Second},
		{"never answered", request, 0, 30 * time.Second},
		{"a listener is not waited for", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, p := connect(t, 0, mcpserver.ConnOptions{})
				p.send(row.message)
				msg, err := c.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				p.in.Close()
				start := time.Now()
				if row.answer > 0 {
					go p.out.Scan()
					go func() {
						time.Sleep(row.answer)
						if err := c.Write(t.Context(), reply(msg.(*jsonrpc.Request))); err != nil {
							t.Errorf("answering: %v", err)
						}
					}()
				}
				if _, err := c.Read(t.Context()); err != io.EOF {
					t.Errorf("the end is %v, want EOF", err)
				}
				if got := time.Since(start); got != row.want {
					t.Errorf("the end came after %v, want %v", got, row.want)
				}
			})
		})
	}
}

func TestCloseEndsTheWaitForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, p := connect(t, 0, mcpserver.ConnOptions{})
		p.send(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.in.Close()
		done := make(chan error, 1)
		go func() {
			_, err := c.Read(t.Context())
			done <- err
		}()
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if err := <-done; err != io.EOF {
			t.Errorf("the end is %v, want EOF", err)
		}
	})
}

func TestPeekConsumesNothing(t *testing.T) {
	extra := &sdk.RequestExtra{Header: http.Header{"X": {"y"}}}
	c, p := connect(t, 0, mcpserver.ConnOptions{Extra: extra, SessionID: "s1"})
	first := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":1}}`
	p.send("?", `{"jsonrpc":"2.0","id":9,"result":{}}`, first, `{"jsonrpc":"2.0","method":"second"}`)
	go p.out.Scan()
	for range 2 {
		req, raw, err := c.Peek(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) != first || req.Method != "initialize" || string(req.Params) != `{"a":1}` {
			t.Errorf("peeked %s (%s %s), want %s", raw, req.Method, req.Params, first)
		}
	}
	for _, want := range []string{"initialize", "second"} {
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		req := msg.(*jsonrpc.Request)
		if req.Method != want {
			t.Errorf("read %q, want %q", req.Method, want)
		}
		got, ok := req.Extra.(*sdk.RequestExtra)
		if !ok || got == extra || got.Header.Get("X") != "y" {
			t.Errorf("%s carries %v, want a copy of %v", want, req.Extra, extra)
		}
	}
	if c.SessionID() != "s1" {
		t.Errorf("session %q, want s1", c.SessionID())
	}
}

func TestReaderMayGiveUp(t *testing.T) {
	c, p := connect(t, 0, mcpserver.ConnOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Peek(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("peeking with a context that is over: %v, want %v", err, context.Canceled)
	}
	p.send(`{"jsonrpc":"2.0","method":"note"}`)
	msg, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := msg.(*jsonrpc.Request).Method; got != "note" {
		t.Errorf("read %q, want note", got)
	}
}
