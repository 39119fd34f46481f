package mcphost

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
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

// States of a server.
const (
	stateConnecting = "connecting"
	stateReady      = "ready"
	stateAsleep     = "asleep"
	stateDown       = "down"
)

// rejected is how the SDK says that its transport failed, in an error of the
// type that else is a server's answer.
const (
	rejected     = "rejected by transport"
	codeRejected = -32005
)

// errNotSent means that a call never left: the server is down.
var errNotSent = errors.New("the server is down")

// upstream is one external server. Its supervisor goroutine connects it, keeps
// its tools registered while it lives, and connects it again when it dies.
type upstream struct {
	cfg     config.MCPServerConfig
	host    *Host
	secrets *secrets
	dial    dialFunc
	live    atomic.Pointer[link] // nil while there is no connection
	slots   chan struct{}        // a place for every call under way
	queued  atomic.Int32         // calls waiting for a place
	used    atomic.Int64         // when the last call ended, nanoseconds since epoch
	fails   atomic.Int32         // calls in a row that the connection failed
	pause   pause                // asked for by the server (HTTP 429)

	relist  chan struct{} // the tools have changed
	wake    chan struct{} // a sleeping server is needed
	suspect chan struct{} // the connection is doubted

	known map[string]*listed // what the last listing made of each definition; owned by supervise
	older bool               // open with the older protocol; owned by supervise

	// Guarded by host.mu.
	tools    []*tool    // registered now
	held     []heldTool // waiting for approval
	lost     []*tool    // what it had before it went down
	state    string
	err      error
	connects int           // how often it was connected
	settled  chan struct{} // closed when a connection attempt ends
}

// heldTool is a tool that waits for approval, and why.
type heldTool struct {
	*tool
	why string
}

func newUpstream(h *Host, cfg config.MCPServerConfig) *upstream {
	concurrent := cfg.MaxConcurrent
	if concurrent <= 0 {
		concurrent = defaultConcurrent
	}
	return &upstream{
		cfg: cfg, host: h, secrets: secretsOf(cfg), state: stateConnecting, slots: make(chan struct{}, concurrent),
		relist: make(chan struct{}, 1), wake: make(chan struct{}, 1), suspect: make(chan struct{}, 1),
		settled: make(chan struct{}),
	}
}

// RegisterServer connects to an external MCP server and imports its tools. The
// server's life is not tied to ctx, which bounds the wait for the first
// connection alone: whatever becomes of that, a supervisor keeps the server
// connected until the host is closed, with back-off. While the server is away
// its tools are in no list.
//
// An error that wraps [mcp.ErrUnavailable] means the first attempt failed and
// is being retried; any other means the configuration cannot work.
func (h *Host) RegisterServer(ctx context.Context, cfg config.MCPServerConfig) error {
	u := newUpstream(h, cfg)
	var err error
	if u.dial, err = u.dialer(); err != nil {
		return fmt.Errorf("registering server %q: %w", cfg.Name, err)
	}
	return h.adopt(ctx, u)
}

// adopt starts supervising a server and waits for its first connection.
func (h *Host) adopt(ctx context.Context, u *upstream) error {
	first := make(chan error, 1)
	var err error
	h.mu.Lock()
	switch {
	case h.closed:
		err = mcp.ErrClosed
	case slices.ContainsFunc(h.servers, func(o *upstream) bool { return o.cfg.Name == u.cfg.Name }):
		err = errors.New("the name is taken")
	default:
		h.servers = append(h.servers, u)
		h.owned.Go(func() { u.supervise(h.life, first) })
	}
	h.mu.Unlock()
	if err != nil {
		return fmt.Errorf("registering server %q: %w", u.cfg.Name, err)
	}
	select {
	case err = <-first:
	case <-ctx.Done():
		err = fmt.Errorf("%w: %v", mcp.ErrUnavailable, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("connecting server %q: %w", u.cfg.Name, err)
	}
	return nil
}

// call runs a tool on the server, once one of the server's places is free.
// cancel ends ctx, which bounds the call.
func (u *upstream) call(ctx context.Context, cancel context.CancelFunc, t *tool, args string) (mcp.Result, error) {
	if wait := u.pause.left(); wait > 0 {
		return mcp.Result{}, u.paused(wait)
	}
	if err := u.enter(ctx); err != nil {
		return mcp.Result{}, err
	}
	defer u.leave(ctx)
	l, err := u.awake(ctx)
	if err != nil {
		return mcp.Result{}, err
	}
	key, ok := l.enter(cancel)
	if !ok {
		return mcp.Result{}, u.broken(l.over())
	}
	params := &sdk.CallToolParams{Name: t.Definition.Name, Arguments: rawArguments(args)}
	if report := mcp.ProgressFrom(ctx); report != nil {
		params.SetProgressToken(l.progress.expect(key, report))
		defer l.progress.forget(key)
	}
	res, err := l.session.CallTool(ctx, params)
	cut := l.leave(key)
	switch {
	case err == nil:
		u.fails.Store(0)
		return u.result(t, res)
	case cut:
		return mcp.Result{}, u.broken(l.over())
	}
	err = u.callError(ctx, err)
	if errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed) {
		err = &goneError{err, l}
	}
	return mcp.Result{}, err
}

