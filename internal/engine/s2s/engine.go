// Package s2s answers turns with a speech-to-speech model: what a player says goes
// to it as sound, and its own voice is what is heard. Each NPC has a conversation
// of its own with the model, that lasts from turn to turn over as many sessions as
// it takes; nothing said there is answered unless the table says that it is meant.
// An answer the model cannot give, or is silent about, another engine gives in the
// same turn.
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

// Options adjust an [Engine]. The zero value suits conversation.
type Options struct {
	// Silence is how long the model may be silent before the fallback answers. If
	// zero, 3 s.
	Silence time.Duration
	// Idle is how long a session stays open that nobody uses. If zero, 5 minutes; at
	// most a minute for a duplex voice.
	Idle time.Duration
	// Age is how old a session gets before a new one takes its place between two
	// answers, unless its provider allows less. If zero, 20 minutes: all that was said
	// in it is charged again with each answer.
	Age time.Duration
	// ToolTimeout bounds a call. If zero, 30 s.
	ToolTimeout time.Duration
	// Voice returns the provider's name of an NPC's voice; nil for its usual one.
	Voice func(config.NPC) string
	// Language returns what an NPC speaks, as a BCP 47 tag; nil or empty if anything.
	Language func(config.NPC) string
	// Logger is told why sessions end. If nil, nobody is.
	Logger *slog.Logger
}

const (
	defaultSilence = 3 * time.Second
	defaultIdle    = 5 * time.Minute
	duplexIdle     = time.Minute
	defaultAge     = 20 * time.Minute
	defaultTool    = 30 * time.Second
)

// Engine answers turns with the sessions of one provider. It is safe for
// concurrent use, and owns a goroutine for each NPC that was spoken to; Close
// waits for them.
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
	refused       bool                     // it was said that the provider refuses
	conversations map[string]*conversation // by NPC
}

// New returns an engine that speaks with p's sessions and lets them use the tools
// of host. What they cannot answer, fallback does; where a provider's voice
// delegates its work, fallback does that too. The caller closes it before host.
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
	if e.able.Duplex { // it is charged by the time that it is open
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

// Close ends all sessions and waits for what they do. Turns under way end.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	e.work.Wait()
}

var errClosed = errors.New("the table is closing")

// conversationOf returns the conversation with an NPC; nil once the engine is
// closed.
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
		return // what it hears it answers, or cannot forget
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
		if err := awaitConfirmation(ctx, req.Go); err != nil {
			yield(nil, err)
			return
		}
		if req.Again {
			e.fallback.Answer(ctx, req)(yield)
			return
		}
		a := newAnswer(ctx, req)
		err := e.converse(ctx, a, yield)
		switch {
		case err == nil || errors.Is(err, errLeft):
			return
		case ctx.Err() != nil:
			yield(nil, context.Cause(ctx))
			return
		case errors.Is(err, engine.ErrDeclined):
			for _, lost := range a.lostCalls() {
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
		if errors.Is(err, errInterrupted) { // whether that ends what is heard, the table decides
			if rest := a.unfinished(); rest == nil || yield(*rest, nil) {
				yield(engine.Interrupted{}, nil)
			}
			return
		}
		if errors.Is(err, engine.ErrTooLong) { // nobody wants more of it
			if rest := a.unfinished(); rest == nil || yield(*rest, nil) {
				yield(nil, err)
			}
			return
		}
		e.o.Logger.Warn("another engine answers", "npc", req.NPC.ID, "provider", e.provider.Name(), "reason", err)
		if n := e.explain(req.NPC, err); n.Text != "" && !yield(n, nil) {
			return
		}
		for _, lost := range a.lostCalls() {
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

// explain says why another engine answers; once, if that will not change.
func (e *Engine) explain(npc config.NPC, err error) engine.Notice {
	why := userfile.OneLine(err)
	if !strings.Contains(why, e.provider.Name()) {
		why = e.provider.Name() + ": " + why
	}
	switch {
	case errors.Is(err, errTyped):
		return engine.Notice{} // as it is meant to be
	case !errors.Is(err, provider.ErrRejected):
		return engine.Notice{Level: "warning", Text: fmt.Sprintf("%s; %s answers with another model", why, npc.Name)}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refused {
		return engine.Notice{}
	}
	e.refused = true
	return engine.Notice{Level: "error", Text: why + "; NPCs answer with another model until this is mended and Glyphoxa is started again"}
}

// errLeft means that the consumer broke the loop.
var errLeft = errors.New("left")

// awaitConfirmation waits until a turn is no guess: a session cannot take back that
// it was asked.
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

// converse has the session answer and passes on what it says. An error other than
// errLeft says why it could not, or not to the end.
func (e *Engine) converse(ctx context.Context, a *answer, yield func(engine.Event, error) bool) error {
	c := e.conversationOf(a.req.NPC)
	if c == nil {
		return errClosed
	}
	defer a.leave()
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
		for _, ev := range a.takeEvents() {
			if !yield(ev, nil) {
				return errLeft
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
				a.giveUp()
				if e.able.Duplex && a.req.MayDecline && !a.hasSaid() {
					return engine.ErrDeclined // a voice that says nothing tells nobody
				}
				return fmt.Errorf("%w for %s", engine.ErrModelSilent, e.o.Silence)
			}
		}
	}
}
