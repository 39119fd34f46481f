// Package s2s answers turns with a speech-to-speech model, which receives what a player says as sound and
// answers in its own voice. Each NPC has its own conversation with the model, which lasts over many turns and
// as many sessions as it needs. The model answers only when the table asks it to. If it cannot answer, or is
// silent, another engine answers in the same turn.
//
//	e := s2s.New(provider, host, fallback, nil)
//	defer e.Close()
//	for ev, err := range e.Answer(ctx, req) {
//		// handle err; ev is for example an engine.Sound
//	}
package s2s

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Options configure an [Engine]. The defaults suit conversation.
type Options struct {
	// Silence is how long the model may be silent before the fallback answers. If zero, 3 s.
	Silence time.Duration
	// Idle is how long an unused session stays open. If zero, 5 minutes; at most one minute for a duplex voice.
	Idle time.Duration
	// Age is the age at which a session is replaced between two answers, unless its provider allows less. If
	// zero, 20 minutes. Sessions are replaced because everything said in one is charged again with each answer.
	Age time.Duration
	// ToolTimeout bounds a tool call. If zero, 30 s.
	ToolTimeout time.Duration
	// Voice returns the provider's name for an NPC's voice. If nil, the provider's default is used.
	Voice func(config.NPC) string
	// Language returns the language an NPC speaks, as a BCP 47 tag. If it is nil or returns "", any language is
	// allowed.
	Language func(config.NPC) string
	// Logger receives the reasons why sessions end. If nil, nothing is logged.
	Logger *slog.Logger
}

const (
	defaultSilence = 3 * time.Second
	defaultIdle    = 5 * time.Minute
	duplexIdle     = time.Minute
	defaultAge     = 20 * time.Minute
	defaultTool    = 30 * time.Second
)

// Engine answers turns with the sessions of one provider. It is safe for concurrent use. It owns a goroutine
// for each NPC that was spoken to; Close waits for them.
type Engine struct {
	provider provider.Provider
	able     provider.Capabilities
	host     *mcphost.Host
	fallback engine.Engine
	o        Options

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup

	mu            sync.Mutex // guards the fields below
	closed        bool
	refused       bool                     // the notice that the provider refuses was sent
	conversations map[string]*conversation // by NPC
}

// New returns an engine that uses p's sessions, which may call the tools of host. fallback answers if they
// cannot, and does the work that a provider's voice delegates. The caller must close the engine before host.
func New(p provider.Provider, host *mcphost.Host, fallback engine.Engine, o *Options) *Engine {
	e := &Engine{provider: p, able: p.Capabilities(), host: host, fallback: fallback, conversations: map[string]*conversation{}}
	if o != nil {
		e.o = *o
	}
	setDefault(&e.o.Silence, defaultSilence)
	setDefault(&e.o.Idle, defaultIdle)
	setDefault(&e.o.Age, defaultAge)
	setDefault(&e.o.ToolTimeout, defaultTool)
	if e.o.Logger == nil {
		e.o.Logger = slog.New(slog.DiscardHandler)
	}
	if e.able.Duplex { // a duplex session is charged by the time that it is open
		e.o.Idle = min(e.o.Idle, duplexIdle)
	}
	if most := e.able.Longest * 8 / 10; most > 0 {
		e.o.Age = min(e.o.Age, most)
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	return e
}

func setDefault(d *time.Duration, def time.Duration) {
	if *d <= 0 {
		*d = def
	}
}

// Close ends all sessions and running turns, and waits for their goroutines.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	e.work.Wait()
}

var errClosed = errors.New("the table is closing")

// conversationOf returns the conversation with an NPC; nil once the engine is closed.
func (e *Engine) conversationOf(npc config.NPC) *conversation {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	c, ok := e.conversations[npc.ID]
	if !ok {
		c = newConversation(e, npc)
		e.conversations[npc.ID] = c
		e.work.Go(func() { c.run(e.ctx) })
	}
	return c
}

// ListenAhead implements [engine.Listener].
func (e *Engine) ListenAhead(a engine.Ahead) {
	if !e.able.ManualTurns || !e.able.Clears {
		return // the provider would answer sound by itself, or could not forget it
	}
	if c := e.conversationOf(a.NPC); c != nil {
		c.order(func(ctx context.Context) { c.listen(ctx, a) })
	}
}

