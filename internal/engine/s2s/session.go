package s2s

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// live is an open session with its state.
type live struct {
	session provider.Session
	bridge  *bridge.Bridge
	system  string // the system prompt it was opened with
	voice   string
	tools   []string // the tools it was opened with
	opened  time.Time
	dropped map[string]bool // items of interrupted answers, whose further events are ignored
	leaving bool            // the provider is about to end it
	// mayDecline says that the current turn may end without an answer.
	mayDecline atomic.Bool
	events     chan received
	stop       context.CancelFunc
	done       chan struct{} // closed once the receiving goroutine has ended
}

// openSession makes sure that there is a session that knows the NPC and the conversation. It keeps the
// current one, unless that is too old, about to end, or knows something outdated. opening bounds how long it
// takes to open a new one.
func (c *conversation) openSession(ctx, opening context.Context, messages []llm.Message, edits int, tools *mcphost.Toolset) error {
	system, history := historyOf(messages)
	system += c.languageRule()
	if l := c.live; l != nil {
		missing, answered, ok := c.sessionKnowledge.missing(history, edits)
		switch {
		case l.leaving:
			c.endSession("the provider is about to end it")
		case time.Since(l.opened) >= c.engine.o.Age:
			c.endSession("it was open for too long")
		case l.system != system || l.voice != c.voice() || !ok:
			c.resumption = resumption{}
			c.endSession("what it knows has changed")
		case c.engine.able.ToolChange == provider.ToolsByNewSession && !slices.Equal(l.tools, namesOf(c.offer(tools).Definitions())):
			c.endSession("its tools have changed")
		case len(missing) == 0 || c.send(ctx, func(ctx context.Context) error { return l.session.Inject(ctx, missing...) }):
			if c.sessionKnowledge.history = history; answered {
				c.sessionKnowledge.asked = nil
			}
			return nil
		}
	}
	return c.connect(ctx, opening, system, knowledge{history: history, edits: edits}, tools)
}

// resumption says where a new session can resume.
type resumption struct {
	handle string // empty if it cannot resume
	knows  knowledge
}

// recordResumption records where a new session can resume. Parts of an answer that is not complete may be
// missing there.
func (c *conversation) recordResumption(handle string) {
	c.resumption = resumption{handle, c.sessionKnowledge}
	if c.turn != nil {
		c.resumption.knows.asked = nil
	}
}

// errSlow means that the provider took too long to open a session.
var errSlow = fmt.Errorf("%w: it opened no session in time", provider.ErrUnavailable)

// boundOpening returns a context for opening a session. It also ends when the engine is closed.
func (e *Engine) boundOpening(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.o.Silence, errSlow)
	stop := context.AfterFunc(e.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// connect opens a session.
func (c *conversation) connect(ctx, opening context.Context, system string, knows knowledge, tools *mcphost.Toolset) error {
	switch {
	case c.rejected != nil:
		return c.rejected
	case time.Now().Before(c.retry):
		return fmt.Errorf("%w; the next try is soon", provider.ErrUnavailable)
	}
	e := c.engine
	var missing []llm.Message
	if c.resumption.handle != "" { // a resumed session has its predecessor's knowledge
		var ok bool
		if missing, _, ok = c.resumption.knows.missing(knows.history, knows.edits); !ok {
			c.resumption = resumption{}
		}
	}
	allowed := c.offer(tools).Definitions()
	defs := e.toolsOf(allowed)
	o := provider.SessionOptions{Instructions: system, Voice: c.voice(), History: knows.history, Tools: defs, Resume: c.resumption.handle}
	if e.o.Language != nil {
		o.Language = e.o.Language(c.npc)
	}
	session, err := e.provider.Connect(opening, o)
	if err != nil {
		if errors.Is(context.Cause(opening), errSlow) {
			err = errSlow
		}
		c.resumption = resumption{}
		c.recordFailure(err)
		return err
	}
	receiving, stop := context.WithCancel(context.WithoutCancel(e.ctx)) // endSession cancels it after the last events
	l := &live{
		session: session, system: system, voice: o.Voice, tools: namesOf(allowed), opened: time.Now(), dropped: map[string]bool{},
		events: make(chan received, maxReceived), stop: stop, done: make(chan struct{}),
	}
	l.bridge, err = bridge.NewBridge(e.host, session, tools.Tier(), bridge.WithAside(e.aside(), l.answerSilence),
		bridge.WithAllow(namesOf(allowed)), bridge.WithCaller(mcp.Caller{NPC: c.npc.ID, Blind: c.npc.Senses.Blind}), bridge.WithToolTimeout(e.o.ToolTimeout),
		bridge.WithDeclared(defs), bridge.WithLogger(e.o.Logger))
	if err != nil {
		stop()
		return errors.Join(err, session.Close())
	}
	e.work.Go(func() {
		defer close(l.done)
		l.receive(receiving)
	})
	if c.live = l; len(missing) > 0 && !c.send(ctx, func(ctx context.Context) error { return session.Inject(ctx, missing...) }) {
		return fmt.Errorf("%w: it ended at once", provider.ErrUnavailable)
	}
	c.sessionKnowledge = knows
	e.o.Logger.Debug("opened a session", "npc", c.npc.ID, "provider", e.provider.Name())
	return nil
}

func namesOf(defs []llm.ToolDefinition) []string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	return names
}