// goneError is the error of a call that found its connection gone, which the
// connection's supervisor is about to notice.
type goneError struct {
	error
	link *link
}

func (e *goneError) Unwrap() error { return e.error }

// broken is the error of a call that the connection failed.
func (u *upstream) broken(err error) error {
	return fmt.Errorf("%w: server %q: %w", mcp.ErrUnavailable, u.cfg.Name, u.told(err))
}

func (u *upstream) paused(wait time.Duration) error {
	return fmt.Errorf("%w: server %q asked for a pause of %s", mcp.ErrBusy, u.cfg.Name, wait.Round(time.Millisecond))
}

func (u *upstream) enter(ctx context.Context) error {
	select {
	case u.slots <- struct{}{}:
		return nil
	default:
	}
	if u.queued.Add(1) > maxQueued {
		u.queued.Add(-1)
		return fmt.Errorf("%w: %d calls wait for server %q already", mcp.ErrBusy, maxQueued, u.cfg.Name)
	}
	defer u.queued.Add(-1)
	select {
	case u.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave frees a call's place. Calls that only measure do not keep the server
// awake.
func (u *upstream) leave(ctx context.Context) {
	if !measuring(ctx) {
		u.used.Store(int64(time.Since(u.host.epoch)))
	}
	<-u.slots
}

// awake returns the live connection, waking the server if it sleeps.
func (u *upstream) awake(ctx context.Context) (*link, error) {
	for {
		if l := u.live.Load(); l != nil {
			return l, nil
		}
		u.host.mu.Lock()
		l, state, settled := u.live.Load(), u.state, u.settled
		u.host.mu.Unlock()
		if l != nil {
			return l, nil
		}
		if state != stateAsleep {
			return nil, fmt.Errorf("%w: server %q: %w", mcp.ErrUnavailable, u.cfg.Name, errNotSent)
		}
		wakeup.Signal(u.wake)
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// returns waits for the server to be back if its connection was lost under the
// call that failed with err, and reports whether it is.
func (u *upstream) returns(ctx context.Context, err error) bool {
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
	for l := u.live.Load(); l != nil; l = u.live.Load() {
		select {
		case <-l.ended: // its supervisor is about to notice
		case <-time.After(lossDelay):
			return true // it was no loss of the connection
		case <-ctx.Done():
			return false
		}
		if u.live.Load() == l {
			pauseFor(ctx, lossDelay)
		}
	}
	for ctx.Err() == nil {
		u.host.mu.Lock()
		l, settled := u.live.Load(), u.settled
		u.host.mu.Unlock()
		if l != nil {
			return true
		}
		select {
		case <-settled:
		case <-ctx.Done():
		case <-u.host.life.Done():
			return false
		}
	}
	return false
}

// callError tells a refused call from a broken connection. Connection failures
// in a row cast doubt on the server.
func (u *upstream) callError(ctx context.Context, err error) error {
	if errors.Is(err, errPaused) {
		return u.paused(u.pause.left())
	}
	if wire := answered(err); wire != nil {
		u.fails.Store(0)
		if wire.Code == codeInvalidParams {
			return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, u.secrets.line(wire.Message))
		}
		return mcp.Told(fmt.Errorf("server %q answered: %s", u.cfg.Name, u.secrets.line(wire.Message)))
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err // the caller left; that says nothing about the server
	}
	var unanswered *url.Error // no HTTP response at all
	if u.fails.Add(1) >= suspicious || ctx.Err() == nil && errors.As(err, &unanswered) {
		wakeup.Signal(u.suspect)
	}
	if ctx.Err() != nil {
		return err
	}
	if strings.HasSuffix(err.Error(), "request terminated without response") {
		err = fmt.Errorf("its answer broke off, or is longer than %d MiB", maxMessage>>20)
	}
	return u.broken(err)
}

// answered returns the error a server answered with, or nil if it did not.
func answered(err error) *wireError {
	var wire *wireError
	if !errors.As(err, &wire) || wire.Code == codeRejected && wire.Message == rejected {
		return nil
	}
	return wire
}

// told is an error as it may be told: one line, without what the server must
// not show and we must not tell. Sentinels stay.
func (u *upstream) told(err error) error {
	text := strings.ReplaceAll(err.Error(), rejected+": ", "")
	return &toldError{u.secrets.line(text), err}
}

type toldError struct {
	text  string
	cause error
}

func (e *toldError) Error() string        { return e.text }
func (e *toldError) Is(target error) bool { return errors.Is(e.cause, target) }
