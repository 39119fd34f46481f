// Package mcphost runs the tools NPCs use: built-in Go functions and those of
// external MCP servers, in one registry that knows what each tool really costs
// and shows every caller only what fits its budget tier. How servers are reached
// and kept connected is the matter of package upstream.
package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mask"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// closeGrace is how long Close waits for handlers that ignore their context.
const closeGrace = 5 * time.Second

// BuiltinTool is an in-process tool to register.
type BuiltinTool = tools.Tool

// Host is the tool registry and the way to every tool. It is safe for
// concurrent use. It owns a goroutine per external server, one per demoted tool
// and one that calibrates again, if asked for; Close ends them all and waits for
// them.
type Host struct {
	opts  options
	cache *cache
	epoch time.Time // when the host was made
	snap  atomic.Pointer[BudgetEnforcer]

	mu       sync.Mutex // guards the fields below; never held across I/O
	builtins []*tool
	servers  []*server
	vitals   map[string]*vitals // by source and the tool's own name
	names    *register
	changed  chan struct{} // closed when snap is replaced
	closed   bool
	// While calibrations run, tools that move between tiers are gathered.
	calibrations int
	moved        map[*vitals]struct{} // showGathered will show these
	replaced     time.Time            // when snap last was

	life  context.Context // ends with Close
	end   context.CancelFunc
	owned sync.WaitGroup // supervisors, healers and the calibrator
	calls inflight       // handlers on goroutines of their own
}

type options struct {
	log      *slog.Logger
	ceilings [2]time.Duration
	floors   map[string]mcp.BudgetTier
	keeper   Keeper
	machine  string
	gate     Gate            // nil lets everything pass
	dial     upstream.Dialer // nil dials as configured
	mask     *mask.Masker    // of what servers say of their failures
	// recalibrate is how often tools are measured again; 0 is never.
	recalibrate time.Duration
}

// Option configures a Host.
type Option func(*options)

// WithLogger sets where the host and the servers' stderr are logged. The
// default discards.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithCeilings sets the P50 up to which a tool counts as FAST and as STANDARD.
// The defaults are 500 ms and 1,500 ms.
func WithCeilings(fast, standard time.Duration) Option {
	return func(o *options) { o.ceilings = [2]time.Duration{fast, standard} }
}

// WithFloors sets the floor of tools by registered name, over the declared one.
func WithFloors(floors map[string]mcp.BudgetTier) Option {
	return func(o *options) { o.floors = floors }
}

// Gate governs every call that reaches a tool, whoever makes it: it is asked
// once the arguments have been validated, and told how the call ended. It is
// safe for concurrent use.
type Gate interface {
	// Permits returns nil if who calls in ctx may see and call t. It is cheap.
	Permits(ctx context.Context, t mcp.Target) error
	// Admit lets a call pass or says why not, mostly with a *[mcp.Refusal]. It
	// may wait, but no longer than ctx.
	Admit(ctx context.Context, c *mcp.Call) error
	// Settle is told of every call that Admit was asked about, and of those with
	// invalid arguments.
	Settle(ctx context.Context, c *mcp.Call, res mcp.Result, err error)
}

// WithGate sets who governs calls. The default lets everything pass.
func WithGate(g Gate) Option { return func(o *options) { o.gate = g } }

// WithMask sets what is taken out of what external servers say of their failures. The
// default is what every [mask.Masker] takes out.
func WithMask(m *mask.Masker) Option { return func(o *options) { o.mask = m } }

// New returns an empty host.
func New(opts ...Option) *Host {
	o := options{log: slog.New(slog.DiscardHandler), ceilings: [2]time.Duration{500 * time.Millisecond, 1500 * time.Millisecond}}
	for _, opt := range opts {
		opt(&o)
	}
	if o.keeper == nil {
		o.keeper = newForgetful()
	}
	h := &Host{opts: o, cache: newCache(), vitals: map[string]*vitals{}, moved: map[*vitals]struct{}{}, names: newRegister(), changed: make(chan struct{}), epoch: time.Now()}
	h.life, h.end = context.WithCancel(context.Background())
	h.snap.Store(enforce(nil, h.names, o.ceilings, &BudgetEnforcer{}))
	if o.recalibrate > 0 {
		h.owned.Go(measurer{h}.recalibrate)
	}
	return h
}

// RegisterBuiltin adds in-process tools, all of them or none, in one step. It fails
// if a name is taken or malformed, or parameters are no JSON Schema of an object.
func (h *Host) RegisterBuiltin(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	all, taken := slices.Clone(h.builtins), namesOf(h.builtins)
	for _, def := range defs {
		name := def.Definition.Name
		if h.closed {
			return fmt.Errorf("registering tool %q: %w", name, mcp.ErrClosed)
		}
		t, err := h.prepareBuiltin(def, taken)
		if err != nil {
			return fmt.Errorf("registering tool %q: %w", name, err)
		}
		all = append(all, t)
	}
	h.builtins = all
	h.replaceSnapshot()
	return nil
}

// namesOf are the names that tools have themselves.
func namesOf(all []*tool) map[string]bool {
	names := make(map[string]bool, len(all))
	for _, t := range all {
		names[t.Definition.Name] = true
	}
	return names
}

// ReplaceWorkflows puts defs in the place of all workflows there were, in one
// step. It changes nothing if one of them cannot be registered.
func (h *Host) ReplaceWorkflows(defs ...BuiltinTool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return fmt.Errorf("registering workflows: %w", mcp.ErrClosed)
	}
	keep := slices.DeleteFunc(slices.Clone(h.builtins), func(t *tool) bool { return t.Kind == tools.KindWorkflow })
	taken := namesOf(keep)
	for _, def := range defs {
		t, err := h.prepareBuiltin(def, taken)
		if err != nil {
			return fmt.Errorf("registering workflow %q: %w", def.Definition.Name, err)
		}
		keep = append(keep, t)
	}
	h.builtins = keep
	h.replaceSnapshot()
	return nil
}

// prepareBuiltin prepares a definition whose name is none of taken, and adds that
// to them. Callers hold mu.
func (h *Host) prepareBuiltin(def BuiltinTool, taken map[string]bool) (*tool, error) {
	name, source := def.Definition.Name, mcp.SourceBuiltin
	if def.Kind == tools.KindWorkflow {
		source, def.Composite = mcp.SourceWorkflow, true
	}
	if def.Handler == nil && def.Respond == nil {
		return nil, errors.New("it has no handler")
	}
	if taken[name] {
		return nil, errors.New("the name is taken")
	}
	taken[name] = true
	if floor, ok := h.opts.floors[name]; ok {
		def.Floor = floor
	}
	return newTool(def, source, h.vitalsOf(source, name))
}

// vitalsOf returns what is known of a tool, from an earlier registration if
// there was one. Callers hold mu.
func (h *Host) vitalsOf(source, name string) *vitals {
	key := owner(source, name)
	v := h.vitals[key]
	if v == nil {
		if len(h.vitals) >= maxNames {
			return &vitals{} // a server that invents names is measured, not remembered
		}
		v = &vitals{}
		h.vitals[key] = v
	}
	return v
}

// AvailableTools returns the definitions of all tools that fit tier, ordered by
// name. The slice is shared: the caller must not change its elements.
func (h *Host) AvailableTools(tier mcp.BudgetTier) []llm.ToolDefinition {
	return h.snap.Load().Tools(tier)
}

// Close ends every server and waits for everything the host started. Later
// calls fail with [mcp.ErrClosed]. It returns an error if handlers that ignore
// their context still run after five seconds.
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

	h.end()
	h.owned.Wait()
	select {
	case <-h.calls.drain():
		return nil
	case <-time.After(closeGrace):
		return errors.New("closing the tool host: tool handlers ignore their context and still run")
	}
}

// inflight counts running handlers and refuses new ones once drained.
type inflight struct {
	mu   sync.Mutex    // guards the fields below
	n    int           // running
	idle chan struct{} // closed when none is left; nil before drain
}

// begin reports whether a handler may start; it then calls end when done.
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

// drain refuses new handlers and returns a channel that is closed when the
// running ones are done. It is called once.
func (c *inflight) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = make(chan struct{})
	if c.n == 0 {
		close(c.idle)
	}
	return c.idle
}
