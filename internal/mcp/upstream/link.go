package upstream

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// ErrGivenUp is why calls end whose connection is closed under them.
var ErrGivenUp = errors.New("the connection is given up")

// link is a live connection to a server.
type link struct {
	session *sdk.ClientSession
	ended   chan struct{} // closed when the session has ended
	err     error         // why; set before ended is closed
	conn    *Conn

	progress *progress // of the calls under way

	mu     sync.Mutex // guards the fields below
	cutOff bool       // the connection is given up
	calls  map[uint64]linkCall
	next   uint64 // key of the next call
	logs   int    // place of the level from which on the server logs, from 1; 0 if never asked
}

// linkCall is a call under way.
type linkCall struct {
	cancel context.CancelFunc
	log    *mcp.ClientLog // nil if nobody wants what the server logs
	asker  *asker         // nil if nobody can be asked
	caller mcp.Caller
}

// addCall notes a call under way, which ends with the connection. It reports false if the connection is given up already.
func (l *link) addCall(call linkCall) (key uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cutOff {
		return 0, false
	}
	l.next++
	l.calls[l.next] = call
	return l.next, true
}

// removeCall ends what addCall began. It reports whether the call ended because the
// connection was given up.
func (l *link) removeCall(key uint64) (cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, key)
	return l.cutOff
}

// cutCalls ends the calls under way.
func (l *link) cutCalls() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutOff = true
	for _, c := range l.calls {
		c.cancel()
	}
}

// endError is why a call ends with the connection: what ended the session, if it
// was not us. It is [ErrGivenUp] either way.
func (l *link) endError() error {
	select {
	case <-l.ended:
		if l.err != nil {
			return &lostError{l.err}
		}
	default:
	}
	return ErrGivenUp
}

// lostError is a connection that ended under its calls.
type lostError struct{ cause error }

func (e *lostError) Error() string        { return e.cause.Error() }
func (e *lostError) Unwrap() error        { return e.cause }
func (e *lostError) Is(target error) bool { return target == ErrGivenUp }

// newLink watches over a session. It owns a goroutine, which close ends.
func newLink(session *sdk.ClientSession, p *progress, c *Conn) *link {
	l := &link{session: session, ended: make(chan struct{}), conn: c, progress: p, calls: map[uint64]linkCall{}}
	go func() { // close waits for it through ended
		l.err = session.Wait()
		close(l.ended)
	}()
	return l
}

// close ends the calls under way, the session and the server's program, if it
// has one, and waits for them.
func (l *link) close() {
	l.cutCalls()
	if l.conn.HangUp != nil {
		l.conn.HangUp()
	}
	if l.conn.Sever != nil {
		defer time.AfterFunc(terminateAfter, l.conn.Sever).Stop()
	}
	_ = l.session.Close() // it is going away; why no longer matters
	<-l.ended
	l.conn.release()
}

// reason says why the session has ended.
func (l *link) reason() error {
	err := l.err
	if err == nil {
		err = errors.New("the server ended the connection")
	}
	return l.conn.withCause(err)
}
