package mcphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// defaultConcurrent is how many calls a server gets at once.
	defaultConcurrent = 8
	// maxQueued bounds the calls that wait for one of those places; more fail
	// with [mcp.ErrBusy].
	maxQueued = 64
	// suspicious is how many calls in a row must fail for the connection to be
	// doubted.
	suspicious = 3
)

// States of a server.
const (
	stateConnecting = "connecting"
	stateReady      = "ready"
	stateAsleep     = "asleep"
	stateDown       = "down"
)

// upstream is one external server. Its supervisor goroutine connects it, keeps
// its tools registered while it lives, and connects it again when it dies.
type upstream struct {
	cfg    config.MCPServerConfig
	host   *Host
	dial   func(context.Context) (*link, error)
	slots  chan struct{} // a place for every call under way
	queued atomic.Int32  // calls waiting for a place
	used   atomic.Int64  // when the last call ended, nanoseconds since epoch
	fails  atomic.Int32  // calls in a row that the connection failed
	pause  pause         // asked for by the server (HTTP 429)

	relist  chan struct{} // the tools have changed
	wake    chan struct{} // a sleeping server is needed
	suspect chan struct{} // the connection is doubted

	// Guarded by host.mu.
	tools   []*tool // registered now
	held    []*tool // waiting for approval
	lost    []*tool // what it had before it went down
	state   string
	err     error
	session *sdk.ClientSession
	settled chan struct{} // closed when a connection attempt ends
}

func newUpstream(h *Host, cfg config.MCPServerConfig) (*upstream, error) {
	u := &upstream{
		cfg: cfg, host: h, state: stateConnecting, slots: make(chan struct{}, max(cfg.MaxConcurrent, 0)),
		relist: make(chan struct{}, 1), wake: make(chan struct{}, 1), suspect: make(chan struct{}, 1),
		settled: make(chan struct{}),
	}
	if cfg.MaxConcurrent <= 0 {
		u.slots = make(chan struct{}, defaultConcurrent)
	}
	var err error
	u.dial, err = dialer(cfg, h.opts.log.With("server", cfg.Name), u.relist, &u.pause)
	return u, err
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
	u, err := newUpstream(h, cfg)
	if err != nil {
		return fmt.Errorf("registering server %q: %w", cfg.Name, err)
	}
	first := make(chan error, 1)
	h.mu.Lock()
	switch {
	case h.closed:
		err = mcp.ErrClosed
	case slices.ContainsFunc(h.servers, func(o *upstream) bool { return o.cfg.Name == cfg.Name }):
		err = errors.New("the name is taken")
	default:
		h.servers = append(h.servers, u)
		h.owned.Go(func() { u.supervise(h.life, first) })
	}
	h.mu.Unlock()
	if err != nil {
		return fmt.Errorf("registering server %q: %w", cfg.Name, err)
	}
	select {
	case err = <-first:
	case <-ctx.Done():
		err = fmt.Errorf("%w: %v", mcp.ErrUnavailable, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("connecting server %q: %w", cfg.Name, err)
	}
	return nil
}

// call runs a tool on the server under its own name, once one of the server's
// places is free.
func (u *upstream) call(ctx context.Context, name, args string) (mcp.Result, error) {
	if wait := u.pause.left(); wait > 0 {
		return mcp.Result{}, fmt.Errorf("%w: server %q asked for a pause of %s", mcp.ErrBusy, u.cfg.Name, wait.Round(time.Millisecond))
	}
	if err := u.enter(ctx); err != nil {
		return mcp.Result{}, err
	}
	defer u.leave()
	session, err := u.awake(ctx)
	if err != nil {
		return mcp.Result{}, err
	}
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: rawArguments(args)})
	if err != nil {
		return mcp.Result{}, u.callError(ctx, err)
	}
	u.fails.Store(0)
	return result(res), nil
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

func (u *upstream) leave() {
	u.used.Store(int64(time.Since(u.host.epoch)))
	<-u.slots
}

// awake returns the live session, waking the server if it sleeps.
func (u *upstream) awake(ctx context.Context) (*sdk.ClientSession, error) {
	for {
		u.host.mu.Lock()
		session, state, settled := u.session, u.state, u.settled
		u.host.mu.Unlock()
		if session != nil {
			return session, nil
		}
		if state != stateAsleep {
			return nil, fmt.Errorf("%w: server %q is down", mcp.ErrUnavailable, u.cfg.Name)
		}
		token(u.wake)
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// token puts a token into a channel of one, if there is none.
func token(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// callError tells a refused call from a broken connection. Connection failures
// in a row cast doubt on the server.
func (u *upstream) callError(ctx context.Context, err error) error {
	var wire *wireError
	if errors.As(err, &wire) {
		u.fails.Store(0)
		if wire.Code == codeInvalidParams {
			return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, cleanLine(wire.Message))
		}
		return fmt.Errorf("server %q answered: %s", u.cfg.Name, cleanLine(wire.Message))
	}
	if wait := u.pause.left(); wait > 0 {
		return fmt.Errorf("%w: server %q asked for a pause of %s", mcp.ErrBusy, u.cfg.Name, wait.Round(time.Millisecond))
	}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return err // the caller left; that says nothing about the server
	}
	if u.fails.Add(1) >= suspicious {
		token(u.suspect)
	}
	if ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: server %q: %v", mcp.ErrUnavailable, u.cfg.Name, err)
}
