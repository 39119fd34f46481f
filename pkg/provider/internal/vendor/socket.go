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
	// errFull ends a connection of which too much was not received.
	errFull = errors.New("too many of its messages wait to be received")
	// errBinary ends a connection over which a message came that is no text.
	errBinary = errors.New("it sent a message that is no text")
)

// Limits bound what a connection holds and how long its end takes.
type Limits struct {
	// Messages and Bytes are how much may wait to be received. The connection ends when
	// more arrives, because nobody seems to receive any more.
	Messages, Bytes int
	// Close bounds the farewell of [Conn.Close]. A service that does not answer it may
	// still take the library's five seconds if it has sent a message just before.
	Close time.Duration
}

// Conn is a connection. Its methods are safe for concurrent use, but one goroutine at a
// time receives.
type Conn struct {
	conn   *websocket.Conn
	limits Limits
	cancel context.CancelFunc
	done   chan struct{} // closed when the reader has ended
	news   chan struct{} // holds a token if there is a message or an end

	mu    sync.Mutex // guards the fields below
	queue [][]byte   // oldest first
	bytes int        // in queue
	err   error      // why nothing more will be queued
}

// NewConn starts to read from a connection, which it owns from now on.
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
			_ = c.conn.CloseNow() // it may be closed already
			return
		}
	}
}

// enqueue queues what a read returned, and reports whether there is more to read.
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

// Send sends one text message. If ctx ends while it is under way the connection does, too.
func (c *Conn) Send(ctx context.Context, message []byte) error {
	return c.conn.Write(ctx, websocket.MessageText, message)
}

// Recv returns the oldest message that was not received. Once there is none and the
// connection has ended, the error says why.
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

// Close says farewell to the other side, and ends the connection.
func (c *Conn) Close() error {
	timer := time.AfterFunc(c.limits.Close, c.cancel)
	defer timer.Stop()
	_ = c.conn.Close(websocket.StatusNormalClosure, "") // it may have ended by itself
	c.cancel()
	<-c.done
	return nil
}

// Abort ends the connection without a farewell.
func (c *Conn) Abort() {
	c.cancel()
	_ = c.conn.CloseNow() // it may have ended by itself
	<-c.done
}
