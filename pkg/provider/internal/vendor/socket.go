package vendor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

var (
	// errFull ends a connection whose receive queue is full.
	errFull = errors.New("too many of its messages wait to be received")
	// errBinary ends a connection that received a message other than text.
	errBinary = errors.New("it sent a message that is no text")
)

// Limits bound the memory of a connection and the time its end takes.
type Limits struct {
	// Messages and Bytes are the maximum size of the receive queue. The connection ends when more arrives,
	// because the receiver seems to have stopped.
	Messages, Bytes int
	// Close is the maximum duration of the closing handshake in [Conn.Close]. A service that does not answer
	// it may still take the library's five seconds if it has just sent a message.
	Close time.Duration
}

// Conn is a WebSocket connection with a receive queue. Its methods are safe for concurrent use, but only one
// goroutine may call Recv at a time.
type Conn struct {
	conn   *websocket.Conn
	limits Limits
	cancel context.CancelFunc
	done   chan struct{} // closed when the reader has ended
	news   chan struct{} // holds a token if there is a message or the connection ended

	mu    sync.Mutex // guards the fields below
	queue [][]byte   // oldest first
	bytes int        // size of queue
	err   error      // why no more messages are queued
}

// NewConn starts reading from conn and takes ownership of it.
func NewConn(conn *websocket.Conn, limits Limits) *Conn {
	life, cancel := context.WithCancel(context.Background())
	c := &Conn{conn: conn, limits: limits, cancel: cancel, done: make(chan struct{}), news: make(chan struct{}, 1)}
	go c.read(life)
	return c
}

// read queues messages until the connection ends.
func (c *Conn) read(life context.Context) {
	defer close(c.done)
	for {
		kind, message, err := c.conn.Read(life)
		if err == nil && kind != websocket.MessageText {
			err = errBinary
		}
		if !c.enqueue(message, err) {
			_ = c.conn.CloseNow() // may be closed already
			return
		}
	}
}

// enqueue queues the result of a read and reports whether to continue reading.
func (c *Conn) enqueue(message []byte, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer wakeup.Signal(c.news)
	if err == nil && (len(c.queue) == c.limits.Messages || c.bytes+len(message) > c.limits.Bytes) {
		err = errFull
	}
	if err != nil {
		c.err = err
		return false
	}
	c.queue = append(c.queue, message)
	c.bytes += len(message)
	return true
}

// Send sends a text message. If ctx ends during the write, the connection ends as well.
func (c *Conn) Send(ctx context.Context, message []byte) error {
	return c.conn.Write(ctx, websocket.MessageText, message)
}

// Recv returns the oldest queued message. Once the queue is empty and the connection has ended, it returns
// the reason as an error.
func (c *Conn) Recv(ctx context.Context) ([]byte, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.mu.Lock()
		if len(c.queue) > 0 {
			message := c.queue[0]
			c.queue[0] = nil
			c.queue = c.queue[1:]
			c.bytes -= len(message)
			c.mu.Unlock()
			return message, nil
		}
		err := c.err
		c.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-c.news:
		case <-ctx.Done():
		}
	}
}

// Close performs the closing handshake and ends the connection.
func (c *Conn) Close() error {
	timer := time.AfterFunc(c.limits.Close, c.cancel)
	defer timer.Stop()
	_ = c.conn.Close(websocket.StatusNormalClosure, "") // may have ended already
	c.cancel()
	<-c.done
	return nil
}

// Abort ends the connection without a closing handshake.
func (c *Conn) Abort() {
	c.cancel()
	_ = c.conn.CloseNow() // may have ended already
	<-c.done
}
