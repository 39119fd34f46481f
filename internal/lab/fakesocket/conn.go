package fakesocket

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxQueue bounds the messages waiting for a client. A client with more
	// unread messages is disconnected.
	maxQueue = 1 << 14
	// writeTimeout is when a client that does not read counts as gone.
	writeTimeout = time.Minute
	// maxReason bounds the reason in a close frame, in bytes.
	maxReason = 123
)

// Message is a client's message.
type Message struct {
	Binary bool
	Data   []byte
}

// Conn is one connection. Its methods are safe for concurrent use, except
// Receive, which one goroutine calls, and Sending.
type Conn struct {
	number  int
	ws      *websocket.Conn
	end     context.CancelFunc
	tasks   sync.WaitGroup
	wake    chan struct{} // holds one element while there is something to write
	sending func([]byte)
	left    int // see CloseCode

	mu     sync.Mutex // guards the fields below
	queue  []outgoing
	closed bool // the queue accepts no more
}

// outgoing is a message, or the end of the connection.
type outgoing struct {
	due  time.Time
	kind websocket.MessageType // 0 for the end
	data []byte                // the reason of an end
	code int                   // of an end; 0 cuts the connection
}

// Number returns the connection's number, from 0, among those that the server
// accepted.
func (c *Conn) Number() int { return c.number }

// Sending makes the connection call f with each message before it goes out,
// from one goroutine. Call it before the first message is sent.
func (c *Conn) Sending(f func(message []byte)) { c.sending = f }

// Go runs f in a goroutine that the connection's end waits for. Call it from
// the connection's serve function or another of its goroutines.
func (c *Conn) Go(f func()) { c.tasks.Go(f) }

// Receive returns the next message. It returns false once there can be none,
// and cancels the connection's context.
func (c *Conn) Receive(ctx context.Context) (Message, bool) {
	kind, data, err := c.ws.Read(ctx)
	if err != nil {
		c.left = max(int(websocket.CloseStatus(err)), 0)
		c.end()
		return Message{}, false
	}
	return Message{Binary: kind == websocket.MessageBinary, Data: data}, true
}

// CloseCode returns the connection's close code, or 0. Call it after Receive
// returned false, from the same goroutine.
func (c *Conn) CloseCode() int { return c.left }

// Send queues a text message: a string or bytes unchanged, even garbage, and
// other values as JSON.
func (c *Conn) Send(v any) { c.SendAfter(0, v) }

// SendAfter sends a message after a delay, and after earlier messages. Later
// messages wait for it.
func (c *Conn) SendAfter(delay time.Duration, v any) {
	c.enqueue(outgoing{due: time.Now().Add(delay), kind: websocket.MessageText, data: encode(v)})
}

// SendBinary sends a binary message.
func (c *Conn) SendBinary(v any) { c.enqueue(outgoing{kind: websocket.MessageBinary, data: encode(v)}) }

// Close ends the connection with a code and as much of a reason as a close
// frame holds, after all earlier messages. Code 0 cuts it without a close
// frame. Later messages are dropped.
func (c *Conn) Close(code int, reason string) {
	c.enqueue(outgoing{code: code, data: []byte(reason[:min(len(reason), maxReason)])})
}

func encode(v any) []byte {
	switch v := v.(type) {
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the messages are the fakes' own
	}
	return data
}

func (c *Conn) enqueue(m outgoing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if len(c.queue) >= maxQueue {
		c.closed = true
		c.end()
		return
	}
	c.closed = m.kind == 0
	c.queue = append(c.queue, m)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends queued messages until the connection ends, then cancels the
// context.
func (c *Conn) write(ctx context.Context) {
	defer func() { _ = c.ws.CloseNow() }() // the client may have closed it
	defer c.end()
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		batch := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, m := range batch {
			if !c.put(ctx, m) {
				return
			}
		}
	}
}

// put sends a message when it is due, and reports whether more may follow.
func (c *Conn) put(ctx context.Context, m outgoing) bool {
	if wait := time.Until(m.due); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
	if m.kind == 0 {
		if m.code != 0 {
			_ = c.ws.Close(websocket.StatusCode(m.code), string(m.data)) // the client may be gone
		}
		return false
	}
	if c.sending != nil {
		c.sending(m.data)
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.ws.Write(ctx, m.kind, m.data) == nil
}
