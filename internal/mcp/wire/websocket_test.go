package wire_test

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
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/wire"
)

// soon bounds what should happen at once, on a machine that is busy.
const soon = 20 * time.Second

// accepted is the server's side of a WebSocket on loopback: its address, and
// the sockets that were accepted there.
func accepted(t *testing.T, o wire.SocketOptions) (addr string, sockets <-chan wire.Frames) {
	t.Helper()
	ch := make(chan wire.Frames, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Errorf("accepting: %v", err)
			return
		}
		ch <- wire.WebSocketWith(c, o)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), ch
}

// dialled returns both sides of a WebSocket on loopback.
func dialled(t *testing.T, o wire.SocketOptions) (*websocket.Conn, wire.Frames) {
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
func upgraded(t *testing.T, o wire.SocketOptions) (net.Conn, wire.Frames) {
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
	client, frames := dialled(t, wire.SocketOptions{})
	conn := wire.New(frames, wire.Options{SessionID: "s1", Extra: &sdk.RequestExtra{Header: http.Header{"X-Who": {"bard"}}}})
	server := sdk.NewServer(&sdk.Implementation{Name: "server", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "who"}, func(_ context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		who := req.Extra.Header.Get("X-Who")
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: who}}}, nil, nil
	})
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context(), conn.Transport()) }()

	ours := wire.New(wire.WebSocket(client, 0), wire.Options{})
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
		{"one byte too many", websocket.MessageText, 0, wire.DefaultMaxFrame + 1, websocket.StatusMessageTooBig},
		{"far too many", websocket.MessageText, 1 << 10, 4 << 20, websocket.StatusMessageTooBig},
	} {
		t.Run(row.name, func(t *testing.T) {
			client, frames := dialled(t, wire.SocketOptions{Max: row.max, CloseWithin: soon})
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
			if !errors.Is(err, wire.ErrGone) {
				t.Errorf("read %v, want %v", err, wire.ErrGone)
			}
			if got := websocket.CloseStatus(<-closed); got != row.want {
				t.Errorf("closed with %v, want %v", got, row.want)
			}
			<-sent
		})
	}
}

func TestTenMegabyteFrame(t *testing.T) {
	client, frames := dialled(t, wire.SocketOptions{})
	c := wire.New(frames, wire.Options{})
	go echo(t.Context(), c) // ends with the socket
	big := `{"jsonrpc":"2.0","id":1,"method":"big","params":{"a":"` + strings.Repeat("x", wire.DefaultMaxFrame-60) + `"}}`
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

func TestClientThatStopsReadingIsDropped(t *testing.T) {
	_, deaf := dialled(t, wire.SocketOptions{WriteWithin: 300 * time.Millisecond})
	listener, other := dialled(t, wire.SocketOptions{})
	note := []byte(`{"jsonrpc":"2.0","method":"note","params":"` + strings.Repeat("x", 1<<20) + `"}`)
	c := wire.New(deaf, wire.Options{})
	within(t, soon, "dropping", func() {
		for range 1000 {
			if err := c.Push(t.Context(), note); err != nil {
				if !errors.Is(err, wire.ErrGone) {
					t.Errorf("pushing: %v, want %v", err, wire.ErrGone)
				}
				return
			}
		}
		t.Error("a gigabyte was written to a client that does not read")
	})
	within(t, soon, "closing", func() { c.Close() })
	if err := c.Push(t.Context(), note); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("pushing after Close: %v, want %v", err, wire.ErrClosed)
	}
	if err := other.WriteFrame(t.Context(), []byte("{}")); err != nil {
		t.Errorf("writing to another client: %v", err)
	}
	if _, got, err := listener.Read(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("another client read %s, %v", got, err)
	}
}

func TestCloseInterruptsAWrite(t *testing.T) {
	_, frames := dialled(t, wire.SocketOptions{WriteWithin: time.Minute, CloseWithin: 50 * time.Millisecond})
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		message := make([]byte, 64<<20) // more than any buffer between the two
		close(begun)
		ended <- frames.WriteFrame(t.Context(), message)
	}()
	<-begun
	within(t, soon, "closing", func() { frames.Close() })
	if err := <-ended; !errors.Is(err, wire.ErrClosed) {
		t.Errorf("writing ended with %v, want %v", err, wire.ErrClosed)
	}
}

func TestClientThatVanishesIsNotAnswered(t *testing.T) {
	client, frames := dialled(t, wire.SocketOptions{})
	c := wire.New(frames, wire.Options{})
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
		if !errors.Is(err, io.EOF) || !errors.Is(err, wire.ErrGone) {
			t.Errorf("the end is %v, want EOF since the client is gone", err)
		}
	})
	if err := c.Write(t.Context(), reply(msg.(*jsonrpc.Request))); !errors.Is(err, wire.ErrGone) {
		t.Errorf("answering: %v, want %v", err, wire.ErrGone)
	}
}

func TestSocketTakesConcurrentWriters(t *testing.T) {
	client, frames := dialled(t, wire.SocketOptions{})
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
