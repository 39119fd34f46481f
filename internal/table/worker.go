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
	// maxQueuedSentences is how many complete sentences may wait for the voice before the engine blocks.
	maxQueuedSentences = 32
	// soundAhead is how much sound may wait to be played before the next sentence is spoken: enough to hide a
	// slow voice, but not so much that an interruption wastes more than a sentence.
	soundAhead = 3 * time.Second
)

// worker does the work of one attempt on two goroutines: the engine's, which finds the words, and the
// voice's, which speaks them into the line. Neither reads state that belongs to Run.
type worker struct {
	table   *Table   // only for its Options, its work group and its inbox
	attempt *attempt // for reports, and to set voiced
	workOrder
	engineWork
	voiceWork

	voiceItems   chan voiceItem // from the engine's goroutine to the voice's
	clauseSpoken atomic.Bool    // the voice has spoken a clause alone
}

// workOrder is the task of a worker. It does not change.
type workOrder struct {
	npc        config.NPC
	heard      agent.Line
	puppet     bool // heard is said as it is, not answered
	history    agent.History
	recent     []memory.Line
	company    attendees
	found      retrieve.Found
	request    engine.Request
	excuseText string // said in place of an answer that failed; may be empty
	audible    bool   // the NPC is heard, not only shown
	ahead      bool   // the voice may speak the first sentence before the turn is confirmed

	account   *cost.Account // charged for all of the work
	trace     *tracing.Turn
	line      *mixer.Line
	confirmed <-chan struct{} // closed once the turn is no longer a guess
}

// engineWork belongs to the engine's goroutine.
type engineWork struct {
	patience  *answerTimeout // bounds the answer; nil outside of one
	hasSpoken bool           // the engine had something to say
	result    result
}

// voiceWork belongs to the voice's goroutine, apart from the atomics of own.
type voiceWork struct {
	phrase         <-chan string    // nil once the answer has begun
	answerDeadline <-chan time.Time // until then, an answer that has begun goes before a phrase; may be nil
	failed         bool             // the voice has failed, and that was reported
	spokenClause   string           // the clause that was spoken of the sentence that comes next
	engineVoice    engineVoice
}

// voiceItem is something for the voice to do: speak a sentence, or play an engine's own voice.
type voiceItem struct {
	sentence
	since       time.Time    // of a clause: the first token
	engineEvent engine.Event // [engine.Sound], [engine.Wording], [engine.Spoken] or [engine.Withdrawn]; nil for a sentence
}

// newWorker prepares the work of a turn's attempt.
func (t *Table) newWorker(tn *turn) *worker {
	a, o := tn.attempt, &t.o
	w := &worker{
		attempt: a, voiceItems: make(chan voiceItem, maxQueuedSentences),
		workOrder: workOrder{
			npc: tn.addressee.npc, puppet: tn.isPuppet(), account: tn.record.account, trace: tn.record.trace,
			line: a.line, confirmed: a.confirmed, audible: o.audible() && tn.kind != whisperTurn, ahead: tn.guesses.voiceAllowed && o.audible(),
			heard:   agent.Line{Speaker: tn.attribution(), Text: tn.Text, Tier: tn.plan.choice.Tier, MayDecline: tn.addressee.mayDecline, WhileSpeaking: tn.overlapped != nil, Rejected: tn.again.answers()},
			history: tn.historyBefore(), recent: t.transcript.before(tn), company: t.attendeesOf(tn), found: tn.plan.found,
			request: engine.Request{
				NPC: tn.addressee.npc, Persona: tn.addressee.agent.Persona(), Names: tn.addressee.agent.Names(), Tools: tn.plan.tools, Rounds: o.Latency.Rounds.Get(tn.plan.choice.Tier),
				ModelTimeout: time.Duration(o.Latency.ModelTimeout), Hurry: tn.plan.pace.Fallback, Confirmed: a.confirmed, Spoken: tn.words.sound,
				MayDecline: tn.addressee.mayDecline, Clauses: o.speakClauses() && tn.kind != whisperTurn, FirstSoundLate: tn.plan.pace.Cascade, Plain: tn.plan.choice.Plain() && !tn.plan.found.Offers() || tn.leader != nil,
				Background: t.conversation.backgroundOf(tn),
			},
		},
		voiceWork: voiceWork{phrase: a.phrase},
	}
	w.engineVoice.startAt.Store(-1)
	w.engineVoice.limit.Store(math.MaxInt64)
	if lines := tn.addressee.npc.Lines["unknown"]; len(lines) > 0 {
		w.excuseText = lines[int(tn.number)%len(lines)]
	}
	if tn.leader != nil {
		w.heard.Leader, w.heard.Answer = tn.leader.addressee.npc.Name, tn.leader.attempt.text()
		w.excuseText = ""
	}
	return w
}

