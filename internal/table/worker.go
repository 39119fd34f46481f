package table

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// ahead is how many complete sentences may wait for the voice before the engine blocks.
	ahead = 32
	// lookAhead is how much sound may wait to be played before the next sentence is spoken: enough to hide a
	// slow voice, but not so much that an interruption wastes more than a sentence.
	lookAhead = 3 * time.Second
)

// worker does the work of one attempt on two goroutines: the engine's, which finds the words, and the
// voice's, which speaks them into the line. Neither reads state that belongs to Run.
type worker struct {
	table   *Table   // only for its Options, its work group and its inbox
	attempt *attempt // for reports, and to set voiced
	brief
	engineWork
	voiceWork

	sayings     chan saying // from the engine's goroutine to the voice's
	spokeClause atomic.Bool // the voice has spoken a clause alone
}

// brief is the task of a worker. It does not change.
type brief struct {
	npc     config.NPC
	heard   agent.Line
	puppet  bool // heard is said as it is, not answered
	history agent.History
	recent  []memory.Line
	company company
	found   retrieve.Found
	request engine.Request
	unknown string // said in place of an answer that failed; may be empty
	voiced  bool   // the NPC is heard, not only shown
	ahead   bool   // the voice may speak the first sentence before the turn is confirmed

	account   *cost.Account // charged for all of the work
	trace     *tracing.Turn
	line      *mixer.Line
	confirmed <-chan struct{} // closed once the turn is no longer a guess
}

// engineWork belongs to the engine's goroutine.
type engineWork struct {
	patience *patience // bounds the answer; nil outside of one
	spoke    bool      // the engine had something to say
	result   result
}

// voiceWork belongs to the voice's goroutine, apart from the atomics of own.
type voiceWork struct {
	phrase <-chan string    // nil once the answer has begun
	soon   <-chan time.Time // until then, an answer that has begun goes before a phrase; may be nil
	failed bool             // the voice has failed, and that was reported
	begun  string           // the clause that was spoken of the sentence that comes next
	own    ownVoice
}

// saying is something for the voice to do: speak a sentence, or play an engine's own voice.
type saying struct {
	sentence
	since time.Time    // of a clause: the first token
	own   engine.Event // [engine.Sound], [engine.Wording], [engine.Spoken] or [engine.Withdrawn]; nil for a sentence
}

// newWorker prepares the work of a turn's attempt.
func (t *Table) newWorker(tn *turn) *worker {
	a, o := tn.attempt, &t.o
	w := &worker{
		attempt: a, sayings: make(chan saying, ahead),
		brief: brief{
			npc: tn.to.npc, puppet: tn.isPuppet(), account: tn.record.account, trace: tn.record.trace,
			line: a.line, confirmed: a.confirmed, voiced: o.voiced() && tn.kind != whisperTurn, ahead: tn.guesses.ahead && o.voiced(),
			heard:   agent.Line{Speaker: tn.attribution(), Text: tn.Text, Tier: tn.plan.choice.Tier, MayDecline: tn.to.mayDecline, Over: tn.over != nil, Unwanted: tn.again.answers()},
			history: tn.historyBefore(), recent: t.transcript.before(tn), company: t.companyOf(tn), found: tn.plan.found,
			request: engine.Request{
				NPC: tn.to.npc, Persona: tn.to.agent.Persona(), Names: tn.to.agent.Names(), Tools: tn.plan.tools, Rounds: o.Latency.Rounds.Get(tn.plan.choice.Tier),
				ModelTimeout: time.Duration(o.Latency.ModelTimeout), Hurry: tn.plan.pace.Fallback, Go: a.confirmed, Spoken: tn.words.sound,
				MayDecline: tn.to.mayDecline, Clauses: o.speakClauses() && tn.kind != whisperTurn, Late: tn.plan.pace.Cascade, Plain: tn.plan.choice.Plain() && !tn.plan.found.Offers() || tn.leader != nil,
				Background: t.conversation.backgroundOf(tn),
			},
		},
		voiceWork: voiceWork{phrase: a.phrase},
	}
	w.own.begins.Store(-1)
	w.own.limit.Store(math.MaxInt64)
	if lines := tn.to.npc.Lines["unknown"]; len(lines) > 0 {
		w.unknown = lines[int(tn.number)%len(lines)]
	}
	if tn.leader != nil {
		w.heard.Leader, w.heard.Answer = tn.leader.to.npc.Name, tn.leader.attempt.text()
		w.unknown = ""
	}
	return w
}

