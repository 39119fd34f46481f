package table_test

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// step is one piece of a scripted answer.
type step struct {
	after time.Duration
	text  string
	calls []llm.ToolCall
	err   error
	hang  bool
}

func calls(tool, args string) step {
	return step{calls: []llm.ToolCall{{ID: "c-" + tool, Name: tool, Arguments: args}}}
}

// script is a model with scripted answers.
type script func(req llm.Request) []step

func (script) Name() string { return "script" }

func (s script) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, st := range s(req) {
			if st.hang {
				<-ctx.Done()
			}
			select {
			case <-ctx.Done():
				yield(llm.Chunk{}, ctx.Err())
				return
			case <-time.After(st.after):
			}
			if !yield(llm.Chunk{Text: st.text, ToolCalls: st.calls}, st.err) || st.err != nil {
				return
			}
		}
	}
}

// says answers every line with one sentence.
func says(text string) script {
	return func(llm.Request) []step { return []step{{after: 100 * time.Millisecond, text: text}} }
}

// results returns the tool messages since the player's line.
func results(req llm.Request) []llm.Message {
	var out []llm.Message
	for _, m := range req.Messages {
		switch m.Role {
		case llm.RoleUser:
			out = nil
		case llm.RoleTool:
			out = append(out, m)
		}
	}
	return out
}

// journal is a session log in memory.
type journal struct {
	memory.SessionLog
	mu     sync.Mutex
	lines  []memory.Line
	err    error
	silent bool          // stores lines although it reports an error
	short  bool          // keeps the last 20 lines only
	takes  time.Duration // delay of each Append
	first  time.Duration // extra delay of the first Append
	// retract, if not nil, is called before a line is removed.
	retract func() error
}

func (j *journal) Append(_ context.Context, lines ...memory.Line) ([]memory.Line, error) {
	j.mu.Lock()
	takes := j.takes + j.first
	j.first = 0
	j.mu.Unlock()
	time.Sleep(takes)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil && !j.silent {
		return nil, j.err
	}
	j.lines = append(j.lines, lines...)
	if j.err != nil {
		return nil, j.err
	}
	if j.short {
		j.lines = slices.Clone(j.lines[max(0, len(j.lines)-20):])
	}
	return lines, nil
}

// AppendMissing appends the lines that are not stored yet.
func (j *journal) AppendMissing(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	j.mu.Lock()
	missing := slices.DeleteFunc(slices.Clone(lines), func(l memory.Line) bool {
		return slices.ContainsFunc(j.lines, func(there memory.Line) bool {
			return there.Turn == l.Turn && there.NPC == l.NPC && there.Speaker == l.Speaker && there.At.Equal(l.At)
		})
	})
	j.mu.Unlock()
	return j.Append(ctx, missing...)
}

// fail makes later calls fail with err, or succeed if err is nil.
func (j *journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = err
}

func (j *journal) RecentFor(ctx context.Context, session, _ string, n int) ([]memory.Line, error) {
	return j.Recent(ctx, session, n)
}

func (j *journal) Recent(_ context.Context, _ string, n int) ([]memory.Line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines[max(0, len(j.lines)-n):]), nil
}

func (j *journal) Retract(_ context.Context, _, ref string) (int, error) {
	if j.retract != nil {
		if err := j.retract(); err != nil {
			return 0, err
		}
	}
	return j.change(func(l *memory.Line) (hit, keep bool) { return l.Ref == ref, false }), nil
}

func (j *journal) Reword(_ context.Context, _, ref, text string) (int, error) {
	return j.change(func(l *memory.Line) (hit, keep bool) {
		if l.Ref == ref {
			l.Text = text
		}
		return l.Ref == ref, true
	}), nil
}

func (j *journal) Forget(_ context.Context, user string) (int, error) {
	return j.change(func(l *memory.Line) (hit, keep bool) { return l.User == user, false }), nil
}

// change calls f for each line, counts the hits and drops those that f does not keep.
func (j *journal) change(f func(*memory.Line) (hit, keep bool)) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []memory.Line
	for _, l := range j.lines {
		hit, keep := f(&l)
		if hit {
			n++
		}
		if !hit || keep {
			lines = append(lines, l)
		}
	}
	j.lines = lines
	return n
}

