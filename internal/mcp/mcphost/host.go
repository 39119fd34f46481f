// Package mcphost runs the tools that NPCs use: built-in Go functions, workflows, and the tools of
// external MCP servers. One registry measures what each tool really costs and shows every caller
// only the tools that fit its budget tier:
//
//	host := mcphost.New(mcphost.WithLogger(log))
//	defer host.Close()
//	err := host.RegisterBuiltin(diceroller.Tools()...)
//	ts := host.Toolset(mcphost.ToolsetOptions{Allow: []string{"roll"}, Tier: mcp.BudgetFast})
//	res, err := ts.Execute(ctx, "roll", `{"expression":"2d6+3"}`)
//
// A [Server] keeps an external MCP server connected, holds back definitions that the operator has not
// approved, and forwards calls. Everything such a server sends is untrusted and is therefore bounded and
// cleaned (files upstream_*.go). A [Schema] checks arguments and results against a tool's JSON Schema, within
// bounds (files schema*.go).
//
// The package makes no decisions about permissions; a [Gate] does.
//
// All exported types are safe for concurrent use.
package mcphost

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// closeGrace is how long Close waits for handlers that ignore their context.
const closeGrace = 5 * time.Second

// BuiltinTool is an in-process tool for [Host.RegisterBuiltin].
type BuiltinTool = tools.Tool

// Host is the tool registry and runs every tool call. It owns one goroutine per external server, one per
// demoted tool and, with [WithRecalibration], one that repeats the calibration. Close stops all of them and
// waits.
type Host struct {
	opts     options
	cache    *cache
	running  inflight         // handlers on goroutines of their own
	executor mcp.ToolExecutor // see Everything
	snap     atomic.Pointer[BudgetEnforcer]

	mu       sync.Mutex // guards the fields below; never held across I/O
	builtins []*tool
	servers  []*server
	stats    map[string]*stats // by ownerOf(source, tool)
	names    *nameTable
	changed  chan struct{} // closed when snap is replaced
	closed   bool
	// During a calibration, tier changes are gathered so that one snapshot publishes many of them.
	calibrations int
	moved        map[*stats]struct{} // tools whose new tier is not published yet
	replaced     time.Time           // when snap was last replaced

	lifetime context.Context // ends with Close
	cancel   context.CancelFunc
	workers  sync.WaitGroup // supervisors, healers, the calibrator and publishers of tiers
}

type options struct {
	log         *slog.Logger
	ceilings    [2]time.Duration // highest P50 of FAST and of STANDARD
	floors      map[string]mcp.BudgetTier
	keeper      Keeper
	machine     string
	gate        Gate           // nil admits every call
	dial        Dialer         // nil uses the server's configuration
	mask        *config.Masker // removes secrets from failures that servers report
	recalibrate time.Duration  // 0 disables recalibration
}

// Option configures a Host.
type Option func(*options)

// WithLogger sets the logger of the host and of the servers' stderr. The default discards everything.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithCeilings sets the highest P50 of a FAST and of a STANDARD tool. The defaults are 500 ms and
// 1,500 ms.
func WithCeilings(fast, standard time.Duration) Option {
	return func(o *options) { o.ceilings = [2]time.Duration{fast, standard} }
}

// WithFloors overrides the declared floors of built-in tools, by registered name.
func WithFloors(floors map[string]mcp.BudgetTier) Option {
	return func(o *options) { o.floors = floors }
}

// Gate decides whether a call may reach a tool, and records the outcome. The host asks it after validating
// the arguments. A Gate must be safe for concurrent use.
type Gate interface {
	// Permits returns nil if the caller in ctx may see and call t. It does no I/O.
	Permits(ctx context.Context, t mcp.Target) error
	// Admit returns nil to admit a call, else the reason why not, usually a *[mcp.Refusal]. It may wait for
	// an approval until ctx ends.
	Admit(ctx context.Context, c *mcp.Call) error
	// Record is called once for every call that was passed to Admit, and for every call with invalid
	// arguments.
	Record(ctx context.Context, c *mcp.Call, res mcp.Result, err error)
}

// WithGate sets the gate. The default admits every call.
func WithGate(g Gate) Option { return func(o *options) { o.gate = g } }

// WithMask sets the secrets that are removed from failures reported by external servers. The default removes
// those that every [config.Masker] removes.
func WithMask(m *config.Masker) Option { return func(o *options) { o.mask = m } }

// New returns an empty host.
func New(opts ...Option) *Host {
	o := options{log: slog.New(slog.DiscardHandler), ceilings: [2]time.Duration{500 * time.Millisecond, 1500 * time.Millisecond}}
	for _, opt := range opts {
		opt(&o)
	}
	if o.keeper == nil {
		o.keeper = newMemoryKeeper()
	}
	h := &Host{opts: o, cache: newCache(), stats: map[string]*stats{}, moved: map[*stats]struct{}{}, names: newNameTable(), changed: make(chan struct{})}
	h.executor = executorFunc(h.ExecuteTool)
	h.lifetime, h.cancel = context.WithCancel(context.Background())
	h.snap.Store(newBudgetEnforcer(nil, h.names, o.ceilings, &BudgetEnforcer{}))
	if o.recalibrate > 0 {
		h.workers.Go(h.recalibrate)
	}
	return h
}

// Close stops every server and waits for all goroutines of the host. Later calls fail with [mcp.ErrClosed].
// Close returns an error if handlers that ignore their context still run after five seconds.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.builtins = nil
	for _, s := range h.servers {
		s.tools, s.awaitingApproval, s.formerTools = nil, nil, nil
	}
	h.replaceSnapshot()
	h.mu.Unlock()

	h.cancel()
	h.workers.Wait()
	select {
	case <-h.running.drain():
		return nil
	case <-time.After(closeGrace):
		return errors.New("closing the tool host: tool handlers ignore their context and still run")
	}
}

// inflight counts running handlers, and refuses new ones after drain.
type inflight struct {
	mu   sync.Mutex    // guards the fields below
	n    int           // running
	idle chan struct{} // closed when none runs; nil before drain
}

// begin reports whether a handler may start. If so, the caller must call end when the handler returns.
func (c *inflight) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle != nil {
		return false
	}
	c.n++
	return true
}

func (c *inflight) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.idle != nil {
		close(c.idle)
	}
}

// drain refuses new handlers and returns a channel that is closed once no handler runs. Call it only once.
func (c *inflight) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = make(chan struct{})
	if c.n == 0 {
		close(c.idle)
	}
	return c.idle
}