// Decline implements [engine.Listener].
func (e *Engine) Decline(npc config.NPC, sound *engine.Recording) {
	e.mu.Lock()
	c := e.conversations[npc.ID]
	e.mu.Unlock()
	if c != nil {
		c.order(func(ctx context.Context) { c.decline(ctx, sound) })
	}
}

// Answer implements [engine.Engine].
func (e *Engine) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		if err := awaitConfirmation(ctx, req.Confirmed); err != nil {
			yield(nil, err)
			return
		}
		if req.Retry {
			e.fallback.Answer(ctx, req)(yield)
			return
		}
		a := newAnswer(ctx, req)
		err := e.converse(ctx, a, yield)
		switch {
		case err == nil || errors.Is(err, errConsumerStopped):
			return
		case ctx.Err() != nil:
			yield(nil, context.Cause(ctx))
			return
		case errors.Is(err, engine.ErrDeclined):
			for _, lost := range a.endRunningCalls() {
				if !yield(lost, nil) {
					return
				}
			}
			yield(nil, err)
			return
		}
		if errors.Is(err, errClosed) {
			yield(nil, err)
			return
		}
		if errors.Is(err, errInterrupted) { // the table decides whether that ends playback
			if rest := a.unfinished(); rest == nil || yield(*rest, nil) {
				yield(engine.Interrupted{}, nil)
			}
			return
		}
		if errors.Is(err, engine.ErrTooLong) { // the rest is not wanted
			if rest := a.unfinished(); rest == nil || yield(*rest, nil) {
				yield(nil, err)
			}
			return
		}
		e.o.Logger.Warn("another engine answers", "npc", req.NPC.ID, "provider", e.provider.Name(), "reason", err)
		if n := e.explain(req.NPC, err); n.Text != "" && !yield(n, nil) {
			return
		}
		for _, lost := range a.endRunningCalls() {
			if !yield(lost, nil) {
				return
			}
		}
		if rest := a.unfinished(); rest != nil && !yield(*rest, nil) {
			return
		}
		req.Messages = a.continuation()
		for ev, err := range e.fallback.Answer(ctx, req) {
			if !yield(ev, err) {
				return
			}
		}
	}
}

// explain returns a notice that says why another engine answers. It is sent only once if the reason is
// permanent.
func (e *Engine) explain(npc config.NPC, err error) engine.Notice {
	why := userfile.OneLine(err)
	if !strings.Contains(why, e.provider.Name()) {
		why = e.provider.Name() + ": " + why
	}
	switch {
	case errors.Is(err, errTyped):
		return engine.Notice{} // this is expected
	case !errors.Is(err, provider.ErrRejected):
		return engine.Notice{Level: "warning", Text: fmt.Sprintf("%s; %s answers with another model", why, npc.Name)}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refused {
		return engine.Notice{}
	}
	e.refused = true
	return engine.Notice{Level: "error", Text: why + "; NPCs answer with another model until you fix this and restart Glyphoxa"}
}

// errConsumerStopped means that the consumer broke the loop.
var errConsumerStopped = errors.New("left")

// awaitConfirmation waits until a turn is no longer a guess, because a request to a session cannot be undone.
func awaitConfirmation(ctx context.Context, confirmed <-chan struct{}) error {
	if confirmed == nil {
		return nil
	}
	select {
	case <-confirmed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// converse makes the session answer and passes on its events. An error other than errLeft says why the answer
// is missing or incomplete.
func (e *Engine) converse(ctx context.Context, a *answer, yield func(engine.Event, error) bool) error {
	c := e.conversationOf(a.req.NPC)
	if c == nil {
		return errClosed
	}
	defer a.stopReceiving()
	silence := time.NewTimer(e.o.Silence)
	defer silence.Stop()
	select {
	case c.answers <- a:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.ctx.Done():
		return errClosed
	case <-silence.C:
		return fmt.Errorf("%w for %s", engine.ErrModelSilent, e.o.Silence)
	}
	for {
		for _, ev := range a.drainEvents() {
			if !yield(ev, nil) {
				return errConsumerStopped
			}
		}
		if done, err := a.result(); done {
			return err
		}
		silence.Reset(e.o.Silence)
		select {
		case <-a.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.ctx.Done():
			return errClosed
		case <-silence.C:
			if a.awaitsModel() {
				a.markReplaced()
				if e.able.Duplex && a.req.MayDecline && !a.hasOutput() {
					return engine.ErrDeclined // a duplex voice that declines sends nothing
				}
				return fmt.Errorf("%w for %s", engine.ErrModelSilent, e.o.Silence)
			}
		}
	}
}
