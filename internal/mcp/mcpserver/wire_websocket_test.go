package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// soon bounds what should happen at once, on a machine that is busy.
const soon = time.Minute

// accepted is the server's side of a WebSocket on loopback: its address, and
// the sockets that were accepted there.
func accepted(t *testing.T, o mcpserver.SocketOptions) (addr string, sockets <-chan mcpserver.Frames) {
	t.Helper()
	ch := make(chan mcpserver.Frames, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Errorf("accepting: %v", err)
			return
		}
		ch <- mcpserver.WebSocketWith(c, o)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), ch
}

// dialled returns both sides of a WebSocket on loopback.
func dialled(t *testing.T, o mcpserver.SocketOptions) (*websocket.Conn, mcpserver.Frames) {
	t.Helper()
	addr, sockets := accepted(t, o)
	c, _, err := websocket.Dial(t.Context(), "ws://"+addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(-1)
	frames := <-sockets
	t.Cleanup(func() {
		c.CloseNow()
		frames.Close()
	})
	return c, frames
}

// upgraded returns a raw connection that has asked for a WebSocket, and the
// server's side of it.
func upgraded(t *testing.T, o mcpserver.SocketOptions) (net.Conn, mcpserver.Frames) {
	t.Helper()
	addr, sockets := accepted(t, o)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", addr)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrading: %s", resp.Status)
	}
	frames := <-sockets
	t.Cleanup(func() { frames.Close() })
	return c, frames
}

// within fails the test if f takes longer than the time.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		t.Logf("%s took %v", what, time.Since(start))
	case <-time.After(d):
		t.Fatalf("%s takes longer than %v", what, d)
	}
}