// kept returns the lines so far.
func (j *journal) kept() []memory.Line {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

func (j *journal) said() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, l := range j.lines {
		out = append(out, l.Speaker+": "+l.Text)
	}
	return out
}

// nowhere is an empty knowledge graph.
type nowhere struct{}

func (nowhere) FindEntities(context.Context, memory.EntityQuery) ([]memory.Entity, error) {
	return nil, nil
}

func (nowhere) Places(context.Context, string, ...string) (map[string]memory.Entity, error) {
	return nil, nil
}

func (nowhere) Inside(context.Context, string, string, int) ([]memory.Entity, error) { return nil, nil }

// events collects the table's events. If ended is set it only sends the ends of turns there.
type events struct {
	mu    sync.Mutex
	all   []table.Event
	ended chan *table.TurnEnded
}

func (e *events) Emit(ev table.Event) {
	if e.ended != nil {
		if ended, ok := ev.(*table.TurnEnded); ok {
			e.ended <- ended
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func of[T table.Event](e *events) []T {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []T
	for _, ev := range e.all {
		if v, ok := ev.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// room is a table under test: Mira at STANDARD with all tools, Bart at FAST with roll.
type room struct {
	*table.Table
	t       testing.TB
	events  *events
	journal *journal
	stop    context.CancelFunc
	done    chan error
	wrote   *int
	wire    *wire
	ears    *recognition
}

type setting struct {
	model  script
	engine engine.Engine // replaces the cascaded engine
	cost   *cost.Meter   // nil: no usage is counted
	// ownVoice creates Mira's engine with its own voice. Nil: Mira uses the common engine.
	ownVoice func(*mcphost.Host, engine.Engine) *s2s.Engine
	// recogniser wraps the room's ears, if not nil.
	recogniser func(stt.Recogniser) stt.Recogniser
	voice      table.Voices // nil: answers are text only
	journal    *journal
	aside      table.Spill
	alone      bool
	deaf       bool
	sink       table.Sink              // replaces events
	outlet     mixer.Outlet            // replaces the wire
	fillers    []string                // Mira's
	tools      []string                // additional tools of Mira's
	manner     config.Interruptibility // Mira's; yields and resumes if empty
	secrets    []config.KeptSecret     // Mira's
	guarded    *engine.GuardedOptions  // nil: answers are not checked
	preempts   config.Preemption       // the default if empty
	leads      string
	known      func() []config.NPC
	judge      table.Judge        // nil: the rules decide alone
	retrieve   *retrieve.Searcher // nil: no search before the model
}

func tool(name string, p50 int, effect tools.Effect, readOnly bool, h tools.Handler) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{Name: name, Parameters: map[string]any{
			"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string"}}, "additionalProperties": false}},
		Handler: h, DeclaredP50: p50, Effect: effect, ReadOnly: readOnly,
	}
}

func mira(s setting) config.NPC {
	if s.manner.Style == "" {
		s.manner = config.DefaultNPC().Interruptibility
	}
	speaksThrough := config.EngineCascaded
	if s.ownVoice != nil {
		speaksThrough = config.EngineS2S
	}
	return config.NPC{
		ID: "mira", Name: "Mira", Engine: speaksThrough, BudgetTier: mcp.BudgetStandard, Tools: append([]string{"roll", "rules", "write"}, s.tools...),
		Lines: map[string][]string{"unknown": {"I cannot say."}, "filler": s.fillers}, Interruptibility: s.manner,
		SecretKnowledge: s.secrets,
	}
}

func bart(s setting) config.NPC {
	return config.NPC{
		SecretKnowledge: s.secrets,
		ID:              "bart", Name: "Bartok the Barkeep", Aliases: []string{"Bart"}, BudgetTier: mcp.BudgetFast, Tools: []string{"roll", "rules"},
	}
}

// attendees returns agents for NPCs.
func attendees(npcs ...config.NPC) []*agent.Agent {
	var all []*agent.Agent
	for _, n := range npcs {
		all = append(all, agent.New(n, agent.Options{History: 4}))
	}
	return all
}

func open(t testing.TB, s setting) *room {
	t.Helper()
	r := &room{t: t, events: &events{}, done: make(chan error, 1), wrote: new(int), wire: &wire{}, ears: &recognition{after: 200 * time.Millisecond}}
	if s.sink == nil {
		s.sink = r.events
	}
	if s.outlet == nil {
		s.outlet = r.wire
	}
	if s.journal == nil {
		s.journal = &journal{}
	}
	r.journal = s.journal
	host := mcphost.New()
	for _, def := range []tools.Tool{
		tool("roll", 5, tools.EffectNow, true, func(context.Context, string) (string, error) { return `{"total":9}`, nil }),
		tool("rules", 900, tools.EffectNow, true, func(context.Context, string) (string, error) { return `{"rule":"x"}`, nil }),
		tool("write", 20, tools.EffectAtCommit, false, func(context.Context, string) (string, error) { *r.wrote++; return `{}`, nil }),
	} {
		if err := host.RegisterBuiltin(def); err != nil {
			t.Fatal(err)
		}
	}
	npcs := []config.NPC{mira(s), bart(s)}
	if s.alone {
		npcs = npcs[:1]
	}
	if s.engine == nil {
		s.engine = engine.NewCascaded(s.model, nil)
	}
	agents := attendees(npcs...)
	var hearing stt.Recogniser = r.ears
	switch {
	case s.deaf:
		hearing = nil
	case s.recogniser != nil:
		hearing = s.recogniser(hearing)
	}
	var ahead engine.Listener
	if s.ownVoice != nil {
		own := s.ownVoice(host, s.engine)
		t.Cleanup(own.Close)
		s.engine, ahead = byEngine{own, s.engine}, own
	}
	if s.guarded != nil {
		s.engine = engine.NewGuarded(s.engine, s.guarded)
	}
	latency := config.Default().Latency
	if s.preempts != "" {
		latency.Preemptive = s.preempts
	}
	r.Table = table.New(table.Options{
		Agents: agents, Engine: s.engine, Listener: ahead, Cost: s.cost, Host: host, Log: r.journal, Spill: s.aside, Context: hotctx.New(r.journal, nowhere{}),
		Voices: s.voice, Outlet: s.outlet, Hearing: hearing, Sink: s.sink, Session: memory.Session{ID: "s1"}, Latency: latency, RecentLines: 10,
		Logger: slog.New(strict{t}), Leads: s.leads, Known: s.known, Retrieve: s.retrieve,
		Judge: s.judge, JudgeWait: 700 * time.Millisecond, JudgeCalls: 20,
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(func() {
		r.close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// byEngine selects the engine of the NPC.
type byEngine struct{ own, cascaded engine.Engine }

func (b byEngine) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	if req.NPC.Engine == config.EngineS2S {
		return b.own.Answer(ctx, req)
	}
	return b.cascaded.Answer(ctx, req)
}

func (r *room) close() {
	r.stop()
	if err := <-r.done; err != nil {
		r.t.Error(err)
	}
	r.done <- nil
}

// hear sends a line and waits until its turn has ended.
func (r *room) hear(line string) *table.TurnEnded {
	r.t.Helper()
	n := len(of[*table.Heard](r.events))
	r.speak("Alice", line)
	for {
		if lines := of[*table.Heard](r.events); len(lines) > n {
			for _, e := range of[*table.TurnEnded](r.events) {
				if table.HeaderOf(e).Turn == table.HeaderOf(lines[n]).Turn {
					return e
				}
			}
		}
		time.Sleep(time.Millisecond) // virtual: inside a bubble
	}
}

func (r *room) speak(speaker, line string) {
	r.t.Helper()
	if err := r.Hear(r.t.Context(), table.Utterance{Speaker: speaker, Text: line}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) lastStart() *table.TurnStarted {
	all := of[*table.TurnStarted](r.events)
	return all[len(all)-1]
}