// historyBefore returns the NPC's conversation up to a turn. If the turn was said over the NPC's line, that
// includes this line.
func (tn *turn) historyBefore() agent.History {
	h := tn.to.agent.Snapshot()
	if tn.over == nil || tn.over.turn.kept.lineTakenBack { // the model must not get a line that was retracted
		return h
	}
	said := tn.over.turn
	return h.With(agent.Exchange{Turn: said.number, Speaker: said.attribution(), Utterance: said.Text, Answer: tn.over.told() + " —"})
}

// report sends a finding to the table's goroutine, which receives reports until the attempt's last one.
func (w *worker) report(f finding) { w.table.inbox.reports <- report{attempt: w.attempt, finding: f} }

// startWork starts an attempt's work, and returns the function that cancels it.
func (w *worker) startWork(ctx context.Context, t *Table) context.CancelCauseFunc {
	ctx, cancel := context.WithCancelCause(w.trace.With(ctx))
	t.work.Go(func() { w.run(ctx, t) })
	return cancel
}

// run finds the answer while the voice speaks it, and reports the end.
func (w *worker) run(ctx context.Context, t *Table) {
	w.table = t
	ctx = cost.WithAccount(mcp.WithCaller(ctx, w.caller()), w.account)
	if w.voiced {
		w.request.Playback = engine.Playback{Heard: w.heardOwn, Over: ctx.Done()}
	}
	spoken := make(chan struct{})
	w.table.work.Go(func() {
		defer close(spoken)
		w.speakSentences(ctx)
	})
	w.result.err = w.findAnswer(ctx)
	w.report(wordsEnded{w.result.err})
	declined := errors.Is(w.result.err, engine.ErrDeclined)
	if w.result.err != nil && !declined && !w.spoke && !w.spokeClause.Load() && w.unknown != "" && !w.puppet {
		w.pass(ctx, saying{sentence: sentence{text: w.unknown, kind: excuse}}) // rather than stay silent
	}
	close(w.sayings)
	<-spoken
	w.report(workEnded{&w.result})
}

func (w *worker) caller() mcp.Caller {
	return mcp.Caller{NPC: w.npc.ID, Session: w.table.o.Session.ID, Blind: w.npc.Senses.Blind}
}

// findAnswer finds the words of the answer, within the time limit of a turn.
func (w *worker) findAnswer(ctx context.Context) error {
	o := &w.table.o
	if w.puppet {
		var split speech.Splitter
		for _, s := range append(split.Push(w.heard.Text), split.Flush()...) {
			w.pass(ctx, saying{sentence: sentence{text: s}})
		}
		return context.Cause(ctx)
	}
	ctx, w.patience = newPatience(ctx, time.Duration(o.Latency.TurnTimeout))
	defer func() {
		w.patience.stop()
		w.patience = nil // later text is not part of the answer
	}()
	w.result.stage = "context"
	start := time.Now()
	most := agent.BoundsOf(w.heard.Tier)
	now, err := o.Context.Assemble(ctx, hotctx.Query{
		NPC: w.company.npc, Others: w.company.others, Players: w.company.players,
		Session: o.Session.ID, Scene: o.Scene(), Speaker: strings.TrimSuffix(w.heard.Speaker, hotctx.PlayerMark), Utterance: w.heard.Text,
		Recent: min(o.RecentLines, most.Lines), Entities: most.Entities, Lines: w.recent, Groups: o.Groups, Date: o.Date().Text, Blind: w.npc.Senses.Blind,
	})
	now.AddFound(w.found)
	took := time.Since(start) + w.found.Took
	if err != nil {
		w.report(contextRead{took: took})
		return err
	}
	w.report(contextRead{took, &now, w.history.Exchanges()})
	w.result.stage = "llm"
	w.request.Messages = w.history.Prompt(w.heard, now)
	w.request.Persona.Mind = append(w.request.Persona.Mind, latestFirst(now.Mind)...) // after the secrets it may tell
	w.request.Persona.Diary = latestFirst(now.Diary)
	return w.runEngine(ctx)
}

