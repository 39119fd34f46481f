package s2s

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// live is an open session with what belongs to it.
type live struct {
	session provider.Session
	bridge  *bridge.Bridge
	system  string // what it was told about the NPC
	voice   string
	tools   []string // it was opened with
	opened  time.Time
	dropped map[string]bool // items of answers that were interrupted: what still comes of them is not heard
	leaving bool            // the provider is about to end it
	events  chan received
	stop    context.CancelFunc
	done    chan struct{} // closed once nothing receives any more
}

// openSession sees to a session that knows who the NPC is and what was said. It
// keeps the one that is open, unless that is too old, about to end, or knows
// something that is not so any more.
func (c *conversation) openSession(ctx context.Context, messages []llm.Message, tools *mcphost.Toolset) error {
	system, history := historyOf(messages)
	system += c.languageRule()
	if l := c.live; l != nil {
		missing, ok := c.missingHistory(history)
		switch {
		case l.leaving:
			c.endSession("the provider is about to end it")
		case time.Since(l.opened) >= c.engine.o.Age:
			c.endSession("it has grown old")
		case l.system != system || l.voice != c.voice() || !ok:
			c.resume = ""
			c.endSession("what it knows is not so any more")
		case c.engine.able.ToolChange == provider.ToolsByNewSession && !slices.Equal(l.tools, namesOf(c.offer(tools).Definitions())):
			c.endSession("it cannot get other tools")
		case len(missing) == 0 || c.send(ctx, func(ctx context.Context) error { return l.session.Inject(ctx, missing...) }):
			c.known, c.asked = history, nil
			return nil
		}
	}
	return c.connect(ctx, system, history, tools)
}

// connect opens a session.
func (c *conversation) connect(ctx context.Context, system string, history []llm.Message, tools *mcphost.Toolset) error {
	switch {
	case c.rejected != nil:
		return c.rejected
	case time.Now().Before(c.retry):
		return fmt.Errorf("%w; it is tried again soon", provider.ErrUnavailable)
	}
	e := c.engine
	var missing []llm.Message
	if c.resume != "" { // it knows what its last session knew
		var ok bool
		if missing, ok = c.missingHistory(history); !ok {
			c.resume = ""
		}
	}
	defs := c.offer(tools).Definitions()
	o := provider.SessionOptions{Instructions: system, Voice: c.voice(), History: history, Tools: defs, Resume: c.resume}
	if e.o.Language != nil {
		o.Language = e.o.Language(c.npc)
	}
	ctx, cancel := context.WithTimeout(ctx, e.o.Silence)
	defer cancel()
	session, err := e.provider.Connect(ctx, o)
	if err != nil {
		c.resume = ""
		c.noteFailure(err)
		return err
	}
	br, err := bridge.NewBridge(e.host, session, tools.Tier(),
		bridge.WithAllow(namesOf(defs)), bridge.WithCaller(mcp.Caller{NPC: c.npc.ID}), bridge.WithToolTimeout(e.o.ToolTimeout),
		bridge.WithDeclared(defs), bridge.WithLogger(e.o.Logger))
	if err != nil {
		return errors.Join(err, session.Close())
	}
	receiving, stop := context.WithCancel(context.WithoutCancel(e.ctx)) // endSession ends it, after what comes last
	l := &live{
		session: session, bridge: br, system: system, voice: o.Voice, tools: namesOf(defs), opened: time.Now(), dropped: map[string]bool{},
		events: make(chan received, maxReceived), stop: stop, done: make(chan struct{}),
	}
	e.work.Go(func() {
		defer close(l.done)
		l.receive(receiving)
	})
	if c.live = l; len(missing) > 0 && !c.send(ctx, func(ctx context.Context) error { return session.Inject(ctx, missing...) }) {
		return fmt.Errorf("%w: it ended at once", provider.ErrUnavailable)
	}
	c.known, c.asked = history, nil
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

// languageRule keeps a voice from drifting into another language.
func (c *conversation) languageRule() string {
	if f := c.engine.o.Language; f != nil {
		if tag := f(c.npc); tag != "" {
			return fmt.Sprintf("\nSpeak the language with the tag %q, whatever accent or noise you hear; change it only if you are clearly spoken to in another.\n", tag)
		}
	}
	return ""
}

// receive passes on what the session tells until it ends.
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
	if c.live, c.ahead, c.told = nil, nil, nil; c.resume == "" {
		c.known, c.asked = nil, nil
	}
	l.bridge.Close()
	if err := l.session.Close(); err != nil {
		c.engine.o.Logger.Debug("closing a session", "npc", c.npc.ID, "reason", err)
	}
	c.chargeLast(l)
	l.stop()
	<-l.done
	c.engine.o.Logger.Debug("closed a session", "npc", c.npc.ID, "reason", why)
}

// chargeLast charges what a session that is closed has yet to tell.
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
		case <-l.done:
			return
		case <-patience.C:
			return
		}
	}
}

// loseSession takes in that the session has ended by itself. One that had lasted is
// soon replaced: vendors end sessions.
func (c *conversation) loseSession(err error) {
	if errors.Is(err, provider.ErrRejected) || c.live != nil && time.Since(c.live.opened) < shortLived {
		c.noteFailure(err)
	}
	c.endSession(err.Error())
	c.endTurn(err)
	c.played = nil
}

// noteFailure notes what a failure says about the next try.
func (c *conversation) noteFailure(err error) {
	switch {
	case errors.Is(err, provider.ErrRejected):
		c.rejected = err
	case errors.Is(err, provider.ErrUnavailable), errors.Is(err, provider.ErrRateLimited):
		c.retry = time.Now().Add(retryAfter)
	}
}

// missingHistory returns what has been said that the session does not know. It
// reports false if the session knows something that is not so: a line was taken back
// or reworded.
func (c *conversation) missingHistory(history []llm.Message) (missing []llm.Message, ok bool) {
	known := c.known
	if c.asked != nil {
		known = append(slices.Clip(known), *c.asked, llm.Message{Role: llm.RoleAssistant})
		if missing, ok = beyond(known, history); ok {
			return missing, true
		}
		known = c.known // it was answered, and nothing of the answer was kept
	}
	return beyond(known, history)
}

// beyond returns what follows in history on known, of which the beginning may have
// been forgotten. An answer without text in known stands for any: what was heard
// of it the session knows best.
func beyond(known, history []llm.Message) ([]llm.Message, bool) {
	for from := range len(known) + 1 {
		rest := known[from:]
		if from == len(known) && from > 0 {
			break // nothing in common is no agreement
		}
		if len(rest) <= len(history) && slices.EqualFunc(rest, history[:len(rest)], sameMessage) {
			return history[len(rest):], true
		}
	}
	return nil, len(known) == 0
}

func sameMessage(known, kept llm.Message) bool {
	if known.Role != kept.Role || known.Name != kept.Name {
		return false
	}
	return known.Role == llm.RoleAssistant && known.Content == "" || strings.TrimSpace(known.Content) == strings.TrimSpace(kept.Content)
}
