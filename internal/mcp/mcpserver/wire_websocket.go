package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// signOfLife is how much of a message must arrive to count as a sign of life, in bytes.
const signOfLife = 4 << 10

// SocketOptions configures a WebSocket stream.
type SocketOptions struct {
	// Max is the maximum size of a message, in bytes, after decompression. If 0, it is [DefaultMaxFrame].
	Max int64
	// Share bounds the bytes of a message until a reader takes it. A message that exceeds it is skipped. If
	// nil, only Max applies.
	Share Share
	// PingEvery is how often the peer is pinged. If 0, every 30 seconds.
	PingEvery time.Duration
	// PongWithin is how long the peer may then stay silent. If 0, 10 seconds.
	PongWithin time.Duration
	// WriteWithin bounds the time to write one message. A peer that does not read within it is dropped. If 0,
	// 10 seconds.
	WriteWithin time.Duration
	// CloseWithin bounds the closing handshake. If 0, one second.
	CloseWithin time.Duration
}

// socket is a stream of frames over a WebSocket.
type socket struct {
	*handover
	c *websocket.Conn
	o SocketOptions

	turn    chan struct{} // one-element semaphore, held while writing
	reading sync.Once
	heard   atomic.Int64 // number of reads and handovers
	waits   atomic.Bool  // a message waits for a reader, so the socket is not read

	parting sync.Once
	broken  chan struct{} // closed when nothing more is read or written
	ending  sync.Once     // the closing handshake
	ended   chan struct{} // closed when the socket is closed and its goroutines have ended
}

// WebSocket returns the stream of text messages over c, which it closes. Each message has at most max bytes;
// 0 means [DefaultMaxFrame]. See [WebSocketWith].
func WebSocket(c *websocket.Conn, max int64) Frames {
	return WebSocketWith(c, SocketOptions{Max: max})
}

// WebSocketWith returns the stream of text messages over c, which it closes.
//
// A binary message closes the socket with code 1003, and one that is too large with 1009. While the stream is
// read, the peer is pinged, and is dropped if it does not respond at all. If the peer is gone, for whatever
// reason, the error is [ErrGone].
func WebSocketWith(c *websocket.Conn, o SocketOptions) Frames {
	if o.Max <= 0 {
		o.Max = DefaultMaxFrame
	}
	for _, d := range []struct {
		d *time.Duration
		v time.Duration
	}{{&o.PingEvery, 30 * time.Second}, {&o.PongWithin, 10 * time.Second}, {&o.WriteWithin, 10 * time.Second}, {&o.CloseWithin, time.Second}} {
		if *d.d <= 0 {
			*d.d = d.v
		}
	}
	c.SetReadLimit(-1) // readMessage counts, and closes the socket gracefully
	return &socket{
		handover: newHandover(), c: c, o: o,
		turn: make(chan struct{}, 1), broken: make(chan struct{}), ended: make(chan struct{}),
	}
}

func (s *socket) ReadFrame(ctx context.Context) ([]byte, error) {
	s.reading.Do(func() {
		life := context.WithoutCancel(ctx)
		s.startTask(func() { s.readAll(life) })
		s.startTask(func() { s.ping(life) })
	})
	return s.receiveFrame(ctx)
}

// readAll hands over one message after another until the peer is gone.
func (s *socket) readAll(ctx context.Context) {
	for {
		f, held, err := s.readMessage(ctx)
		if err != nil {
			s.parting.Do(func() { close(s.broken) }) // before readers learn of it
			s.endHandover(err)
			s.closeHandshake(websocket.StatusNormalClosure, "")
			return
		}
		s.waits.Store(true)
		taken := s.pass(f)
		held.Free()
		s.heard.Add(1)
		s.waits.Store(false)
		if !taken {
			s.endHandover(ErrClosed)
			return
		}
	}
}

// readMessage returns the next text message and what it holds of the share. If a message exceeds a bound
// other than its length, readMessage reads it to its end and returns the error in the frame.
func (s *socket) readMessage(ctx context.Context) (frame, *Reading, error) {
	kind, r, err := s.c.Reader(ctx)
	if err != nil {
		return frame{}, nil, fmt.Errorf("%w: %v", ErrGone, err)
	}
	s.heard.Add(1)
	if kind != websocket.MessageText {
		s.closeHandshake(websocket.StatusUnsupportedData, "only text messages are taken")
		return frame{}, nil, fmt.Errorf("%w: it sent a binary message", ErrGone)
	}
	in := &heard{r, &s.heard}
	held := &Reading{Max: s.o.Max, Share: s.o.Share}
	f := frame{}
	err = held.ReadAll(in)
	if refused := refusedReading(held, err); refused != nil {
		held.Free()
		held = &Reading{} // holds nothing
		f.err = refused
		var rest int64
		if rest, err = io.Copy(io.Discard, io.LimitReader(in, s.o.Max+1)); rest > s.o.Max {
			err = ErrTooLarge
		}
	} else {
		f.data = held.Data()
	}
	if err == nil {
		return f, held, nil
	}
	held.Free()
	if errors.Is(err, ErrTooLarge) {
		s.closeHandshake(websocket.StatusMessageTooBig, "message is too large")
		return frame{}, nil, fmt.Errorf("%w: it sent more than %d bytes: %w", ErrGone, s.o.Max, ErrTooLarge)
	}
	return frame{}, nil, fmt.Errorf("%w: %v", ErrGone, err)
}

