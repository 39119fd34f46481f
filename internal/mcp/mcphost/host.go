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
// A [Server] keeps an external MCP server connected, holds back definitions that the operator has
// not approved, and sends calls to it. Whatever such a server says or sends is untrusted, so it is
// bounded and cleaned (files upstream_*.go). A [Schema] checks arguments and results against the
// JSON Schema of a tool, whoever wrote it, within bounds (files schema*.go).
//
// The package decides no rights: a [Gate] does.
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

// BuiltinTool is an in-process tool to register.
type BuiltinTool = tools.Tool

// Host is the tool registry and runs every tool call. It owns one goroutine per external server,
// one per demoted tool and, with [WithRecalibration], one that measures again; Close stops them
// all and waits for them.
type Host struct {
	opts    options
	cache   *cache
	running inflight // handlers on goroutines of their own
	door    mcp.Door // see Everything
	snap    atomic.Pointer[BudgetEnforcer]

	mu       sync.Mutex // guards the fields below; never held across I/O
	builtins []*tool
	servers  []*server
	stats    map[string]*stats // by ownerOf(source, tool)
	names    *nameTable
	changed  chan struct{} // closed when snap is replaced
	closed   bool
	// While a calibration runs, tier changes are gathered so that one snapshot shows many.
	calibrations int
	moved        map[*stats]struct{} // tools whose new tier no snapshot shows yet
	replaced     time.Time           // when snap was last replaced

	lifetime context.Context // ends with Close
	cancel   context.CancelFunc
	workers  sync.WaitGroup // supervisors, healers and the calibrator
}

type options struct {
	log         *slog.Logger
	ceilings    [2]time.Duration // highest P50 of FAST and of STANDARD
	floors      map[string]mcp.BudgetTier
	keeper      Keeper
	machine     string
	gate        Gate           // nil lets every call pass
	dial        Dialer         // nil dials as configured
	mask        *config.Masker // for what servers report about their failures
	recalibrate time.Duration  // 0 never measures again
}

// Option configures a Host.
type Option func(*options)

// WithLogger sets where the host and the servers' stderr are logged. The default discards.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithCeilings sets the highest P50 of a FAST and of a STANDARD tool. The defaults are 500 ms and
// 1,500 ms.
func WithCeilings(fast, standard time.Duration) Option {
	return func(o *options) { o.ceilings = [2]time.Duration{fast, standard} }
}

// WithFloors sets the floor of built-in tools by registered name. It replaces the declared floor.
func WithFloors(floors map[string]mcp.BudgetTier) Option {
	return func(o *options) { o.floors = floors }
}

// Gate decides about every call that reaches a tool, and records how it ended. The host asks it
// after it has validated the arguments. A Gate is safe for concurrent use.
type Gate interface {
	// Permits returns nil if the caller of ctx may see and call t. It does no I/O.
	Permits(ctx context.Context, t mcp.Target) error
	// Admit lets a call pass or returns why not, usually a *[mcp.Refusal]. It may wait for an
	// approval, but no longer than ctx.
	Admit(ctx context.Context, c *mcp.Call) error
	// Record is called once for every call that Admit was asked about, and for every call with
	// invalid arguments.
	Record(ctx context.Context, c *mcp.Call, res mcp.Result, err error)
}

// WithGate sets the gate. The default lets every call pass.
func WithGate(g Gate) Option { return func(o *options) { o.gate = g } }

// WithMask sets which secrets are removed from what external servers report about their failures.
// The default removes what every [config.Masker] does.
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
	h.door = doorFunc(h.ExecuteTool)
	h.lifetime, h.cancel = context.WithCancel(context.Background())
	h.snap.Store(newBudgetEnforcer(nil, h.names, o.ceilings, &BudgetEnforcer{}))
	if o.recalibrate > 0 {
		h.workers.Go(h.recalibrate)
	}
	return h
}

// Close stops every server and waits for everything the host started. Later calls fail with
// [mcp.ErrClosed]. It returns an error if handlers that ignore their context still run after five
// seconds.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.builtins = nil
	for _, s := range h.servers {
		s.tools, s.held, s.lost = nil, nil, nil
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

// begin reports whether a handler may start. Its caller calls end when the handler is done.
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

// drain refuses new handlers and returns a channel that is closed when the running ones are done.
// It is called once.
func (c *inflight) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = make(chan struct{})
	if c.n == 0 {
		close(c.idle)
	}
	return c.idle
}
