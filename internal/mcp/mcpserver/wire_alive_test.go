package mcpserver_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

func TestPings(t *testing.T) {
	o := mcpserver.SocketOptions{PingEvery: 20 * time.Millisecond, PongWithin: 2 * time.Second}
	t.Run("a client that answers stays", func(t *testing.T) {
		pings := make(chan struct{}, 100)
		addr, sockets := accepted(t, o)
		client, _, err := websocket.Dial(t.Context(), "ws://"+addr, &websocket.DialOptions{
			OnPingReceived: func(context.Context, []byte) bool {
				select {
				case pings <- struct{}{}:
				default:
				}
				return true
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseNow()
		frames := <-sockets
		defer frames.Close()
		client.CloseRead(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := frames.ReadFrame(t.Context())
			got <- err
		}()
		for range 5 {
			<-pings
		}
		if err := client.Write(t.Context(), websocket.MessageText, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Errorf("after five pings: %v", err)
		}
	})
	t.Run("a client that does not is dropped", func(t *testing.T) {
		o := o
		o.PongWithin = 50 * time.Millisecond
		_, frames := upgraded(t, o)
		within(t, soon, "dropping", func() {
			if _, err := frames.ReadFrame(t.Context()); !errors.Is(err, mcpserver.ErrGone) {
				t.Errorf("read %v, want %v", err, mcpserver.ErrGone)
			}
		})
	})
	t.Run("a client that is busy sending stays", func(t *testing.T) {
		o := o
		o.PongWithin = 400 * time.Millisecond
		raw, frames := upgraded(t, o)
		const pieces, piece = 60, 1 << 10
		send(t, raw, pieces*piece, nil)
		got := make(chan error, 1)
		go func() {
			_, err := frames.ReadFrame(t.Context())
			got <- err
		}()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for range pieces { // over a second, without a pong
			<-tick.C
			if _, err := raw.Write(make([]byte, piece)); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-got; err != nil {
			t.Errorf("after a second: %v", err)
		}
	})
}

// send writes the head of a text frame, masked with zeros, and the beginning of
// its payload.
func send(t *testing.T, c net.Conn, length uint64, payload []byte) {
	t.Helper()
	head := binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, length)
	head = append(head, 0, 0, 0, 0)
	if _, err := c.Write(append(head, payload...)); err != nil {
		t.Fatal(err)
	}
}

func TestMessageThatWaitsIsASignOfLife(t *testing.T) {
	raw, frames := upgraded(t, mcpserver.SocketOptions{PingEvery: 20 * time.Millisecond, PongWithin: 50 * time.Millisecond})
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := frames.ReadFrame(gaveUp); !errors.Is(err, context.Canceled) {
		t.Fatalf("read %v, want %v", err, context.Canceled)
	}
	send(t, raw, 2, []byte("{}"))
	<-time.After(300 * time.Millisecond) // several pings that nothing can answer
	if got, err := frames.ReadFrame(t.Context()); err != nil || string(got) != "{}" {
		t.Errorf("read %s, %v, want {}", got, err)
	}
}

func TestStalledClientDoesNotHoldClose(t *testing.T) {
	for _, row := range []struct {
		name string
		max  int64
	}{
		{"in the middle of a message", 0},
		{"in the middle of a message that is too large", 10},
	} {
		t.Run(row.name, func(t *testing.T) {
			raw, frames := upgraded(t, mcpserver.SocketOptions{Max: row.max, CloseWithin: 50 * time.Millisecond})
			send(t, raw, 100, make([]byte, 50))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := frames.ReadFrame(ctx); err == nil {
				t.Error("read half a message")
			}
			within(t, soon, "closing", func() { frames.Close() })
		})
	}
}
