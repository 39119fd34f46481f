package upstream

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
	// defaultConcurrent is how many calls a server gets at once.
	defaultConcurrent = 8
	// maxQueued bounds the calls that wait for one of those places; more fail
	// with [mcp.ErrBusy].
	maxQueued = 64
	// suspicious is how many calls in a row must fail for the connection to be
	// doubted; one is enough if there is nobody to answer it.
	suspicious = 3
	// returnPatience is how long a call that may be tried twice waits for a lost
	// server to return, and lossDelay how long after the call a loss may show that
	// the call's error does not tell of.
	returnPatience = 2 * time.Second
	lossDelay      = 20 * time.Millisecond
)

// rejected is how the SDK says that its transport failed, in an error of the
// type that else is a server's answer.
const (
	rejected     = "rejected by transport"
	codeRejected = -32005
)

// ErrNotSent means that a call never left: the server is down.
var ErrNotSent = errors.New("the server is down")

type measuringKey struct{}

// Measuring returns a context whose calls only measure: nobody asked for them,
// so they do not keep a server from falling asleep.
func Measuring(ctx context.Context) context.Context {
	return context.WithValue(ctx, measuringKey{}, true)
}

// Call runs a tool on its server, once one of the server's places is free.
// cancel ends ctx, which bounds the call. An error is [ErrGivenUp] if ctx ended
// because the connection did.
func (t *Tool) Call(ctx context.Context, cancel context.CancelFunc, args string) (mcp.Result, error) {
	s := t.Server
	if wait := s.pause.remaining(); wait > 0 {
		return mcp.Result{}, s.pausedError(wait)
	}
	if err := s.takeSlot(ctx); err != nil {
		return mcp.Result{}, err
	}
	defer s.freeSlot(ctx)
	l, err := s.liveLink(ctx)
	if err != nil {
		return mcp.Result{}, err
	}
	log, asker := mcp.ClientLogFrom(ctx), s.asking.askerOf(ctx)
	key, ok := l.addCall(linkCall{cancel, log, asker, mcp.CallerFrom(ctx)})
	if !ok {
		return mcp.Result{}, s.brokenError(l.endError())
	}
	params := &sdk.CallToolParams{Name: t.Definition.Name, Arguments: json.RawMessage(args)}
	if report := mcp.ProgressFrom(ctx); report != nil {
		params.SetProgressToken(l.progress.expectCall(key, report))
		defer l.progress.forgetCall(key)
	}
	if log != nil {
		l.askForLogs(ctx, params, log)
	}
	res, err := s.callTraced(withCallKey(ctx, key, asker), l, params, asker)
	cut := l.removeCall(key)
	switch {
	case err == nil:
		s.fails.Store(0)
		return t.convertResult(res)
	case cut:
		return mcp.Result{}, s.brokenError(l.endError())
	}
	if unanswered, ok := errors.AsType[*unansweredError](err); ok {
		return mcp.Result{}, unanswered.error
	}
	err = s.callError(ctx, err)
	if errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed) {
		err = &goneError{err, l}
	}
	return mcp.Result{}, err
}