// runEngine runs the engine, reports its events and passes on its sentences.
func (w *worker) runEngine(ctx context.Context) error {
	var token time.Time
	for ev, err := range w.table.o.Engine.Answer(ctx, w.request) {
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		switch ev := ev.(type) {
		case engine.Sentence:
			if !w.spoke && !token.IsZero() && !w.spokeClause.Load() {
				w.report(firstSentence{time.Since(token)})
			}
			w.spoke = true
			if !w.pass(ctx, saying{sentence: sentence{text: ev.Text}}) {
				return context.Cause(ctx)
			}
		case engine.Clause:
			if !w.pass(ctx, saying{sentence: sentence{text: ev.Text, part: clause}, since: token}) {
				return context.Cause(ctx)
			}
		case engine.Withdrawn:
			w.withdrawOwn(ev.At)
			if !w.pass(ctx, saying{own: ev}) {
				return context.Cause(ctx)
			}
		case engine.Answering:
			if !w.pass(ctx, saying{own: ev}) {
				return context.Cause(ctx)
			}
		case engine.Sound, engine.Wording, engine.Spoken:
			w.spoke = true
			if !w.pass(ctx, saying{own: ev}) {
				return context.Cause(ctx)
			}
		case engine.ToolDeferred:
			w.result.deferred = append(w.result.deferred, ev.Call)
		case engine.FirstToken:
			token = time.Now()
			w.report(ev)
		default:
			w.report(ev)
		}
	}
	return nil
}

// pass sends something to the voice and reports whether the voice received it. The wait for the voice does
// not count towards the time limit of the answer.
func (w *worker) pass(ctx context.Context, s saying) bool {
	w.patience.pause()
	defer w.patience.resume()
	select {
	case w.sayings <- s:
		return true
	case <-ctx.Done():
		return false
	}
}

// patience is the time limit of an answer, without the time for which it is paused. A nil patience has no
// limit.
type patience struct {
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	cancel context.CancelCauseFunc
}

func newPatience(ctx context.Context, limit time.Duration) (context.Context, *patience) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &patience{left: limit, since: time.Now(), cancel: cancel}
	p.timer = time.AfterFunc(limit, func() { cancel(fmt.Errorf("the turn took longer than %s", config.Duration(limit))) })
	return ctx, p
}

func (p *patience) pause() {
	if p != nil && p.timer.Stop() {
		p.left -= time.Since(p.since)
	}
}

func (p *patience) resume() {
	if p != nil {
		p.since = time.Now()
		p.timer.Reset(max(p.left, 0))
	}
}

func (p *patience) stop() {
	p.timer.Stop()
	p.cancel(nil)
}

// company lists the people at a table when a turn begins. It does not change.
type company struct {
	npc     hotctx.Person // the NPC that answers
	others  []hotctx.Person
	players []string
}

// companyOf returns the people at the table besides the NPC that answers a turn. Players are those who spoke
// lately, the current speaker first.
func (t *Table) companyOf(tn *turn) company {
	with := company{npc: personOf(tn.to.npc), players: []string{nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads})}}
	for _, l := range slices.Backward(t.transcript.recent) {
		if name := nameOf(l); l.NPC == "" && t.o.Groups.Knows(l.Present, tn.to.npc.ID) && !slices.Contains(with.players, name) {
			with.players = append(with.players, name)
		}
	}
	for _, npc := range t.cast.npcsOf(t.cast.present()) {
		if npc.ID != tn.to.npc.ID {
			with.others = append(with.others, personOf(npc))
		}
	}
	return with
}

// nameOf returns a player's name as shown among the people at the table, where players need no mark.
func nameOf(l memory.Line) string {
	if l.DM {
		return hotctx.Attribution(l)
	}
	return l.Speaker
}

func personOf(n config.NPC) hotctx.Person {
	return hotctx.Person{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Place: n.Place}
}

// latestFirst returns texts in the opposite order.
func latestFirst(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Reverse(texts)
	return texts
}
