package discordtest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Pipes is an in-process listener without sockets, so that a server that
// listens on it (see [Options].Listener) and its clients can run in virtual
// time.
type Pipes struct {
	arriving chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// NewPipes returns a listener reachable only by its own Dial.
func NewPipes() *Pipes { return &Pipes{arriving: make(chan net.Conn), closed: make(chan struct{})} }

// Dial connects to the listener and ignores the address.
func (p *Pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.arriving <- theirs:
		return &pipeEnd{Conn: ours, closed: make(chan struct{})}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipeEnd is a client's end. After it has sent a websocket close frame it reads
// nothing until it is closed, because discordgo then sleeps for a second under
// a lock that its reader wants on every frame, and virtual time stands still
// while a goroutine waits for a lock.
type pipeEnd struct {
	net.Conn
	parted atomic.Bool
	once   sync.Once
	closed chan struct{}
}

func (e *pipeEnd) Write(b []byte) (int, error) {
	if len(b) > 0 && b[0] == 0x88 {
		e.parted.Store(true)
	}
	return e.Conn.Write(b)
}

func (e *pipeEnd) Read(b []byte) (int, error) {
	n, err := e.Conn.Read(b)
	if e.parted.Load() {
		<-e.closed
	}
	return n, err
}

func (e *pipeEnd) Close() error {
	e.once.Do(func() { close(e.closed) })
	return e.Conn.Close()
}

// Accept implements net.Listener.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.arriving:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *Pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "discord.test:80" }