func TestServerOfTheSDKOverWebSocket(t *testing.T) {
	client, frames := dialled(t, mcpserver.SocketOptions{})
	conn := mcpserver.NewConn(frames, mcpserver.ConnOptions{SessionID: "s1", Extra: &sdk.RequestExtra{Header: http.Header{"X-Who": {"bard"}}}})
	server := sdk.NewServer(&sdk.Implementation{Name: "server", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "who"}, func(_ context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		who := req.Extra.Header.Get("X-Who")
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: who}}}, nil, nil
	})
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context(), conn.Transport()) }()

	ours := mcpserver.NewConn(mcpserver.WebSocket(client, 0), mcpserver.ConnOptions{})
	session, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), ours.Transport(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "who"})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Content[0].(*sdk.TextContent).Text; got != "bard" {
		t.Errorf("the tool was called by %q, want bard", got)
	}
	if err := session.Close(); err != nil {
		t.Errorf("closing the client: %v", err)
	}
	within(t, soon, "the end of the server", func() {
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

func TestSocketClosesWithItsReason(t *testing.T) {
	for _, row := range []struct {
		name string
		kind websocket.MessageType
		max  int64
		size int
		want websocket.StatusCode
	}{
		{"binary", websocket.MessageBinary, 0, 10, websocket.StatusUnsupportedData},
		{"one byte too many", websocket.MessageText, 0, mcpserver.DefaultMaxFrame + 1, websocket.StatusMessageTooBig},
		{"far too many", websocket.MessageText, 1 << 10, 4 << 20, websocket.StatusMessageTooBig},
	} {
		t.Run(row.name, func(t *testing.T) {
			client, frames := dialled(t, mcpserver.SocketOptions{Max: row.max, CloseWithin: soon})
			sent := make(chan struct{})
			go func() { // ends with the socket
				defer close(sent)
				_ = client.Write(t.Context(), row.kind, make([]byte, row.size))
			}()
			closed := make(chan error, 1)
			go func() {
				_, _, err := client.Read(t.Context())
				closed <- err
			}()
			_, err := frames.ReadFrame(t.Context())
			if !errors.Is(err, mcpserver.ErrGone) {
				t.Errorf("read %v, want %v", err, mcpserver.ErrGone)
			}
			if got := websocket.CloseStatus(<-closed); got != row.want {
				t.Errorf("closed with %v, want %v", got, row.want)
			}
			<-sent
		})
	}
}

func TestTenMegabyteFrame(t *testing.T) {
	client, frames := dialled(t, mcpserver.SocketOptions{})
	c := mcpserver.NewConn(frames, mcpserver.ConnOptions{})
	go wireEcho(t.Context(), c) // ends with the socket
	big := `{"jsonrpc":"2.0","id":1,"method":"big","params":[""` + strings.Repeat(`,"`+strings.Repeat("x", 1<<20-3)+`"`, mcpserver.DefaultMaxFrame>>20-1) + `,"` + strings.Repeat("x", 1<<19) + `"]}`
	for _, m := range []string{big, `{"jsonrpc":"2.0","id":2,"method":"small"}`} {
		if err := client.Write(t.Context(), websocket.MessageText, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"1 big", "2 small"} {
		_, got, err := client.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if heard(t, string(got)) != want {
			t.Errorf("answered %s, want %s", got, want)
		}
	}
}

// purse is a share of so many bytes.
type purse struct{ left atomic.Int64 }

func (p *purse) Take(n int64) bool {
	if p.left.Add(-n) < 0 {
		p.left.Add(n)
		return false
	}
	return true
}

func (p *purse) GiveBack(n int64) { p.left.Add(n) }

// TestShareOfASocket shows that a message for which there is no room is refused, with
// its id, that the next is taken, and that nothing stays held.
func TestShareOfASocket(t *testing.T) {
	const room = 16 << 10
	share := &purse{}
	share.left.Store(room)
	client, frames := dialled(t, mcpserver.SocketOptions{Share: share})
	c := mcpserver.NewConn(frames, mcpserver.ConnOptions{Share: share})
	done := make(chan struct{})
	go func() { defer close(done); wireEcho(t.Context(), c) }()
	long := `{"jsonrpc":"2.0","id":1,"method":"long","params":["` + strings.Repeat("x", 2*room) + `"]}`
	deep := `{"jsonrpc":"2.0","id":2,"method":"deep","params":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`
	for _, row := range []struct{ say, want string }{
		{long, `"id":1,"error":{"code":-32002`}, {deep, `"id":2,"error":{"code":-32600`}, {`{"jsonrpc":"2.0","id":3,"method":"small"}`, "small"},
	} {
		if err := client.Write(t.Context(), websocket.MessageText, []byte(row.say)); err != nil {
			t.Fatal(err)
		}
		_, got, err := client.Read(t.Context())
		if err != nil || !strings.Contains(string(got), row.want) {
			t.Fatalf("%.60s is answered %s, %v; want %s", row.say, got, err, row.want)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	<-done
	if left := share.left.Load(); left != room {
		t.Errorf("%d bytes of %d are left when nothing is under way", left, room)
	}
}

// TestShareOfRequests shows that requests hold their bytes until they are answered, or
// the connection ends.
func TestShareOfRequests(t *testing.T) {
	share := &purse{}
	share.left.Store(100)
	client, frames := dialled(t, mcpserver.SocketOptions{})
	c := mcpserver.NewConn(frames, mcpserver.ConnOptions{Share: share})
	for id := 1; id <= 3; id++ {
		request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, id) // of 37 bytes
		if err := client.Write(t.Context(), websocket.MessageText, []byte(request)); err != nil {
			t.Fatal(err)
		}
	}
	refused := make(chan string, 1)
	go func() { // ends with the answer, or the socket
		_, got, _ := client.Read(t.Context())
		refused <- string(got)
	}()
	for range 2 {
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	reading := make(chan struct{})
	go func() { defer close(reading); _, _ = c.Read(t.Context()) }()
	if got := <-refused; !strings.Contains(got, `"id":3,"error":{"code":-32002`) {
		t.Errorf("a third request is answered %s", got)
	}
	if left := share.left.Load(); left != 26 {
		t.Errorf("two requests under way leave %d bytes of 100", left)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	<-reading
	if left := share.left.Load(); left != 100 {
		t.Errorf("%d bytes of 100 are left after the end", left)
	}
}

func TestClientThatStopsReadingIsDropped(t *testing.T) {
	_, deaf := dialled(t, mcpserver.SocketOptions{WriteWithin: 300 * time.Millisecond})
	listener, other := dialled(t, mcpserver.SocketOptions{})
	note := []byte(`{"jsonrpc":"2.0","method":"note","params":"` + strings.Repeat("x", 1<<20) + `"}`)
	c := mcpserver.NewConn(deaf, mcpserver.ConnOptions{})
	within(t, soon, "dropping", func() {
		for range 1000 {
			if err := c.Push(t.Context(), note); err != nil {
				if !errors.Is(err, mcpserver.ErrGone) {
					t.Errorf("pushing: %v, want %v", err, mcpserver.ErrGone)
				}
				return
			}
		}
		t.Error("a gigabyte was written to a client that does not read")
	})
	within(t, soon, "closing", func() { c.Close() })
	if err := c.Push(t.Context(), note); !errors.Is(err, mcpserver.ErrClosed) {
		t.Errorf("pushing after Close: %v, want %v", err, mcpserver.ErrClosed)
	}
	if err := other.WriteFrame(t.Context(), []byte("{}")); err != nil {
		t.Errorf("writing to another client: %v", err)
	}
	if _, got, err := listener.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("another client read %s, %v", got, err)
	}
}

func TestCloseInterruptsAWrite(t *testing.T) {
	_, frames := dialled(t, mcpserver.SocketOptions{WriteWithin: time.Minute, CloseWithin: 50 * time.Millisecond})
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		message := make([]byte, 64<<20) // more than any buffer between the two
		close(begun)
		ended <- frames.WriteFrame(t.Context(), message)
	}()
	<-begun
	within(t, soon, "closing", func() { frames.Close() })
	if err := <-ended; !errors.Is(err, mcpserver.ErrClosed) {
		t.Errorf("writing ended with %v, want %v", err, mcpserver.ErrClosed)
	}
}

func TestClientThatVanishesIsNotAnswered(t *testing.T) {
	client, frames := dialled(t, mcpserver.SocketOptions{})
	c := mcpserver.NewConn(frames, mcpserver.ConnOptions{})
	if err := client.Write(t.Context(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)); err != nil {
		t.Fatal(err)
	}
	msg, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client.CloseNow()
	within(t, soon, "the end", func() {
		_, err := c.Read(t.Context())
		if !errors.Is(err, io.EOF) || !errors.Is(err, mcpserver.ErrGone) {
			t.Errorf("the end is %v, want EOF since the client is gone", err)
		}
	})
	if err := c.Write(t.Context(), reply(msg.(*jsonrpc.Request))); !errors.Is(err, mcpserver.ErrGone) {
		t.Errorf("answering: %v, want %v", err, mcpserver.ErrGone)
	}
}

func TestSocketTakesConcurrentWriters(t *testing.T) {
	client, frames := dialled(t, mcpserver.SocketOptions{})
	const writers, each = 8, 50
	for w := range writers {
		go func() { // ends when all is written or the socket closed
			for i := range each {
				m, err := json.Marshal([2]int{w, i})
				if err != nil || frames.WriteFrame(t.Context(), m) != nil {
					return
				}
			}
		}()
	}
	next := [writers]int{}
	for range writers * each {
		_, got, err := client.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var m [2]int
		if err := json.Unmarshal(got, &m); err != nil {
			t.Fatalf("read %s: %v", got, err)
		}
		if m[1] != next[m[0]] {
			t.Errorf("writer %d: read %d, want %d", m[0], m[1], next[m[0]])
		}
		next[m[0]]++
	}
}
