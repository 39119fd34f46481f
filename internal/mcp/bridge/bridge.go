// Package bridge connects the tools of the host to a speech-to-speech session. It declares the tools to the
// session and runs the calls of its model:
//
//	b, err := bridge.NewBridge(host, session, mcp.BudgetFast, bridge.WithAllow(names))
//	defer b.Close()
//
// It executes only tools that were declared to the session. Calls never run in the session's receive loop,
// and each call is answered exactly once, whatever its outcome.
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

// Session is the part of [s2s.Session] that the bridge uses, with the same contracts.
type Session interface {
	SetTools(ctx context.Context, tools []llm.ToolDefinition) error
	OnToolCall(handle s2s.ToolCallHandler)
	SendToolResult(ctx context.Context, r s2s.ToolResult) error
}

// ErrClosed means the bridge is closed.
var ErrClosed = errors.New("the bridge is closed")

// defaultToolTimeout bounds a call of any tool.
const defaultToolTimeout = 30 * time.Second

// setUpTime bounds how long NewBridge takes to declare the tools to the session.
const setUpTime = 10 * time.Second

type options struct {
	toolTimeout time.Duration
	allow       []string
	restricted  bool // only the tools in allow exist
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

// WithToolTimeout bounds each tool call. The default, also for d ≤ 0, is 30 seconds.
func WithToolTimeout(d time.Duration) Option {
	return func(o *options) {
		if o.toolTimeout = d; d <= 0 {
			o.toolTimeout = defaultToolTimeout
		}
	}
}

// WithAllow restricts the tools to these, by registered name. The default is all tools.
func WithAllow(names []string) Option {
	return func(o *options) { o.allow, o.restricted = names, true }
}

// WithCaller sets the caller for whom tools run. The default is the operator.
func WithCaller(c mcp.Caller) Option { return func(o *options) { o.caller = c } }

// WithCeiling sets the bound on a call at each tier; 0 means none. Toolsets passed to BeginTurn have their
// own.
func WithCeiling(ceiling func(mcp.BudgetTier) time.Duration) Option {
	return func(o *options) { o.ceiling = ceiling }
}

// WithDeclared states the tools with which the session was opened, so they are not declared again.
func WithDeclared(tools []llm.ToolDefinition) Option {
	return func(o *options) { o.declared, o.known = tools, true }
}

// WithAside adds a tool after those of the host that runs nothing. Its calls are answered at once with the
// result of answer, silently if that is empty. They do not count towards a round and are not reported to the
// observer. answer must be safe for concurrent use and return at once. A nil tool adds none.
func WithAside(tool *llm.ToolDefinition, answer func() string) Option {
	return func(o *options) { o.aside, o.answerAside = tool, answer }
}

// WithLogger sets the logger for calls that could not be answered. The default discards.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// Bridge forwards a session's tool calls to the host. It is safe for concurrent use. It owns two goroutines
// for each running call and one that waits for the next; Close waits for them.
//
// Without BeginTurn, calls run as they arrive, all at once. An engine that answers turns marks the beginning
// and end of each, so that calls use the turn's tools, rounds and events.
type Bridge struct {
	host    *mcphost.Host
	session Session
	o       options

	base  context.Context // of calls; never ends, because calls are cancelled one by one
	life  context.Context // ends with Close
	end   context.CancelCauseFunc
	work  sync.WaitGroup // calls; added to under mu, unless closed
	close sync.Once

	declaring chan struct{} // semaphore, held while declaring tools to the session
	declared  []llm.ToolDefinition
	known     bool // declared is the session's list; both are guarded by telling

	next chan assignment // for an idle goroutine

	mu          sync.Mutex // guards the fields below; never held across I/O or a callback
	turn        *turn      // the turn of new calls; never nil
	calls       map[*call]struct{}
	running     int           // running handlers, at most MaxRound
	waits       bool          // an idle goroutine waits for next
	refused     int           // pending answers without a handler, at most maxRefused
	unanswered  int           // calls that have not been answered
	allAnswered chan struct{} // closed when owed falls to 0; nil without a waiter
	seen        recentIDs
	closed      bool
}

// NewBridge declares the host's tools that fit tier to the session and starts to handle their calls. It fails
// if the session does not accept the declaration within ten seconds. The caller keeps ownership of session
// and host, and must close the bridge before them.
func NewBridge(host *mcphost.Host, session Session, tier mcp.BudgetTier, opts ...Option) (*Bridge, error) {
	o := options{toolTimeout: defaultToolTimeout, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(&o)
	}
	b := &Bridge{
		host: host, session: session, o: o, declaring: make(chan struct{}, 1), next: make(chan assignment, 1), declared: o.declared, known: o.known, calls: map[*call]struct{}{},
	}
	b.base = mcp.WithCaller(context.Background(), o.caller)
	b.life, b.end = context.WithCancelCause(b.base)
	b.turn = &turn{tools: b.toolset(tier), base: b.base}
	ctx, cancel := context.WithTimeout(b.life, setUpTime)
	defer cancel()
	if err := b.declareTools(ctx, b.turn.tools); err != nil {
		b.end(ErrClosed)
		return nil, err
	}
	session.OnToolCall(b.handleToolCall)
	return b, nil
}

// toolset returns the tools that the session may use at tier.
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

// UpdateTier declares the tools that fit tier, also for the current turn; running calls are not affected. On
// an error nothing changes. The error wraps [s2s.ErrUnsupported] if only a new session can have different
// tools.
func (b *Bridge) UpdateTier(ctx context.Context, tier mcp.BudgetTier) error {
	if err := b.lockDeclaring(ctx); err != nil {
		return err
	}
	defer b.unlockDeclaring()
	ts := b.toolset(tier)
	// Change the callable tools before declaring them, so that the model is never refused a tool it was just
	// shown.
	b.mu.Lock()
	t := b.turn
	before := t.tools
	t.tools = ts
	b.mu.Unlock()
	err := b.declareTools(ctx, ts)
	if err != nil {
		b.mu.Lock()
		t.tools = before
		b.mu.Unlock()
	}
	return err
}

// BeginTurn starts a turn. From now on, calls go through ts, for as many rounds as the turn's tier allows,
// and are reported to observe. If the tools differ, they are declared to the session. BeginTurn ends an
// unfinished turn and waits until the calls of the previous one have been answered, because a model that
// still waits for a result would not answer. If BeginTurn fails, no turn has started; the error is as for
// UpdateTier.
//
// Calls run with the values of ctx and for its caller, or for that of WithCaller if ctx has none.
//
// Calls of tools that act at commit (docs/adr/0016) are accepted and reported, but not run. Each generation
// with calls must be ended with EndGeneration.
//
// Several goroutines may call observe at the same time. It must return at once and must not call the bridge.
// It is called for a call's start before its end, and for a round's end before the session can continue.
// Reports during EndTurn are meaningless.
func (b *Bridge) BeginTurn(ctx context.Context, ts *mcphost.Toolset, rounds int, observe func(engine.Event)) error {
	b.EndTurn()
	if err := b.awaitAnswers(ctx); err != nil {
		return err
	}
	if err := b.lockDeclaring(ctx); err != nil {
		return err
	}
	defer b.unlockDeclaring()
	if err := b.declareTools(ctx, ts); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.turn.phase = over // if two turns begin at once
	b.turn = &turn{phase: open, tools: ts, base: b.baseOf(ctx), rounds: engine.Rounds{Allowed: rounds}, observe: observe}
	return nil
}

// baseOf returns the context for a turn's calls. The caller and the account are those in ctx.
func (b *Bridge) baseOf(ctx context.Context) context.Context {
	base := context.WithoutCancel(ctx)
	if mcp.CallerFrom(ctx) == (mcp.Caller{}) {
		return mcp.WithCaller(base, b.o.caller)
	}
	return base
}

// awaitAnswers waits until every received call has been answered.
func (b *Bridge) awaitAnswers(ctx context.Context) error {
	b.mu.Lock()
	if b.unanswered == 0 {
		b.mu.Unlock()
		return nil
	}
	if b.allAnswered == nil {
		b.allAnswered = make(chan struct{})
	}
	settled := b.allAnswered
	b.mu.Unlock()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the calls of the turn before: %w", context.Cause(ctx))
	}
}

