package exam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// longestSitting bounds one attempt at a case. A turn has its own bound
	// (latency.turn_timeout); this one is for a table that hangs.
	longestSitting = 5 * time.Minute
	// longestWarming bounds the wait for open connections before the line is
	// said.
	longestWarming = 5 * time.Second
	// nothingToSay is an NPC's answer before the line of a case if the corpus
	// has none and the NPC may not be silent.
	nothingToSay = "Mhm."
)

// errUnanswered means that the turn failed for a reason other than the model.
var errUnanswered = errors.New("the table got no answer in time")

// attempt is the result of one attempt at a case.
type attempt struct {
	observed
	first time.Duration // from the request to the first piece of the answer
	whole time.Duration // from the player's line to the end of the answer
	paced bool          // a request was repeated, so the times are not the model's
	spent cost.Report
}

// sitting is a case in play at a table. It is the table's sink and wraps the
// table's model.
type sitting struct {
	c     *Case
	ended chan *table.TurnEnded

	mu       sync.Mutex // guards the fields below
	current  int64      // the turn of the case's line
	open     map[int64]bool
	replies  map[string]string
	live     bool // the case's line was said: the real model answers
	asked    time.Time
	skips    bool // the model is not needed
	got      observed
	requests []*request
	warm     chan struct{} // closed when the model's connections are open
	warmed   bool
}

// request is one request to the model.
type request struct {
	text        strings.Builder
	sent        int
	since       time.Time
	begun, over time.Time
	err         error // of the provider
	whole       bool  // the answer ended by itself
}

