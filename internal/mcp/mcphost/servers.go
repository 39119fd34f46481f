package mcphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// WithDialer replaces how the host connects to external servers. The default follows their configuration.
func WithDialer(d Dialer) Option { return func(o *options) { o.dial = d } }

// server is an external server and its registered tools. Host.mu guards all fields but the first.
type server struct {
	*Server
	state            ServerState
	tools            []*tool          // registered now
	awaitingApproval []unapprovedTool // waiting for approval
	formerTools      []*tool          // its tools before it went down
}

// unapprovedTool is a tool that waits for approval, and why.
type unapprovedTool struct {
	*tool
	why string
}

// RegisterServer connects to an external MCP server and registers its tools. ctx bounds only the wait for the
// first connection. Whatever its outcome, a supervisor keeps the server connected, with back-off, until the
// host is closed. While the server is down, its tools are not listed.
//
// An error that wraps [mcp.ErrUnavailable] means that the first attempt failed and the supervisor keeps
// trying. Any other error means that the configuration is wrong.
func (h *Host) RegisterServer(ctx context.Context, cfg config.MCPServerConfig) error {
	first, err := h.startServer(cfg)
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

// startServer starts the supervisor of a server. The channel receives the outcome of the first connection
// attempt.
func (h *Host) startServer(cfg config.MCPServerConfig) (<-chan error, error) {
	o := ServerOptions{Log: h.opts.log, Keeper: h.opts.keeper, Dial: h.opts.dial, Mask: h.opts.mask}
	if gate := h.opts.gate; gate != nil {
		o.Asked = func(ctx context.Context, c *mcp.Call, took time.Duration, err error) {
			gate.Record(mcp.WithEvents(ctx, nil), c, mcp.Result{Duration: took}, err)
		}
	}
	s, err := NewServer(cfg, h.updateServer, o)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, mcp.ErrClosed
	}
	if slices.ContainsFunc(h.servers, func(o *server) bool { return o.Name() == cfg.Name }) {
		return nil, errors.New("another server has this name")
	}
	first := make(chan error, 1)
	h.servers = append(h.servers, &server{Server: s, state: ServerState{Phase: PhaseConnecting}})
	h.workers.Go(func() { s.Run(h.lifetime, first) })
	return first, nil
}

// updateServer replaces the registered tools of a server with those of st. It is the host's [PublishTools].
func (h *Host) updateServer(s *Server, st ServerState) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return mcp.ErrClosed
	}
	i := slices.IndexFunc(h.servers, func(o *server) bool { return o.Server == s })
	if h.servers[i].update(st, h.newRemoteTool) {
		h.replaceSnapshot()
	}
	return nil
}

// update stores a server's new state and reports whether its registered tools changed. It reuses the tools it
// knows and calls register for new ones.
func (s *server) update(st ServerState, register func(*ServerTool) *tool) (changed bool) {
	known := map[*ServerTool]*tool{}
	for _, t := range slices.Concat(s.formerTools, s.tools) {
		known[t.remote] = t
	}
	for _, t := range s.awaitingApproval {
		known[t.remote] = t.tool
	}
	toolOf := func(remote *ServerTool) *tool {
		if t := known[remote]; t != nil {
			return t
		}
		return register(remote)
	}
	before := s.tools
	s.state, s.tools, s.awaitingApproval = st, nil, nil
	for _, t := range st.Tools {
		s.tools = append(s.tools, toolOf(t))
	}
	for _, t := range st.Held {
		s.awaitingApproval = append(s.awaitingApproval, unapprovedTool{toolOf(t.ServerTool), t.Why})
	}
	switch {
	case st.Phase != PhaseDown:
		s.formerTools = nil
	case len(before) > 0:
		s.formerTools = before
	}
	return !slices.Equal(before, s.tools)
}

// upstreams lists the external servers in order of registration.
func (h *Host) upstreams() []*Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*Server
	for _, s := range h.servers {
		all = append(all, s.Server)
	}
	return all
}

// Held lists the tools that wait for approval, by server and name.
func (h *Host) Held(ctx context.Context) ([]Held, error) {
	return HeldBy(ctx, h.upstreams())
}

// Approve approves the waiting definition of a tool, see [Approve].
func (h *Host) Approve(ctx context.Context, name string) error {
	return Approve(ctx, h.upstreams(), name)
}
