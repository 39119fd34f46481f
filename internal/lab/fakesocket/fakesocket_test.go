package fakesocket_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// dial connects to a server with the given serve function.
func dial(t *testing.T, serve func(context.Context, *fakesocket.Conn)) *websocket.Conn {
	t.Helper()
	var s *fakesocket.Server
	s = fakesocket.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Accept(w, r, 64, serve) }))
	conn, _, err := websocket.Dial(t.Context(), s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func read(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	kind, data, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(kind, " ", string(data))
}

// TestMessages checks the order and format of sent messages.
func TestMessages(t *testing.T) {
	var seen []string
	conn := dial(t, func(ctx context.Context, c *fakesocket.Conn) {
		c.Sending(func(message []byte) { seen = append(seen, string(message)) })
		m, ok := c.Receive(ctx)
		if !ok || m.Binary || string(m.Data) != "hello" {
			t.Errorf("got %v %v, want hello as text", m, ok)
		}
		c.SendAfter(20*time.Millisecond, map[string]int{"connection": c.Number()})
		c.SendBinary("raw")
		c.Send("<html>")
		c.Close(4001, strings.Repeat("no ", 100))
		c.Send("too late")
	})
	if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`MessageText {"connection":0}`, "MessageBinary raw", "MessageText <html>"} {
		if got := read(t, conn); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var end websocket.CloseError
	if _, _, err := conn.Read(t.Context()); !errors.As(err, &end) || end.Code != 4001 || len(end.Reason) != 123 {
		t.Errorf("it ends with %v, want 4001 and 123 bytes of the reason", err)
	}
	if len(seen) != 3 {
		t.Errorf("%d messages are seen before they go out, want 3", len(seen))
	}
}

// TestCut checks that a connection whose serve function returns is cut after
// all messages and goroutines.
func TestCut(t *testing.T) {
	ended := make(chan struct{})
	conn := dial(t, func(ctx context.Context, c *fakesocket.Conn) {
		c.Go(func() {
			<-ctx.Done()
			close(ended)
		})
		c.Send("last")
	})
	if got := read(t, conn); got != "MessageText last" {
		t.Errorf("got %s", got)
	}
	if _, _, err := conn.Read(t.Context()); err == nil || websocket.CloseStatus(err) != -1 {
		t.Errorf("it ends with %v, want no code", err)
	}
	<-ended
}

// TestNews checks that changes wake waiters, and so does the end of their
// context.
func TestNews(t *testing.T) {
	var n fakesocket.News
	count := 0
	go func() {
		for range 3 {
			n.Lock()
			count++
			n.Announce()
			n.Unlock()
		}
	}()
	reached := func(want int) func() bool {
		return func() bool {
			n.Lock()
			defer n.Unlock()
			return count >= want
		}
	}
	if !n.Await(t.Context(), reached(3)) {
		t.Error("waiting ends before the third change")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n.Await(ctx, reached(4)) {
		t.Error("there is a fourth change")
	}
}
