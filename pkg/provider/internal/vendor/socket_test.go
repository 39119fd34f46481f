package vendor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// connect returns a connection to a service played by serve.
func connect(t *testing.T, limits Limits, serve func(context.Context, *websocket.Conn)) *Conn {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }() // the client may have closed it
		serve(t.Context(), conn)
	}))
	t.Cleanup(server.Close)
	client := server.Client()
	conn, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	c := NewConn(conn, limits)
	t.Cleanup(c.Abort)
	return c
}

func say(ctx context.Context, conn *websocket.Conn, words ...string) {
	for _, word := range words {
		_ = conn.Write(ctx, websocket.MessageText, []byte(word)) // the client may be gone
	}
}

var roomy = Limits{Messages: 10, Bytes: 100, Close: time.Second}

// TestRecvGivenUp checks that a cancelled Recv loses no message.
func TestRecvGivenUp(t *testing.T) {
	c := connect(t, roomy, func(ctx context.Context, conn *websocket.Conn) {
		_, word, _ := conn.Read(ctx)
		say(ctx, conn, string(word), "and more")
		_ = conn.Close(websocket.StatusGoingAway, "bye") // the client may be gone
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Recv = %v, want the context's error", err)
	}
	if err := c.Send(t.Context(), []byte("hail")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hail", "and more"} {
		if got, err := c.Recv(t.Context()); string(got) != want || err != nil {
			t.Errorf("Recv = %q, %v, want %q", got, err, want)
		}
	}
	for range 2 {
		if _, err := c.Recv(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("Recv = %v, want how the service ended it", err)
		}
	}
}

// TestNobodyReceives covers a connection that ends because too many messages wait:
// earlier ones are still received.
func TestNobodyReceives(t *testing.T) {
	for name, limits := range map[string]Limits{"messages": {Messages: 2, Bytes: 100}, "bytes": {Messages: 10, Bytes: 7}} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, limits, func(ctx context.Context, conn *websocket.Conn) {
				say(ctx, conn, "one", "two", "three")
				_, _, _ = conn.Read(ctx) // until the client ends it
			})
			<-c.done
			for _, want := range []string{"one", "two"} {
				if got, err := c.Recv(t.Context()); string(got) != want || err != nil {
					t.Errorf("Recv = %q, %v, want %q", got, err, want)
				}
			}
			if _, err := c.Recv(t.Context()); !errors.Is(err, errFull) {
				t.Errorf("Recv = %v, want errFull", err)
			}
		})
	}
}

// TestClose checks that Close sends a farewell, waits no longer than allowed for a reply,
// and ends a blocked Recv.
func TestClose(t *testing.T) {
	for _, polite := range []bool{true, false} {
		farewell := make(chan websocket.StatusCode, 1)
		c := connect(t, Limits{Messages: 1, Bytes: 10, Close: 50 * time.Millisecond}, func(ctx context.Context, conn *websocket.Conn) {
			say(ctx, conn, "hail")
			if polite {
				_, _, err := conn.Read(ctx)
				farewell <- websocket.CloseStatus(err)
				return
			}
			<-ctx.Done()
		})
		if _, err := c.Recv(t.Context()); err != nil {
			t.Fatal(err)
		}
		received := make(chan error)
		go func() {
			_, err := c.Recv(context.WithoutCancel(t.Context()))
			received <- err
		}()
		for range 2 {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := <-received; err == nil {
			t.Error("Recv = nil, want why the connection has ended")
		}
		if polite {
			if got := <-farewell; got != websocket.StatusNormalClosure {
				t.Errorf("the service was told %d, want a normal end", got)
			}
		}
	}
}