// historyBefore returns the NPC's conversation up to a turn. If the turn was said over the NPC's line, that
// includes this line.
func (tn *turn) historyBefore() agent.History {
	h := tn.addressee.agent.Snapshot()
	if tn.overlapped == nil || tn.overlapped.turn.retention.lineRetracted { // the model must not get a line that was retracted
		return h
	}
	said := tn.overlapped.turn
	return h.With(agent.Exchange{Turn: said.number, Speaker: said.attribution(), Utterance: said.Text, Answer: tn.overlapped.spokenText() + " —"})
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
	if w.audible {
		w.request.Playback = engine.Playback{Heard: w.engineVoicePlayed, Ended: ctx.Done()}
	}
	spoken := make(chan struct{})
	w.table.work.Go(func() {
		defer close(spoken)
		w.speakSentences(ctx)
	})
	w.result.err = w.findAnswer(ctx)
	w.report(wordsEnded{w.result.err})
	declined := errors.Is(w.result.err, engine.ErrDeclined)
	if w.result.err != nil && !declined && !w.hasSpoken && !w.clauseSpoken.Load() && w.excuseText != "" && !w.puppet {
		w.sendToVoice(ctx, voiceItem{sentence: sentence{text: w.excuseText, kind: excuse}}) // rather than stay silent
	}
	close(w.voiceItems)
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
			w.sendToVoice(ctx, voiceItem{sentence: sentence{text: s}})
		}
		return context.Cause(ctx)
	}
	ctx, w.patience = newAnswerTimeout(ctx, time.Duration(o.Latency.TurnTimeout))
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
			if !w.hasSpoken && !token.IsZero() && !w.clauseSpoken.Load() {
				w.report(firstSentence{time.Since(token)})
			}
			w.hasSpoken = true
			if !w.sendToVoice(ctx, voiceItem{sentence: sentence{text: ev.Text}}) {
				return context.Cause(ctx)
			}
		case engine.Clause:
			if !w.sendToVoice(ctx, voiceItem{sentence: sentence{text: ev.Text, part: clause}, since: token}) {
				return context.Cause(ctx)
			}
		case engine.Withdrawn:
			w.withdrawEngineVoice(ev.At)
			if !w.sendToVoice(ctx, voiceItem{engineEvent: ev}) {
				return context.Cause(ctx)
			}
		case engine.Answering:
			if !w.sendToVoice(ctx, voiceItem{engineEvent: ev}) {
				return context.Cause(ctx)
			}
		case engine.Sound, engine.Wording, engine.Spoken:
			w.hasSpoken = true
			if !w.sendToVoice(ctx, voiceItem{engineEvent: ev}) {
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

// sendToVoice sends something to the voice and reports whether the voice received it. The wait for the voice does
// not count towards the time limit of the answer.
func (w *worker) sendToVoice(ctx context.Context, s voiceItem) bool {
	w.patience.pause()
	defer w.patience.resume()
	select {
	case w.voiceItems <- s:
		return true
	case <-ctx.Done():
		return false
	}
}

// answerTimeout is the time limit of an answer, without the time for which it is paused. A nil answerTimeout has no
// limit.
type answerTimeout struct {
	timer     *time.Timer
	remaining time.Duration
	since     time.Time
	cancel    context.CancelCauseFunc
}

func newAnswerTimeout(ctx context.Context, limit time.Duration) (context.Context, *answerTimeout) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &answerTimeout{remaining: limit, since: time.Now(), cancel: cancel}
	p.timer = time.AfterFunc(limit, func() { cancel(fmt.Errorf("the turn took longer than %s", config.Duration(limit))) })
	return ctx, p
}

func (p *answerTimeout) pause() {
	if p != nil && p.timer.Stop() {
		p.remaining -= time.Since(p.since)
	}
}

func (p *answerTimeout) resume() {
	if p != nil {
		p.since = time.Now()
		p.timer.Reset(max(p.remaining, 0))
	}
}

func (p *answerTimeout) stop() {
	p.timer.Stop()
	p.cancel(nil)
}

// attendees lists the people at a table when a turn begins. It does not change.
type attendees struct {
	npc     hotctx.Person // the NPC that answers
	others  []hotctx.Person
	players []string
}

// attendeesOf returns the people at the table besides the NPC that answers a turn. Players are those who spoke
// lately, the current speaker first.
func (t *Table) attendeesOf(tn *turn) attendees {
	with := attendees{npc: personOf(tn.addressee.npc), players: []string{nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads})}}
	for _, l := range slices.Backward(t.transcript.recent) {
		if name := nameOf(l); l.NPC == "" && t.o.Groups.Knows(l.Present, tn.addressee.npc.ID) && !slices.Contains(with.players, name) {
			with.players = append(with.players, name)
		}
	}
	for _, npc := range t.cast.npcsOf(t.cast.present()) {
		if npc.ID != tn.addressee.npc.ID {
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