// play plays a case at its own table.
func (e *exam) play(ctx context.Context, c *Case) (a *attempt, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestSitting, fmt.Errorf("%w of %s", errUnanswered, longestSitting))
	defer cancel()
	dir, err := os.MkdirTemp(e.scratch, "case-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // leftovers are removed with the scratch folder
	if err := e.evenings.copyTo(ctx, c.Campaign, dir); err != nil {
		return nil, err
	}
	s := &sitting{c: c, ended: make(chan *table.TurnEnded, 64), warm: make(chan struct{}), open: map[int64]bool{}}
	game, err := play.Open(ctx, play.Options{
		Config: e.configFor(c, dir), Rules: e.rules, WrapModel: func(m llm.Provider) llm.Provider { return &model{m, s} },
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, game.Close()) }()
	session, err := game.StartSession(ctx, play.SessionOptions{Sink: s, Notify: func(string, string) {}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	for _, step := range c.Before {
		if _, err := s.say(ctx, session.Table, step.Speaker, step.Text, step.Replies, false); err != nil {
			return nil, err
		}
	}
	if c.Campaign != "" { // the first search reads the whole memory, which takes longer than a turn allows
		(&retrieve.Searcher{Log: game.Store}).Search(ctx, retrieve.Query{Caller: mcp.Caller{NPC: c.meant().ID}, Text: "What happened on the first evening?", Memory: true})
	}
	s.awaitWarm(ctx)
	end, err := s.say(ctx, session.Table, c.Speaker, c.Line, nil, true)
	if err != nil {
		return nil, err
	}
	a, err = s.outcome(end)
	a.spent = session.Cost()
	return a, err
}

// say lets a player say a line, and waits for the end of its turn and of the
// reactions to it.
func (s *sitting) say(ctx context.Context, t *table.Table, speaker, text string, replies map[string]string, live bool) (*table.TurnEnded, error) {
	s.mu.Lock()
	s.replies, s.live, s.asked = replies, live, time.Now()
	s.mu.Unlock()
	if err := t.Hear(ctx, table.Utterance{Speaker: speaker, Text: text}); err != nil {
		return nil, err
	}
	var mine *table.TurnEnded
	for {
		select {
		case end := <-s.ended:
			s.mu.Lock()
			if end.Turn == s.current {
				mine = end
			}
			over := mine != nil && len(s.open) == 0
			s.mu.Unlock()
			if over {
				return mine, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Emit implements [table.Sink].
func (s *sitting) Emit(e table.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := table.HeaderOf(e).Turn
	switch e := e.(type) {
	case *table.Heard:
		s.current = turn
	case *table.TurnStarted:
		s.open[turn] = true
	case *table.TurnEnded:
		delete(s.open, turn)
		select {
		case s.ended <- e:
		default: // a case has fewer turns than fit
		}
	}
	if !s.live || turn != s.current {
		return
	}
	switch e := e.(type) {
	case *table.TurnStarted:
		s.got.started = e
		s.skips = s.c.unneeded(e) != ""
	case *table.ToolCalled:
		s.got.calls = append(s.got.calls, call{tool: e.Tool})
	case *table.ToolFinished:
		i := slices.IndexFunc(s.got.calls, func(c call) bool { return c.tool == e.Tool && !c.ok && c.why == "" })
		if i >= 0 {
			s.got.calls[i].ok, s.got.calls[i].why = e.OK, e.Error
		}
	case *table.Guarded:
		s.got.guarded = append(s.got.guarded, e.Reason)
	case *table.Notice:
		s.got.notices = append(s.got.notices, e.Text)
	}
}

// outcome summarises the reaction to the case's line. The error is the
// provider's, or says that it was too slow.
func (s *sitting) outcome(end *table.TurnEnded) (*attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &attempt{observed: s.got}
	a.ended = end
	var failed error
	whole := false
	for _, r := range s.requests {
		a.raw = append(a.raw, r.text.String())
		a.paced = a.paced || r.sent > 1
		whole = whole || r.whole
		if failed == nil {
			failed = r.err
		}
		if a.first == 0 && !r.begun.IsZero() {
			a.first = r.begun.Sub(r.since)
		}
		if !r.over.IsZero() {
			a.whole = r.over.Sub(s.asked)
		}
	}
	if failed == nil && end.Outcome == table.OutcomeFailed && !whole && len(s.requests) > 0 {
		failed = fmt.Errorf("%w: %s", errUnanswered, strings.Join(s.got.notices, "; "))
	}
	return a, failed
}

// awaitWarm waits until the connections to the model are open, so that their
// handshake does not count as the model's time.
func (s *sitting) awaitWarm(ctx context.Context) {
	timer := time.NewTimer(longestWarming)
	defer timer.Stop()
	select {
	case <-s.warm:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answer returns a replacement for the model's answer, if the model is not
// needed.
func (s *sitting) answer(req llm.Request) (text string, instead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live && !s.skips {
		return "", false
	}
	if text := s.replies[req.Persona.Name]; text != "" {
		return text, true
	}
	mayBeSilent := slices.ContainsFunc(req.Messages, func(m llm.Message) bool {
		return m.Role == llm.RoleSystem && strings.Contains(m.Content, speech.SilentRule)
	})
	if mayBeSilent {
		return speech.Silent, true
	}
	return nothingToSay, true
}

// model is the language model of a sitting: before the case's line it answers
// from the corpus, afterwards it passes on and records the real model's
// answers.
type model struct {
	llm.Provider
	s *sitting
}

// Warm opens the connections of the real model.
func (m *model) Warm(ctx context.Context) error {
	defer func() {
		m.s.mu.Lock()
		defer m.s.mu.Unlock()
		if !m.s.warmed {
			m.s.warmed = true
			close(m.s.warm)
		}
	}()
	if w, ok := m.Provider.(interface{ Warm(context.Context) error }); ok {
		return w.Warm(ctx)
	}
	return nil
}

// Stream implements [llm.Provider].
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if text, instead := m.s.answer(req); instead {
			_ = yield(llm.Chunk{Text: text}, nil) && yield(llm.Chunk{FinishReason: "stop"}, nil)
			return
		}
		r := &request{since: time.Now()}
		m.s.mu.Lock()
		m.s.requests = append(m.s.requests, r)
		m.s.mu.Unlock()
		note := func(f func()) {
			m.s.mu.Lock()
			defer m.s.mu.Unlock()
			f()
		}
		defer note(func() { r.over = time.Now() })
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { note(func() { r.sent++ }) }})
		for chunk, err := range m.Provider.Stream(traced, req) {
			note(func() {
				if err != nil && ctx.Err() == nil {
					r.err = err
				}
				if r.begun.IsZero() && (chunk.Text != "" || len(chunk.ToolCalls) > 0) {
					r.begun = time.Now()
				}
				r.text.WriteString(chunk.Text)
			})
			if !yield(chunk, err) {
				return
			}
			if err != nil {
				return
			}
		}
		note(func() { r.whole = ctx.Err() == nil })
	}
}

// configFor is the configuration of a case's table: the user's settings for
// requests to the model and its limits; it uses no service but the model.
func (e *exam) configFor(c *Case, dir string) *config.Config {
	user, cfg := e.o.Config, config.Default()
	cfg.DataDir = dir
	cfg.Language = []string{c.Lang}
	cfg.Campaign.Name = c.Campaign
	for _, a := range c.Cast {
		cfg.NPCs = append(cfg.NPCs, a.npc())
	}
	cfg.Providers = config.Providers{LLM: e.llm, STT: named("none"), TTS: named("silent"), S2S: config.Provider{Name: "none"}, Embeddings: config.Provider{Name: "offline"}}
	cfg.Memory.Path = filepath.Join(dir, databaseName)
	cfg.Memory.RecentLines, cfg.Memory.History, cfg.Memory.Learn = user.Memory.RecentLines, user.Memory.History, config.LearnOff
	cfg.Table = config.Table{Listening: config.ListeningEager, Leads: c.Leads}
	cfg.Latency, cfg.Voice.MaxSpeech, cfg.Tools.Floors = user.Latency, user.Voice.MaxSpeech, user.Tools.Floors
	cfg.Cost = config.Cost{Currency: user.Cost.Currency, Prices: user.Cost.Prices}
	cfg.Server.Workflows = filepath.Join(dir, "workflows")
	return cfg
}

func named(name string) config.ProviderChain {
	return config.ProviderChain{Provider: config.Provider{Name: name}}
}

const databaseName = "glyphoxa.db"

// copyTree copies the files of a folder without subfolders.
func copyTree(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range entries {
		raw, err := os.ReadFile(filepath.Join(from, f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, f.Name()), raw, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