func (c *conversation) voice() string {
	if f := c.engine.o.Voice; f != nil {
		return f(c.npc)
	}
	return ""
}

// languageRule keeps a voice from switching to another language.
func (c *conversation) languageRule() string {
	if f := c.engine.o.Language; f != nil {
		if tag := f(c.npc); tag != "" {
			return fmt.Sprintf("\nSpeak the language with the tag %q, whatever accent or noise you hear; change it only if you are clearly spoken to in another.\n", tag)
		}
	}
	return ""
}

// receive passes on the session's events until it ends.
func (l *live) receive(ctx context.Context) {
	for {
		ev, err := l.session.Recv(ctx)
		select {
		case l.events <- received{ev, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// endSession closes the session, if one is open.
func (c *conversation) endSession(why string) {
	l := c.live
	if l == nil {
		return
	}
	c.live, c.ahead, c.answeredRecording, c.played, c.sessionKnowledge = nil, nil, nil, nil, knowledge{}
	l.bridge.Close()
	if err := l.session.Close(); err != nil {
		c.engine.o.Logger.Debug("closing a session", "npc", c.npc.ID, "reason", err)
	}
	c.chargeLast(l)
	l.stop()
	<-l.done
	c.engine.o.Logger.Debug("closed a session", "npc", c.npc.ID, "reason", why)
}

// chargeLast charges the usage that a closed session still reports.
func (c *conversation) chargeLast(l *live) {
	patience := time.NewTimer(lastUsage)
	defer patience.Stop()
	for {
		select {
		case r := <-l.events:
			if used, ok := r.event.(provider.Usage); ok {
				c.charge(used)
			}
			if r.err != nil {
				return
			}
			continue
		case <-l.done:
			if len(l.events) > 0 {
				continue // events wait in the buffer
			}
		case <-patience.C:
		}
		return
	}
}

// handleSessionLoss handles that the session has ended by itself. A session that had lasted is replaced soon,
// because vendors end sessions regularly.
func (c *conversation) handleSessionLoss(err error) {
	if errors.Is(err, provider.ErrRejected) || c.live != nil && time.Since(c.live.opened) < shortLived {
		c.recordFailure(err)
	}
	c.endSession(err.Error())
	c.endTurn(err)
}

// recordFailure records what a failure means for the next try.
func (c *conversation) recordFailure(err error) {
	switch {
	case errors.Is(err, provider.ErrRejected):
		c.rejected = err
	case errors.Is(err, provider.ErrUnavailable), errors.Is(err, provider.ErrRateLimited):
		c.retry = time.Now().Add(retryAfter)
	}
}
