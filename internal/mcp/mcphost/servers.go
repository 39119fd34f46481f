package mcphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
)

// WithDialer sets how external servers are reached, in place of what their
// configuration says.
func WithDialer(d upstream.Dialer) Option { return func(o *options) { o.dial = d } }

// Held is a tool that waits for the operator's approval.
type Held = upstream.Held

// server is an external server and what is registered of it. Host.mu guards all
// but the first field.
type server struct {
	*upstream.Server
	state upstream.State
	tools []*tool    // registered now
	held  []heldTool // waiting for approval
	lost  []*tool    // what it had before it went down
}

// heldTool is a tool that waits for approval, and why.
type heldTool struct {
	*tool
	why string
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

// startServer starts supervising a server. The outcome of its first attempt to
// connect arrives in the channel.
func (h *Host) startServer(cfg config.MCPServerConfig) (<-chan error, error) {
	s, err := upstream.New(cfg, registry{h}, upstream.Options{
		Log: h.opts.log, Keeper: h.opts.keeper, Dial: h.opts.dial, Mask: h.opts.mask, Asked: recordAsked(h.opts.gate),
	})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, mcp.ErrClosed
	}
	if slices.ContainsFunc(h.servers, func(o *server) bool { return o.Name() == cfg.Name }) {
		return nil, errors.New("the name is taken")
	}
	first := make(chan error, 1)
	h.servers = append(h.servers, &server{Server: s, state: upstream.State{Phase: upstream.PhaseConnecting}})
	h.owned.Go(func() { s.Run(h.life, first) })
	return first, nil
}

// recordAsked returns what has a gate, which may be nil, record what a server has asked its
// client, or would have.
func recordAsked(gate Gate) func(context.Context, *mcp.Call, time.Duration, error) {
	if gate == nil {
		return nil
	}
	return func(ctx context.Context, c *mcp.Call, took time.Duration, err error) {
		gate.Settle(mcp.WithEvents(ctx, nil), c, mcp.Result{Duration: took}, err)
	}
}

// registry registers in a host what its servers publish.
type registry struct{ host *Host }

// Publish registers the tools of st, and takes out those the server had else.
func (r registry) Publish(s *upstream.Server, st upstream.State) error {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return mcp.ErrClosed
	}
	i := slices.IndexFunc(h.servers, func(o *server) bool { return o.Server == s })
	if o := h.servers[i]; o.update(st, h.externalTool) {
		h.replaceSnapshot()
	}
	return nil
}

// update takes over a state and reports whether the registered tools are others
// than before. A tool that was known stays the same; register makes new ones.
func (s *server) update(st upstream.State, register func(*upstream.Tool) *tool) (changed bool) {
	known := map[*upstream.Tool]*tool{}
	for _, t := range slices.Concat(s.lost, s.tools) {
		known[t.remote] = t
	}
	for _, t := range s.held {
		known[t.remote] = t.tool
	}
	toolOf := func(remote *upstream.Tool) *tool {
		if t := known[remote]; t != nil {
			return t
		}
		return register(remote)
	}
	before := s.tools
	s.state, s.tools, s.held = st, nil, nil
	for _, t := range st.Tools {
		s.tools = append(s.tools, toolOf(t))
	}
	for _, t := range st.Held {
		s.held = append(s.held, heldTool{toolOf(t.Tool), t.Why})
	}
	switch {
	case st.Phase != upstream.PhaseDown:
		s.lost = nil
	case len(before) > 0:
		s.lost = before
	}
	return !slices.Equal(before, s.tools)
}

// upstreams lists the external servers in order of registration.
func (h *Host) upstreams() []*upstream.Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*upstream.Server
	for _, s := range h.servers {
		all = append(all, s.Server)
	}
	return all
}

// Held lists the tools that wait for approval, by server and name.
func (h *Host) Held(ctx context.Context) ([]Held, error) {
	return upstream.HeldBy(ctx, h.upstreams())
}

// Approve takes the waiting definition of a tool as its new pin, see
// [upstream.Approve].
func (h *Host) Approve(ctx context.Context, name string) error {
	return upstream.Approve(ctx, h.upstreams(), name)
}

// ServerStatus is what the operator sees of an external server.
type ServerStatus struct {
	Name string `json:"name"`
	// State is "connecting", "ready", "asleep" or "down".
	State string `json:"state"`
	// Reason says why it is down.
	Reason string `json:"reason,omitempty"`
	Tools  int    `json:"tools"`
	// Pinned says that new and changed tools of it are held until they are approved.
	Pinned bool `json:"pinned,omitempty"`
	// Held counts the tools that wait for approval.
	Held int `json:"held,omitempty"`
	// LeftOut counts the tools it lists beyond the most that are taken of one server.
	LeftOut int `json:"left_out,omitempty"`
	// Connects counts the connections made so far; all but the first were made
	// after a loss or a sleep.
	Connects int `json:"connects"`
	// Calls counts the calls under way and Queued those that wait for a place.
	Calls  int `json:"calls,omitempty"`
	Queued int `json:"queued,omitempty"`
	// Failures counts the calls in a row that the connection failed. From three
	// on, or if there is nobody to answer, it is doubted: the server is pinged,
	// and dropped if it does not answer.
	Failures int `json:"failures,omitempty"`
	// Paused is for how many milliseconds more the server wants no calls.
	Paused float64 `json:"paused_ms,omitempty"`
}

// Servers describes the external servers in order of registration.
func (h *Host) Servers() []ServerStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []ServerStatus
	for _, s := range h.servers {
		load := s.Load()
		status := ServerStatus{
			Name: s.Name(), State: string(s.state.Phase), Tools: len(s.tools), Pinned: s.Pinned(), Held: len(s.held), LeftOut: s.state.LeftOut, Connects: s.state.Connects,
			Calls: load.Calls, Queued: load.Queued, Failures: load.Failures, Paused: float64(load.Paused.Milliseconds()),
		}
		if s.state.Err != nil {
			status.Reason = s.state.Err.Error()
		}
		all = append(all, status)
	}
	return all
}
