package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// ErrGivenUp is the error of calls whose connection is closed.
var ErrGivenUp = errors.New("the connection is given up")

// link is a live connection to a server and its running calls.
type link struct {
	session *sdk.ClientSession
	ended   chan struct{} // why it ended; set before ended is closed
	err     error         // why; set before ended is closed
	conn    *ServerConn

	mu       sync.Mutex // guards the fields below
	cutOff   bool       // the connection is being closed
	calls    map[uint64]linkCall
	next     uint64 // key of the next call
	logLevel int    // requested log level, as its index in logLevels plus 1; 0 if none
}

// linkCall is a running call.
type linkCall struct {
	cancel   context.CancelFunc
	progress mcp.Progress      // nil if the caller wants none
	log      *mcp.ClientLog    // nil if the caller wants no log messages
	asker    *clientQuestioner // nil if no client can be asked
	caller   mcp.Caller
}

// newLink starts to watch a session on a goroutine, which ends with close.
func newLink(session *sdk.ClientSession, c *ServerConn) *link {
	l := &link{session: session, ended: make(chan struct{}), conn: c, calls: map[uint64]linkCall{}}
	go func() { // close waits for it through ended
		l.err = session.Wait()
		close(l.ended)
	}()
	return l
}

// addCall adds a running call, which is cancelled when the connection ends. It returns ok false if the
// connection is being closed already.
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

// removeCall removes a finished call. It reports whether the connection was being closed.
func (l *link) removeCall(key uint64) (cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, key)
	return l.cutOff
}

// cancelCalls cancels all running calls and refuses new ones.
func (l *link) cancelCalls() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutOff = true
	for _, c := range l.calls {
		c.cancel()
	}
}

// callTool calls a tool. If the SDK cannot decode the answer, callTool repairs it.
func (l *link) callTool(ctx context.Context, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	ctx, kept := keepAnswer(ctx)
	defer kept.forget()
	res, err := l.session.CallTool(ctx, params)
	raw := kept.raw.Load()
	if raw == nil || err == nil && !isBlank(res) {
		return res, err
	}
	answer := objectOf(*raw)
	if answer["result"] == nil {
		return res, err
	}
	if res, bad := repairCallResult(answer["result"]); bad == nil {
		return res, nil
	}
	if err == nil {
		return res, nil
	}
	return nil, &unreadableError{err}
}

// isBlank reports whether a result has nothing that the protocol knows, so that it may be of another form.
func isBlank(r *sdk.CallToolResult) bool {
	return len(r.Content) == 0 && r.StructuredContent == nil && r.InputRequests == nil
}

// unreadableError means that a server answered a call in a form that cannot be read.
type unreadableError struct{ error }

func (e *unreadableError) Unwrap() error { return e.error }

// progressPrefix is the prefix of our progress tokens.
const progressPrefix = "glyphoxa-"

func progressToken(key uint64) string { return progressPrefix + strconv.FormatUint(key, 10) }

// reportProgress forwards a progress notification to its call, if that is still running.
func (l *link) reportProgress(n *sdk.ProgressNotificationParams) {
	token, _ := n.ProgressToken.(string)
	number, ours := strings.CutPrefix(token, progressPrefix)
	key, err := strconv.ParseUint(number, 10, 64)
	if !ours || err != nil {
		return
	}
	l.mu.Lock()
	report := l.calls[key].progress
	l.mu.Unlock()
	if report != nil {
		report(n.Progress, n.Total, cleanLine(n.Message))
	}
}

// handleProgress handles the params of a progress notification. It drops malformed ones.
func (s *Server) handleProgress(params json.RawMessage) {
	var n sdk.ProgressNotificationParams
	if l := s.live.Load(); l != nil && json.Unmarshal(params, &n) == nil {
		l.reportProgress(&n)
	}
}

// endError returns why the connection ended: either the session was lost or we closed it. In both cases it
// matches [ErrGivenUp].
func (l *link) endError() error {
	select {
	case <-l.ended:
		if l.err != nil {
			return &connectionLostError{l.err}
		}
	default:
	}
	return ErrGivenUp
}

// connectionLostError means that a connection ended while calls were running.
type connectionLostError struct{ cause error }

func (e *connectionLostError) Error() string        { return e.cause.Error() }
func (e *connectionLostError) Unwrap() error        { return e.cause }
func (e *connectionLostError) Is(target error) bool { return target == ErrGivenUp }

// close cancels the running calls, ends the session and the server's program, if any, and waits for both.
func (l *link) close() {
	l.cancelCalls()
	if l.conn.HangUp != nil {
		l.conn.HangUp()
	}
	if l.conn.Sever != nil {
		defer time.AfterFunc(terminateAfter, l.conn.Sever).Stop()
	}
	_ = l.session.Close() // the session is over; the reason no longer matters
	<-l.ended
	l.conn.release()
}

// reason returns why the session has ended.
func (l *link) reason() error {
	err := l.err
	if err == nil {
		err = errors.New("the server ended the connection")
	}
	return l.conn.withCause(err)
}
