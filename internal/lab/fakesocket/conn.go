package fakesocket

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// maxQueue is how many messages may wait for a client. A client that leaves more unread
	// is cut off.
	maxQueue = 1 << 14
	// writeTimeout is when a client that takes no message counts as gone.
	writeTimeout = time.Minute
	// maxReason is how many bytes of a reason a close frame holds.
	maxReason = 123
)

// Message is what a client sent.
type Message struct {
	Binary bool
	Data   []byte
}

// Conn is one connection. Its methods are safe for concurrent use, but for Receive, which one
// goroutine calls, and Sending.
type Conn struct {
	number  int
	ws      *websocket.Conn
	end     context.CancelFunc
	tasks   sync.WaitGroup
	wake    chan struct{} // holds one while there is something to write
	sending func([]byte)
	left    int // see CloseCode

	mu     sync.Mutex // guards the fields below
	queue  []outgoing
	closed bool // nothing is queued any more
}

// outgoing is a message, or the end of the connection.
type outgoing struct {
	due  time.Time
	kind websocket.MessageType // 0 for the end
	data []byte                // the reason of an end
	code int                   // of an end; 0 cuts the connection
}

// Number counts the connections that the server accepted, from 0 on.
func (c *Conn) Number() int { return c.number }

// Sending has f called with each message before it goes out, by one goroutine. It is called
// before the first message is sent.
func (c *Conn) Sending(f func(message []byte)) { c.sending = f }

// Go runs f in a goroutine that the connection's end waits for. It is called while the
// connection's serve function or another goroutine of the connection runs.
func (c *Conn) Go(f func()) { c.tasks.Go(f) }

// Receive returns the next message, and false once there can be none, which ends the
// connection's context.
func (c *Conn) Receive(ctx context.Context) (Message, bool) {
	kind, data, err := c.ws.Read(ctx)
	if err != nil {
		c.left = max(int(websocket.CloseStatus(err)), 0)
		c.end()
		return Message{}, false
	}
	return Message{Binary: kind == websocket.MessageBinary, Data: data}, true
}

// CloseCode is the code with which the connection was closed, or 0. It is called after Receive
// returned false, by the goroutine that called that.
func (c *Conn) CloseCode() int { return c.left }

// Send queues a text message: a string or bytes as they are, even if they are garbage, and
// everything else as JSON.
func (c *Conn) Send(v any) { c.SendAfter(0, v) }

// SendAfter is Send of a message that goes out after a delay, and after what was sent before
// it. What is sent later waits for it.
func (c *Conn) SendAfter(delay time.Duration, v any) {
	c.enqueue(outgoing{due: time.Now().Add(delay), kind: websocket.MessageText, data: encode(v)})
}

// SendBinary is Send of a binary message.
func (c *Conn) SendBinary(v any) { c.enqueue(outgoing{kind: websocket.MessageBinary, data: encode(v)}) }

// Close ends the connection with a code and as much of a reason as a close frame holds, once
// all that was sent before has gone out. Code 0 cuts it without a word. What is sent later is
// dropped.
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
		panic(err) // the messages are the fakes'
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

// write sends what is queued until the connection ends, and then has the context end.
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
