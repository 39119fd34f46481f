package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// A lost server is tried again after firstRetry, then twice that, up to
	// lastRetry, each ±20 % so that servers do not come back in step.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// steady is how long a connection must live for the back-off to start over.
	steady = 10 * time.Second
	// maxServerTools bounds what one server may list.
	maxServerTools = 1000

	defaultConnectTimeout = 10 * time.Second
)

// States of a server.
const (
	stateConnecting = "connecting"
	stateReady      = "ready"
	stateDown       = "down"
)

// upstream is one external server. Its supervisor goroutine connects it, keeps
// its tools registered while it lives, and connects it again when it dies.
type upstream struct {
	cfg  config.MCPServerConfig
	host *Host
	dial func(context.Context) (*link, error)

	// Guarded by host.mu.
	tools   []*tool // registered now
	lost    []*tool // what it had before it went down
	state   string
	err     error
	session *sdk.ClientSession
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
	u := &upstream{cfg: cfg, host: h, state: stateConnecting}
	relist := make(chan struct{}, 1)
	dial, err := dialer(cfg, h.opts.log.With("server", cfg.Name), relist)
	if err != nil {
		return fmt.Errorf("registering server %q: %w", cfg.Name, err)
	}
	u.dial = dial
	first := make(chan error, 1)
	h.mu.Lock()
	switch {
	case h.closed:
		err = mcp.ErrClosed
	case slices.ContainsFunc(h.servers, func(o *upstream) bool { return o.cfg.Name == cfg.Name }):
		err = errors.New("the name is taken")
	default:
		h.servers = append(h.servers, u)
		h.owned.Go(func() { u.supervise(h.life, relist, first) })
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

// supervise keeps the server connected until ctx ends. It sends the outcome of
// the first attempt to first.
func (u *upstream) supervise(ctx context.Context, relist <-chan struct{}, first chan<- error) {
	retry := firstRetry
	for ctx.Err() == nil {
		start := time.Now()
		l, err := u.connect(ctx)
		if first != nil {
			first <- err
			first = nil
		}
		if err == nil {
			err = u.attend(ctx, l, relist)
			l.close()
		}
		u.withdraw(err)
		if time.Since(start) > steady {
			retry = firstRetry
		}
		wait := time.Duration(float64(retry) * (0.8 + 0.4*rand.Float64()))
		retry = min(2*retry, lastRetry)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// connect dials the server and registers its tools, within its time limit.
func (u *upstream) connect(ctx context.Context) (*link, error) {
	limit := time.Duration(u.cfg.ConnectTimeout)
	if limit <= 0 {
		limit = defaultConnectTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	l, err := u.dial(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	if err := u.list(ctx, l.session); err != nil {
		l.close()
		return nil, unavailable(ctx, err)
	}
	return l, nil
}

func unavailable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%w: %v", mcp.ErrUnavailable, err)
}

// attend waits until the session ends and says why. Meanwhile it lists the
// tools again whenever the server says they changed.
func (u *upstream) attend(ctx context.Context, l *link, relist <-chan struct{}) error {
	ended := make(chan error, 1)
	go func() { ended <- l.session.Wait() }() // ends with the session, which the caller closes
	for {
		select {
		case <-ctx.Done():
			return mcp.ErrClosed
		case err := <-ended:
			if err == nil {
				err = errors.New("the server ended the connection")
			}
			return err
		case <-relist:
			if err := u.list(ctx, l.session); err != nil {
				return fmt.Errorf("listing its tools again: %w", err)
			}
		}
	}
}

// list reads all pages of the server's tools and registers them.
func (u *upstream) list(ctx context.Context, session *sdk.ClientSession) error {
	var defs []*sdk.Tool
	for def, err := range session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if len(defs) == maxServerTools {
			u.host.opts.log.Warn("server lists too many tools", "server", u.cfg.Name, "kept", maxServerTools)
			break
		}
		defs = append(defs, def)
	}
	h := u.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return mcp.ErrClosed
	}
	u.tools, u.lost = u.adopt(defs), nil
	u.session, u.state, u.err = session, stateReady, nil
	h.swap()
	h.opts.log.Info("server connected", "server", u.cfg.Name, "tools", len(u.tools))
	return nil
}

// adopt turns a listing into registered tools; a tool that cannot be used is
// left out with a warning. Callers hold host.mu.
func (u *upstream) adopt(defs []*sdk.Tool) []*tool {
	var adopted []*tool
	seen := map[string]bool{}
	for _, d := range defs {
		if d == nil || seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		t, err := u.foreign(d)
		if err != nil {
			u.host.opts.log.Warn("tool left out", "server", u.cfg.Name, "tool", d.Name, "reason", err)
			continue
		}
		adopted = append(adopted, t)
	}
	return adopted
}

// withdraw takes the server's tools out of the registry.
func (u *upstream) withdraw(reason error) {
	h := u.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(u.tools) > 0 {
		u.lost = u.tools
	}
	had := len(u.tools) > 0
	u.tools, u.session, u.state, u.err = nil, nil, stateDown, reason
	if h.closed {
		return
	}
	h.opts.log.LogAttrs(h.life, slog.LevelWarn, "server lost", slog.String("server", u.cfg.Name), slog.Any("reason", reason))
	if had {
		h.swap()
	}
}

// call runs a tool on the server under its own name.
func (u *upstream) call(ctx context.Context, name, args string) (mcp.Result, error) {
	u.host.mu.Lock()
	session := u.session
	u.host.mu.Unlock()
	if session == nil {
		return mcp.Result{}, fmt.Errorf("%w: server %q is down", mcp.ErrUnavailable, u.cfg.Name)
	}
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: rawArguments(args)})
	if err != nil {
		return mcp.Result{}, u.callError(ctx, err)
	}
	return result(res), nil
}

// callError tells a refused call from a broken connection.
func (u *upstream) callError(ctx context.Context, err error) error {
	var wire *wireError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &wire) && wire.Code == codeInvalidParams:
		return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, cleanLine(wire.Message))
	case errors.As(err, &wire):
		return fmt.Errorf("server %q answered: %s", u.cfg.Name, cleanLine(wire.Message))
	}
	return fmt.Errorf("%w: server %q: %v", mcp.ErrUnavailable, u.cfg.Name, err)
}
