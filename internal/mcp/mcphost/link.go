package mcphost

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errGivenUp is why calls end whose connection is closed under them.
var errGivenUp = errors.New("the connection is given up")

// link is a live connection to a server.
type link struct {
	session *sdk.ClientSession
	ended   chan struct{} // closed when the session has ended
	err     error         // why; set before ended is closed
	ending  endings

	progress *progress // of the calls under way

	mu     sync.Mutex // guards the fields below
	cutOff bool       // the connection is given up
	calls  map[uint64]context.CancelFunc
	next   uint64 // key of the next call
}

// enter notes a call under way, which ends with the connection; cancel ends
// it. It reports false if the connection is given up already.
func (l *link) enter(cancel context.CancelFunc) (key uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cutOff {
		return 0, false
	}
	l.next++
	l.calls[l.next] = cancel
	return l.next, true
}

// leave ends what enter began. It reports whether the call ended because the
// connection was given up.
func (l *link) leave(key uint64) (cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, key)
	return l.cutOff
}

// cut ends the calls under way.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutOff = true
	for _, cancel := range l.calls {
		cancel()
	}
}

// over is why a call ends with the connection: what ended the session, if it
// was not us. It is [errGivenUp] either way.
func (l *link) over() error {
	select {
	case <-l.ended:
		if l.err != nil {
			return &lostError{l.err}
		}
	default:
	}
	return errGivenUp
}

// lostError is a connection that ended under its calls.
type lostError struct{ cause error }

func (e *lostError) Error() string        { return e.cause.Error() }
func (e *lostError) Unwrap() error        { return e.cause }
func (e *lostError) Is(target error) bool { return target == errGivenUp }

// endings are what a transport needs to do when its connection ends. Every
// field may be nil.
type endings struct {
	// hangUp ends the talk at once, so that the session need not wait.
	hangUp func()
	// sever ends what still hangs after a farewell took too long.
	sever func()
	// release frees everything and waits for it.
	release func()
	// obituary says how the server ended, as far as is known.
	obituary func() string
}

// newLink watches over a session. It owns a goroutine, which close ends.
func newLink(session *sdk.ClientSession, p *progress, e endings) *link {
	l := &link{session: session, ended: make(chan struct{}), ending: e, progress: p, calls: map[uint64]context.CancelFunc{}}
	go func() { // close waits for it through ended
		l.err = session.Wait()
		close(l.ended)
	}()
	return l
}

// close ends the calls under way, the session and the server's program, if it
// has one, and waits for them.
func (l *link) close() {
	l.cut()
	if l.ending.hangUp != nil {
		l.ending.hangUp()
	}
	if l.ending.sever != nil {
		defer time.AfterFunc(terminateAfter, l.ending.sever).Stop()
	}
	_ = l.session.Close() // it is going away; why no longer matters
	<-l.ended
	if l.ending.release != nil {
		l.ending.release()
	}
}

// reason says why the session has ended.
func (l *link) reason() error {
	err := l.err
	if err == nil {
		err = errors.New("the server ended the connection")
	}
	if l.ending.obituary != nil {
		if text := l.ending.obituary(); text != "" {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return err
}