// refusedReading returns the reason to answer a message with an error and read on. It returns nil if err is
// nil or ends the stream.
func refusedReading(b *Reading, err error) *oversized {
	var shape *ShapeError
	switch {
	case errors.As(err, &shape):
		return misshapen(bytes.Clone(b.Data()[:min(len(b.Data()), endRoom)]), err)
	case errors.Is(err, ErrOverShare):
		return &oversized{code: codeOverloaded, why: err.Error(), head: bytes.Clone(b.Data()[:min(len(b.Data()), endRoom)])}
	}
	return nil
}

// heard counts the reads that returned data.
type heard struct {
	r io.Reader
	n *atomic.Int64
}

func (h *heard) Read(p []byte) (int, error) {
	// The library fills p before it returns, however long that takes, so p must be small.
	n, err := h.r.Read(p[:min(len(p), signOfLife)])
	if n > 0 {
		h.n.Add(1)
	}
	return n, err
}

// ping pings the peer periodically, and drops a peer that gives no sign of life. A peer that is sending a
// long message cannot answer in the middle of it, so the message itself counts as a sign of life. While a
// message waits for our reader, the peer is not at fault.
func (s *socket) ping(ctx context.Context) {
	tick := time.NewTicker(s.o.PingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.broken:
			return
		case <-s.closed:
			return
		}
		before := s.heard.Load()
		within, cancel := context.WithTimeout(ctx, s.o.PongWithin)
		err := s.c.Ping(within)
		cancel()
		if err != nil && !s.waits.Load() && s.heard.Load() == before {
			s.closeHandshake(websocket.StatusPolicyViolation, "no answer to a ping")
			return
		}
	}
}

func (s *socket) WriteFrame(ctx context.Context, data []byte) error {
	select {
	case s.turn <- struct{}{}:
	case <-s.broken:
		return s.writeError()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	if err := s.writeError(); err != nil {
		return err
	}
	// An aborted write closes the socket, so only the timeout may abort it, not the end of the caller's
	// context.
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.WriteWithin)
	defer cancel()
	err := s.c.Write(within, websocket.MessageText, data)
	switch {
	case err == nil:
		return nil
	case within.Err() != nil:
		return fmt.Errorf("%w: it read nothing for %v", ErrGone, s.o.WriteWithin)
	}
	if s.writeError() == ErrClosed {
		return ErrClosed
	}
	return fmt.Errorf("%w: %v", ErrGone, err)
}

// writeError returns why nothing more can be written, or nil if the socket is open.
func (s *socket) writeError() error {
	select {
	case <-s.closed:
		return ErrClosed
	default:
	}
	select {
	case <-s.broken:
		return ErrGone
	default:
		return nil
	}
}

// closeHandshake closes the socket with code, once. It returns when the peer has closed it too, or after a
// timeout.
func (s *socket) closeHandshake(code websocket.StatusCode, reason string) {
	s.parting.Do(func() { close(s.broken) })
	s.ending.Do(func() {
		// A peer that stalls in the middle of a frame would block Close for ever. CloseRead with an ended
		// context closes the underlying connection.
		force := time.AfterFunc(s.o.CloseWithin, func() {
			over, cancel := context.WithCancelCause(context.Background())
			cancel(errors.New("the peer does not close the connection"))
			s.c.CloseRead(over)
		})
		defer force.Stop()
		s.c.Close(code, reason)
	})
}

// closeSocket closes the stream with code.
func (s *socket) closeSocket(code websocket.StatusCode, reason string) {
	if s.shut() {
		s.closeHandshake(code, reason)
		s.tasks.Wait()
		close(s.ended)
		return
	}
	<-s.ended
}

// Close closes the socket with a closing handshake and waits for it.
func (s *socket) Close() error {
	s.closeSocket(websocket.StatusNormalClosure, "")
	return nil
}