// EndGeneration marks that the model has made all calls of one answer. Call it where [s2s.GenerationDone] is
// received, before handling later events.
func (b *Bridge) EndGeneration() {
	b.mu.Lock()
	t := b.turn
	t.generated = t.calls > 0
	ended, observe := t.endRound()
	b.mu.Unlock()
	observeEvent(observe, ended)
}

// EndTurn ends the turn. It cancels running calls without waiting for them; each is still answered, silently,
// and so are all calls until the next turn begins. Without a turn it does nothing.
func (b *Bridge) EndTurn() {
	b.mu.Lock()
	if b.turn.phase == standing {
		b.mu.Unlock()
		return
	}
	b.turn.phase = over
	b.mu.Unlock()
	b.abandonSilently(errTurnOver, func(*call) bool { return true })
}

// CancelCalls cancels calls that the model has withdrawn. Each is still answered, silently. Finished calls
// and unknown ids are ignored.
func (b *Bridge) CancelCalls(ids ...string) {
	b.abandonSilently(errCallCancelled, func(c *call) bool { return slices.Contains(ids, c.ID) })
}

// Close detaches the bridge from the session, cancels running calls, and waits until each has been answered and
// all goroutines of the bridge have ended. It also waits for inline tools to return, because no deadline ends
// those. It does not close the session or the host.
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
		b.abandonSilently(ErrClosed, func(*call) bool { return true })
		b.end(ErrClosed)
		b.declaring <- struct{}{} // no tools are declared after this
		b.work.Wait()
	})
}

// lockDeclaring acquires the right to declare tools to the session. If it returns nil, the caller must call
// unlockDeclaring.
func (b *Bridge) lockDeclaring(ctx context.Context) error {
	select {
	case b.declaring <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.life.Done():
		return ErrClosed
	}
	if b.life.Err() != nil {
		b.unlockDeclaring()
		return ErrClosed
	}
	return nil
}

func (b *Bridge) unlockDeclaring() { <-b.declaring }

// declareTools declares the tools of ts to the session, unless it knows them. Callers hold telling.
func (b *Bridge) declareTools(ctx context.Context, ts *mcphost.Toolset) error {
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
	case errors.Is(err, s2s.ErrUnsupported): // the session keeps its tools
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
