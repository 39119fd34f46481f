package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// defaultConcurrent is the default number of concurrent calls to a server.
	defaultConcurrent = 8
	// maxQueued bounds the calls that wait for one of those slots. More fail with [mcp.ErrBusy].
	maxQueued = 64
	// doubtAfter is how many consecutive calls must fail before the server is pinged. One is enough if there
	// was no HTTP response at all.
	doubtAfter = 3
	// returnPatience is how long a repeatable call waits for a lost server to reconnect.
	returnPatience = 2 * time.Second
	// lossDelay is how long after a failed call the loss of its connection may become visible, if the call's
	// error does not report it.
	lossDelay = 20 * time.Millisecond
)

// The SDK reports a failure of its own transport with this code and message, in the same error type as a
// server's answer.
const (
	transportRejected     = "rejected by transport"
	codeTransportRejected = -32005
)

// ErrNotSent means that a call was not sent because the server is down.
var ErrNotSent = errors.New("the server is down")

// errSessionLost means that the server refused a call because it does not know the session any more.
var errSessionLost = errors.New("the session is lost")

type measuringKey struct{}

// Measuring returns a context for calls that only measure a tool. They do not keep the server awake.
func Measuring(ctx context.Context) context.Context {
	return context.WithValue(ctx, measuringKey{}, true)
}

// Call runs a tool on its server as soon as one of the server's slots is free. ctx bounds the call, and
// cancel must cancel ctx. The error is [ErrGivenUp] if the connection ended during the call.
func (t *ServerTool) Call(ctx context.Context, cancel context.CancelFunc, args string) (mcp.Result, error) {
	s := t.Server
	if wait := s.pause.remaining(); wait > 0 {
		return mcp.Result{}, s.pausedError(wait)
	}
	if err := s.acquireSlot(ctx); err != nil {
		return mcp.Result{}, err
	}
	defer s.releaseSlot(ctx)
	l, err := s.liveLink(ctx)
	if err != nil {
		return mcp.Result{}, err
	}
	progress, log, asker := mcp.ProgressFrom(ctx), mcp.ClientLogFrom(ctx), s.questionerOfCall(ctx)
	key, ok := l.addCall(linkCall{cancel, progress, log, asker, mcp.CallerFrom(ctx)})
	if !ok {
		return mcp.Result{}, s.brokenError(l.endError())
	}
	params := &sdk.CallToolParams{Name: t.Definition.Name, Arguments: json.RawMessage(args)}
	if progress != nil {
		params.SetProgressToken(progressToken(key))
	}
	if log != nil {
		l.requestLogs(ctx, params, log)
	}
	res, err := s.callTraced(withCallKey(ctx, key, asker), l, params, asker)
	cut := l.removeCall(key)
	switch {
	case err == nil:
		s.failures.Store(0)
		return t.convertResult(res)
	case cut:
		return mcp.Result{}, s.brokenError(l.endError())
	}
	if unanswered, ok := errors.AsType[*unansweredError](err); ok {
		return mcp.Result{}, unanswered.error
	}
	if unreadable, ok := errors.AsType[*unreadableError](err); ok {
		s.failures.Store(0)
		return mcp.Result{}, mcp.PublicError(fmt.Errorf("server %q answered, but its answer cannot be read: %w", s.cfg.Name, s.redactError(unreadable)))
	}
	err = s.callError(ctx, err)
	if errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, errSessionLost) {
		err = &connectionGoneError{err, l}
	}
	return mcp.Result{}, err
}

// callTraced sends a call, with a trace span if ctx is traced.
func (s *Server) callTraced(ctx context.Context, l *link, params *sdk.CallToolParams, a *clientQuestioner) (*sdk.CallToolResult, error) {
	if !tracing.Travels(ctx) {
		return s.callAnswering(ctx, l, params, a)
	}
	protocol := ""
	if opened := l.session.InitializeResult(); opened != nil {
		protocol = opened.ProtocolVersion
	}
	ctx, span := tracing.StartSent(ctx, s.cfg.Name, params.Name, protocol, l.session.ID())
	if params.Meta == nil {
		params.Meta = sdk.Meta{}
	}
	tracing.Inject(ctx, params.Meta)
	res, err := s.callAnswering(ctx, l, params, a)
	switch {
	case err != nil && ctx.Err() != nil:
		span.End(string(mcp.CodeOf(context.Cause(ctx))))
	case err != nil:
		span.End(tracing.OtherError)
	case res.IsError:
		span.End(tracing.ToolError)
	default:
		span.End("")
	}
	return res, err
}

// connectionGoneError is the error of a call that noticed the loss of its connection before the supervisor did.
type connectionGoneError struct {
	error
	link *link
}

func (e *connectionGoneError) Unwrap() error { return e.error }