// callTraced sends a call with the trace that it belongs to, if there is one.
func (s *Server) callTraced(ctx context.Context, l *link, params *sdk.CallToolParams, a *asker) (*sdk.CallToolResult, error) {
	if !tracing.Travels(ctx) {
		return s.asking.callAsking(ctx, l, params, a)
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
	res, err := s.asking.callAsking(ctx, l, params, a)
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

// goneError is the error of a call that found its connection gone, which the
// connection's supervisor is about to notice.
type goneError struct {
	error
	link *link
}

func (e *goneError) Unwrap() error { return e.error }

// brokenError is the error of a call that the connection failed.
func (s *Server) brokenError(err error) error {
	return mcp.Private(fmt.Errorf("%w: server %q", mcp.ErrUnavailable, s.cfg.Name), s.redactError(err))
}

func (s *Server) pausedError(wait time.Duration) error {
	return fmt.Errorf("%w: server %q asked for a pause of %s", mcp.ErrBusy, s.cfg.Name, wait.Round(time.Millisecond))
}

// takeSlot waits for a place for a call, in a queue of bounded length.
func (s *Server) takeSlot(ctx context.Context) error {
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

// freeSlot frees a call's place. Calls that only measure do not keep the server
// awake.
func (s *Server) freeSlot(ctx context.Context) {
	if ctx.Value(measuringKey{}) == nil {
		s.used.Store(int64(time.Since(s.epoch)))
	}
	<-s.slots
}

// liveLink returns the live connection, waking the server if it sleeps.
func (s *Server) liveLink(ctx context.Context) (*link, error) {
	for {
		if l := s.live.Load(); l != nil {
			return l, nil
		}
		s.mu.Lock()
		l, phase, settled := s.live.Load(), s.state.Phase, s.settled
		s.mu.Unlock()
		if l != nil {
			return l, nil
		}
		if phase != PhaseAsleep {
			return nil, fmt.Errorf("%w: server %q: %w", mcp.ErrUnavailable, s.cfg.Name, ErrNotSent)
		}
		wakeup.Signal(s.wake)
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// AwaitReturn waits for the server to be back if its connection was lost under
// the call that failed with err, and reports whether it is.
func (s *Server) AwaitReturn(ctx context.Context, err error) bool {
	ctx, cancel := context.WithTimeout(ctx, returnPatience)
	defer cancel()
	var gone *goneError
	if errors.As(err, &gone) {
		select {
		case <-gone.link.ended:
		case <-ctx.Done():
			return false
		}
	}
	for l := s.live.Load(); l != nil; l = s.live.Load() {
		select {
		case <-l.ended: // its supervisor is about to notice
		case <-time.After(lossDelay):
			return true // it was no loss of the connection
		case <-ctx.Done():
			return false
		}
		if s.live.Load() == l {
			sleepFor(ctx, lossDelay)
		}
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		l, settled := s.live.Load(), s.settled
		s.mu.Unlock()
		if l != nil {
			return true
		}
		select {
		case <-settled:
		case <-ctx.Done():
		case <-s.stopped:
			return false
		}
	}
	return false
}

// callError tells a refused call from a broken connection. Connection failures
// in a row cast doubt on the server.
func (s *Server) callError(ctx context.Context, err error) error {
	if errors.Is(err, errPaused) {
		return s.pausedError(s.pause.remaining())
	}
	if wire := answerOf(err); wire != nil {
		s.fails.Store(0)
		says := cleanLine(s.maskText(wire.Message, maxLine))
		if wire.Code == codeInvalidParams {
			return mcp.Foreign(fmt.Errorf("%w: server %q refuses them", mcp.ErrInvalidArguments, s.cfg.Name), says)
		}
		return mcp.Told(mcp.Foreign(fmt.Errorf("server %q answered with an error", s.cfg.Name), says))
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err // the caller left; that says nothing about the server
	}
	var unanswered *url.Error // no HTTP response at all
	if s.fails.Add(1) >= suspicious || ctx.Err() == nil && errors.As(err, &unanswered) {
		wakeup.Signal(s.suspect)
	}
	if ctx.Err() != nil {
		return err
	}
	if strings.HasSuffix(err.Error(), "request terminated without response") {
		err = fmt.Errorf("its answer broke off, or is longer than %d MiB", maxMessage>>20)
	}
	return s.brokenError(err)
}

// answerOf returns the error a server answered with, or nil if it did not.
func answerOf(err error) *wireError {
	var wire *wireError
	if !errors.As(err, &wire) || wire.Code == codeRejected && wire.Message == rejected {
		return nil
	}
	return wire
}

// redactError is an error as it may be told: one line, without what the server
// must not show and we must not tell. Sentinels stay.
func (s *Server) redactError(err error) error {
	text := strings.ReplaceAll(err.Error(), rejected+": ", "")
	return &redactedError{s.secrets.cleanLine(text), err}
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }
