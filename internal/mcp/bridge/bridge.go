// Package bridge lets a speech-to-speech session use the tools of the host: it
// tells the session which there are, and runs what its model calls. Only what the
// session was told of is executed. Calls run beside the session, never in its
// receive loop, and each is answered exactly once, whatever becomes of it.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Session is what the bridge needs of a [s2s.Session]; the contracts are the same.
type Session interface {
	SetTools(ctx context.Context, tools []llm.ToolDefinition) error
	OnToolCall(handle s2s.ToolCallHandler)
	SendToolResult(ctx context.Context, r s2s.ToolResult) error
}

// ErrClosed means the bridge is closed.
var ErrClosed = errors.New("the bridge is closed")

// defaultToolTimeout bounds a call, whatever the tool.
const defaultToolTimeout = 30 * time.Second

// setUpTime bounds how long NewBridge takes to tell the session of its tools.
const setUpTime = 10 * time.Second

type options struct {
	toolTimeout time.Duration
	allow       []string
	restricted  bool // allow is all there is
	caller      mcp.Caller
	ceiling     func(mcp.BudgetTier) time.Duration
	declared    []llm.ToolDefinition
	known       bool
	log         *slog.Logger
	aside       *llm.ToolDefinition
	answerAside func() string
}

// Option configures a Bridge.
type Option func(*options)

// WithToolTimeout bounds each call of a tool. The default, and what is meant by a
// time that is not positive, is 30 seconds.
func WithToolTimeout(d time.Duration) Option {
	return func(o *options) {
		if o.toolTimeout = d; d <= 0 {
			o.toolTimeout = defaultToolTimeout
		}
	}
}

// WithAllow lists the only tools there are, by registered name. The default is
// all.
func WithAllow(names []string) Option {
	return func(o *options) { o.allow, o.restricted = names, true }
}

// WithCaller sets for whom the tools run. The default is the operator.
func WithCaller(c mcp.Caller) Option { return func(o *options) { o.caller = c } }

// WithCeiling sets what bounds a call at each tier; 0 is nothing. It does not
// matter for the toolsets given to BeginTurn, which have their own.
func WithCeiling(ceiling func(mcp.BudgetTier) time.Duration) Option {
	return func(o *options) { o.ceiling = ceiling }
}

// WithDeclared says which tools the session was opened with. They are not told
// again.
func WithDeclared(tools []llm.ToolDefinition) Option {
	return func(o *options) { o.declared, o.known = tools, true }
}

// WithAside lists a tool beside those of the host, as the last, that runs nothing: its
// calls are answered at once with what answer returns, silently if that is nothing. They
// count for no round, and no observer is told of them. answer may be called by any
// goroutine and must return at once. A nil tool is none.
func WithAside(tool *llm.ToolDefinition, answer func() string) Option {
	return func(o *options) { o.aside, o.answerAside = tool, answer }
}

// WithLogger sets where it is logged that a call could not be answered. The default
// discards.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// Bridge leads a session's tool calls to the host. It is safe for concurrent use.
// It owns two goroutines for each call under way, and one that waits for the next;
// Close waits for them.
//
// Without BeginTurn calls run as they come, all of them at once. An engine that
// answers turns says when each begins and ends, so that its tools, its rounds and
// its events are those of the turn.
type Bridge struct {
	host    *mcphost.Host
	session Session
	o       options

	base  context.Context // of calls; it does not end, they do
	life  context.Context // ends with Close
	end   context.CancelCauseFunc
	work  sync.WaitGroup // calls; added to under mu, unless closed
	close sync.Once

	telling  chan struct{} // holds who tells the session its tools
	declared []llm.ToolDefinition
	known    bool // declared is what the session knows; both are owned by who tells

	next chan assignment // for a goroutine that waits

	mu      sync.Mutex // guards the fields below; never held across I/O or a callback
	turn    *turn      // what calls are made for; never nil
	calls   map[*call]struct{}
	running int           // handlers under way, at most MaxRound
	waits   bool          // a goroutine waits for next
	refused int           // answers without a handler under way, at most maxRefused
	owed    int           // calls that came in and are not answered
	settled chan struct{} // closed once none is; nil if nobody waits for that
	seen    recentIDs
	closed  bool
}

// NewBridge tells the session the tools of the host that fit tier, and has their
// calls handled. It fails if the session does not take them within ten seconds.
// Session and host stay the caller's; Close the bridge before them.
func NewBridge(host *mcphost.Host, session Session, tier mcp.BudgetTier, opts ...Option) (*Bridge, error) {
	o := options{toolTimeout: defaultToolTimeout, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(&o)
	}
	b := &Bridge{
		host: host, session: session, o: o, telling: make(chan struct{}, 1), next: make(chan assignment, 1), declared: o.declared, known: o.known, calls: map[*call]struct{}{},
	}
	b.base = mcp.WithCaller(context.Background(), o.caller)
	b.life, b.end = context.WithCancelCause(b.base)
	b.turn = &turn{tools: b.toolset(tier), base: b.base}
	ctx, cancel := context.WithTimeout(b.life, setUpTime)
	defer cancel()
	if err := b.tellTools(ctx, b.turn.tools); err != nil {
		b.end(ErrClosed)
		return nil, err
	}
	session.OnToolCall(b.handleToolCall)
	return b, nil
}

// toolset is all the session may use at tier.
func (b *Bridge) toolset(tier mcp.BudgetTier) *mcphost.Toolset {
	o := mcphost.ToolsetOptions{Allow: b.o.allow, Tier: tier, Caller: b.o.caller}
	if !b.o.restricted {
		for _, d := range b.host.AvailableTools(tier) {
			o.Allow = append(o.Allow, d.Name)
		}
	}
	if b.o.ceiling != nil {
		o.Ceiling = b.o.ceiling(tier)
	}
	return b.host.Toolset(o)
}

// UpdateTier gives the session the tools that fit tier, for the turn under way as
// well; calls that already run end as they began. If it fails, nothing has changed;
// the error wraps [s2s.ErrUnsupported] if only another session can have other tools.
func (b *Bridge) UpdateTier(ctx context.Context, tier mcp.BudgetTier) error {
	if err := b.startTelling(ctx); err != nil {
		return err
	}
	defer b.stopTelling()
	ts := b.toolset(tier)
	// What the session may call is changed before it is told: a model must not be
	// refused what it was just shown.
	b.mu.Lock()
	t := b.turn
	before := t.tools
	t.tools = ts
	b.mu.Unlock()
	err := b.tellTools(ctx, ts)
	if err != nil {
		b.mu.Lock()
		t.tools = before
		b.mu.Unlock()
	}
	return err
}

// BeginTurn has calls made for a turn from now on: they go through ts, as many
// rounds as the turn's tier allows, and observe is told of each. The session learns
// its tools if they are others than before. A turn that was not ended ends, and the
// calls of the one before are answered before the next begins: a model that still
// waits for one would not answer. If BeginTurn fails no turn has begun; the error is as with UpdateTier.
//
// The calls run with the values of ctx, and for the caller in it; without one, for
// that of WithCaller.
//
// Calls of tools that act at commit (docs/adr/0015) are accepted and told, and not
// run. Each generation with calls is to be ended with EndGeneration.
//
// observe is called by several goroutines at a time, and must return at once without
// calling the bridge. It hears that a call is made before it hears how it ended, and
// of the round's end before the session can go on; what it is told while EndTurn
// runs means nothing any more.
func (b *Bridge) BeginTurn(ctx context.Context, ts *mcphost.Toolset, rounds int, observe func(engine.Event)) error {
	b.EndTurn()
	if err := b.awaitAnswers(ctx); err != nil {
		return err
	}
	if err := b.startTelling(ctx); err != nil {
		return err
	}
	defer b.stopTelling()
	if err := b.tellTools(ctx, ts); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.turn.phase = over // two that began at once
	b.turn = &turn{phase: open, tools: ts, base: b.baseOf(ctx), rounds: engine.Rounds{Allowed: rounds}, observe: observe}
	return nil
}

// baseOf is the context of a turn's calls: for whom they run, and who is charged, is
// what ctx says.
func (b *Bridge) baseOf(ctx context.Context) context.Context {
	base := context.WithoutCancel(ctx)
	if mcp.CallerFrom(ctx) == (mcp.Caller{}) {
		return mcp.WithCaller(base, b.o.caller)
	}
	return base
}

// awaitAnswers waits until each call that came in has been answered.
func (b *Bridge) awaitAnswers(ctx context.Context) error {
	b.mu.Lock()
	if b.owed == 0 {
		b.mu.Unlock()
		return nil
	}
	if b.settled == nil {
		b.settled = make(chan struct{})
	}
	settled := b.settled
	b.mu.Unlock()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the calls of the turn before: %w", context.Cause(ctx))
	}
}

// EndGeneration says that the model has made all calls of one answer. It belongs
// between that answer and what comes after it: where [s2s.GenerationDone] is
// received.
func (b *Bridge) EndGeneration() {
	b.mu.Lock()
	t := b.turn
	t.generated = t.calls > 0
	ended, observe := t.endRound()
	b.mu.Unlock()
	tellIf(observe, ended)
}

// EndTurn says that nobody waits for the turn's calls any more. It cancels those
// that run, and waits for nothing; each is still answered, silently, and so is
// whatever the session calls until the next turn begins. Without a turn it does
// nothing.
func (b *Bridge) EndTurn() {
	b.mu.Lock()
	if b.turn.phase == standing {
		b.mu.Unlock()
		return
	}
	b.turn.phase = over
	b.mu.Unlock()
	b.giveUpUnwanted(errTurnOver, func(*call) bool { return true })
}

// CancelCalls cancels calls that the model does not want any more. Each is still
// answered, silently. Calls that have ended, and ids nobody knows, are passed over.
func (b *Bridge) CancelCalls(ids ...string) {
	b.giveUpUnwanted(errTakenBack, func(c *call) bool { return slices.Contains(ids, c.ID) })
}

// Close has the session handle its calls itself, cancels those under way and waits
// until each is answered and nothing of the bridge is left. It waits for inline
// tools to return, which no deadline ends. Session and host are left alone.
func (b *Bridge) Close() {
	b.close.Do(func() {
		b.session.OnToolCall(nil)
		b.mu.Lock()
		b.closed = true
		b.turn.phase = over
		waits := b.waits
		b.waits = false
		b.mu.Unlock()
		if waits {
			b.next <- assignment{}
		}
		b.giveUpUnwanted(ErrClosed, func(*call) bool { return true })
		b.end(ErrClosed)
		b.telling <- struct{}{} // nobody tells the session anything after this
		b.work.Wait()
	})
}

// startTelling waits until nobody else tells the session its tools. If it returns
// nil, stopTelling is to be called.
func (b *Bridge) startTelling(ctx context.Context) error {
	select {
	case b.telling <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.life.Done():
		return ErrClosed
	}
	if b.life.Err() != nil {
		b.stopTelling()
		return ErrClosed
	}
	return nil
}

func (b *Bridge) stopTelling() { <-b.telling }

// tellTools tells the session what ts lists, unless it knows. It is called by who
// tells.
func (b *Bridge) tellTools(ctx context.Context, ts *mcphost.Toolset) error {
	tools := ts.Definitions()
	if b.o.aside != nil {
		tools = append(tools[:len(tools):len(tools)], *b.o.aside)
	}
	if b.known && slices.EqualFunc(b.declared, tools, equalDefinition) {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(ErrClosed) })()
	err := b.session.SetTools(ctx, tools)
	switch {
	case err == nil:
		b.declared, b.known = tools, true
	case errors.Is(err, s2s.ErrUnsupported): // it knows what it knew
	default:
		b.known = false
	}
	if err != nil {
		return fmt.Errorf("telling the session its tools: %w", err)
	}
	return nil
}

func equalDefinition(x, y llm.ToolDefinition) bool {
	return x.Name == y.Name && x.Description == y.Description && reflect.DeepEqual(x.Parameters, y.Parameters)
}