// brokenError is the error of a call whose connection failed.
func (s *Server) brokenError(err error) error {
	return mcp.Private(fmt.Errorf("%w: server %q", mcp.ErrUnavailable, s.cfg.Name), s.redactError(err))
}

func (s *Server) pausedError(wait time.Duration) error {
	return fmt.Errorf("%w: server %q asked for a pause of %s", mcp.ErrBusy, s.cfg.Name, wait.Round(time.Millisecond))
}

// acquireSlot waits for a call slot, in a queue of at most maxQueued calls.
func (s *Server) acquireSlot(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
	}
	if s.queued.Add(1) > maxQueued {
		s.queued.Add(-1)
		return fmt.Errorf("%w: %d calls wait for server %q already", mcp.ErrBusy, maxQueued, s.cfg.Name)
	}
	defer s.queued.Add(-1)
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// releaseSlot releases a call's slot.
func (s *Server) releaseSlot(ctx context.Context) {
	if ctx.Value(measuringKey{}) == nil {
		s.lastUsed.Store(int64(time.Since(s.epoch)))
	}
	<-s.slots
}

// liveLink returns the live connection, waking the server if it is asleep.
func (s *Server) liveLink(ctx context.Context) (*link, error) {
	for {
		if l := s.live.Load(); l != nil {
			return l, nil
		}
		s.mu.Lock()
		l, phase, attempted := s.live.Load(), s.state.Phase, s.attempted
		s.mu.Unlock()
		if l != nil {
			return l, nil
		}
		if phase != PhaseAsleep {
			return nil, fmt.Errorf("%w: server %q: %w", mcp.ErrUnavailable, s.cfg.Name, ErrNotSent)
		}
		wakeup.Signal(s.wake)
		select {
		case <-attempted:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// AwaitReturn waits until the server is connected again after the failed call with error err lost its
// connection. It reports whether the server is connected. It waits for at most returnPatience.
func (s *Server) AwaitReturn(ctx context.Context, err error) bool {
	ctx, cancel := context.WithTimeout(ctx, returnPatience)
	defer cancel()
	var gone *connectionGoneError
	if errors.As(err, &gone) {
		select {
		case <-gone.link.ended:
		case <-ctx.Done():
			return false
		}
	}
	for l := s.live.Load(); l != nil; l = s.live.Load() {
		select {
		case <-l.ended: // the supervisor removes it soon
		case <-time.After(lossDelay):
			return true // the connection was not lost
		case <-ctx.Done():
			return false
		}
		if s.live.Load() == l {
			sleepFor(ctx, lossDelay)
		}
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		l, attempted := s.live.Load(), s.attempted
		s.mu.Unlock()
		if l != nil {
			return true
		}
		select {
		case <-attempted:
		case <-ctx.Done():
		case <-s.stopped:
			return false
		}
	}
	return false
}

// callError converts the error of a call to the server's own answer, a broken connection, or the end of ctx.
// After several broken calls it has the server pinged.
func (s *Server) callError(ctx context.Context, err error) error {
	if errors.Is(err, errPaused) {
		return s.pausedError(s.pause.remaining())
	}
	if wire := answerOf(err); wire != nil {
		if wire.Code == codeSessionLost {
			wakeup.Signal(s.doubted) // the ping finds the session lost
			return s.brokenError(errSessionLost)
		}
		s.failures.Store(0)
		says := cleanLine(s.maskText(wire.Message, maxLine))
		if wire.Code == codeInvalidParams {
			return mcp.Foreign(fmt.Errorf("%w: server %q refuses them", mcp.ErrInvalidArguments, s.cfg.Name), says)
		}
		return mcp.PublicError(mcp.Foreign(fmt.Errorf("server %q answered with an error", s.cfg.Name), says))
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err // the caller gave up, which says nothing about the server
	}
	var noResponse *url.Error
	if s.failures.Add(1) >= doubtAfter || ctx.Err() == nil && errors.As(err, &noResponse) {
		wakeup.Signal(s.doubted)
	}
	if ctx.Err() != nil {
		return err
	}
	if strings.HasSuffix(err.Error(), "request terminated without response") {
		err = fmt.Errorf("its answer broke off, or is longer than %d MiB", maxMessage>>20)
	}
	return s.brokenError(err)
}

// answerOf returns the error that a server answered with, or nil if it did not answer.
func answerOf(err error) *wireError {
	var wire *wireError
	if !errors.As(err, &wire) || wire.Code == codeTransportRejected && wire.Message == transportRejected {
		return nil
	}
	return wire
}

// redactError returns err as one line without secrets. [errors.Is] still finds its sentinels, but the
// original text is not reachable.
func (s *Server) redactError(err error) error {
	text := strings.ReplaceAll(err.Error(), transportRejected+": ", "")
	return &redactedError{s.secrets.cleanLine(text), err}
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }
