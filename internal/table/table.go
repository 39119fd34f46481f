// Package table runs one table: players speak, the right NPC answers, and
// every utterance ends in exactly one accounted turn.
//
//	t := table.New(table.Options{…})
//	go t.Run(ctx)
//	err := t.Hear(ctx, table.Utterance{Speaker: "Alice", Text: "Bartok, an ale!"})
//
// One goroutine, [Table.Run], owns all state of the table: who is addressed, what tier a turn gets, who has
// the floor. Other goroutines send it utterances, events of the ears, orders and reports. The work of turns,
// the ears of the players and the mixer run on goroutines that Run starts and waits for. The actions that Run
// decides on are added to its effects and carried out in one place.
//
// Turns are defined in turn.go, their phases and the methods that change them in phase.go, and answers in
// attempt.go and worker.go. The floor is package floor; floorcontrol.go connects it with turns. transcript.go
// decides which lines of a session are stored, and keeper.go stores them.
package table

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// maxLines bounds the lines of the DM that wait to be said.
	maxLines = 16
	// maxText bounds an utterance, in characters. The rest is cut with a notice.
	maxText = 1 << 20
	// storeTimeout bounds each write of lines, including after the end of the table's context.
	storeTimeout = 5 * time.Second
)

// ErrClosed is returned once the table no longer runs.
var ErrClosed = errors.New("the table is closed")

// Voices turn sentences into sound. Implementations must be safe for concurrent use, because several NPCs may
// prepare to speak at the same time.
type Voices interface {
	// Synthesize speaks one sentence as npc. It yields mono sound at audio.SampleRate while it is produced. A
	// non-nil error ends the sequence. Breaking the loop or cancelling ctx ends the work before the sequence
	// returns.
	Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error]
}

// Options configures a table. All fields are required unless they say otherwise.
type Options struct {
	Agents []*agent.Agent
	Engine engine.Engine
	Host   *mcphost.Host
	Log    memory.SessionLog
	// Spill stores the lines that Log rejects, until it accepts them. If nil, lines that still wait at the
	// table's end are lost.
	Spill   Spill
	Context *hotctx.Source
	// Retrieve searches rules and memory for each line that an NPC answers. If nil, nothing is searched before a
	// model is asked.
	Retrieve *retrieve.Searcher
	Sink     Sink
	Session  memory.Session
	Latency  config.Latency

	// Voices and Outlet make the NPCs audible. If either is nil, sentences are shown: each is delivered as soon
	// as it is complete.
	Voices Voices
	Outlet mixer.Outlet
	// Playback says how the outlet receives sound.
	Playback mixer.Options
	// Hearing recognises what players say. If nil, [Table.Join] returns [ErrNoRecognition].
	Hearing stt.Recogniser
	// Expect holds hints about the players' speech, besides the names of the NPCs.
	Expect stt.Options
	// EarlyFinals is ear.Options.Early.
	EarlyFinals int
	// Lane says how sound is divided into utterances.
	Lane ear.LaneOptions
	// Floor holds the times of turn-taking.
	Floor floor.Timing
	// Listener is the engine if it listens to players itself. If nil, engines get the words only.
	Listener engine.Listener
	// Hurries says that the engine can be asked to hurry (see engine.Request).
	Hurries bool

	// Cost counts the session's cost and knows whether a cap is passed. The table reports that, and the
	// engine acts on it. If nil, nothing is counted.
	Cost *cost.Meter

	// Scene returns the situation, at the beginning of every turn. If nil, the scene is empty.
	Scene func() string
	// Places says where NPCs are. If nil, the NPCs' own files do.
	Places Places
	// Groups says which groups NPCs belong to. If nil, they belong to none.
	Groups *memory.Groups
	// Date returns the day in the world. If nil, it is unknown.
	Date func() memory.Date
	// Languages are spoken at the table, as BCP 47 tags. If empty, they are English and German.
	Languages []string
	// Listening is how readily the NPCs answer lines that call none of them, at the beginning.
	Listening address.Listening
	// Judge decides whom a line is for if that is in doubt. If nil, the rules decide. A line waits at most
	// JudgeWait for it, and it is asked at most JudgeCalls times a minute.
	Judge      Judge
	JudgeWait  time.Duration
	JudgeCalls int
	// Leads is the player who leads the game; empty if that is unknown.
	Leads string
	// Characters returns the names of the players' characters, which call no NPC. It is called on the table's
	// goroutine and must not block. If nil, none are known.
	Characters func() []string
	// Known returns all NPCs of the campaign, at the table or not, whose names no player may use. It is called
	// on the table's goroutine and must not block. If nil, only the NPCs at the table are considered.
	Known func() []config.NPC
	// RecentLines is how many of the session's last lines an NPC is given.
	RecentLines int
	// Logger receives messages for operators. If nil, nothing is logged.
	Logger *slog.Logger
	// Tracer traces turns. If nil, none is traced.
	Tracer *tracing.Tracer
}

// Table is one table. Its exported methods are safe for concurrent use: they send a function to [Table.Run],
// and wait until it was called.
//
// The goroutine of Run owns the second group of fields and everything that they lead to. A type of
// this package belongs to that goroutine unless it says otherwise. Only that goroutine calls the
// methods of Table that are not exported, except order, orderNPCs, orderOne and edit, which call it.
type Table struct {
	o     Options // never changes
	inbox inbox
	mixer *mixer.Mixer
	work  sync.WaitGroup // goroutines of turns, ears and the mixer

	effects      *effects
	agenda       *agenda
	cast         *cast
	conversation *conversation
	seats        seats
	turns        turns
	queue        *queue
	leases       *leases
	planner      *planner
	costAccounts *costAccounts
	judgeClient  *judgeClient
	floor        *floorControl
	recentSpeech recentSpeech
	transcript   *transcript
}

// inbox holds the channels by which other goroutines send to Run. All are unbuffered, so that senders wait
// while Run is busy.
type inbox struct {
	typed   chan Utterance
	voices  chan earEvent // from the ears
	orders  chan order
	reports chan report   // from the goroutines of turns and edits
	closed  chan struct{} // closed once Run has ended
}

// recentSpeech is a table's memory of the NPCs' last sentences.
type recentSpeech struct {
	remarks    remarks      // to recognise their echo
	lines      spokenLines  // to take them back
	bases      bases        // to explain them
	phraseUsed map[int]bool // NPCs whose last words were a stock phrase: they do not say another
}

// order is a function for Run to call, for a caller who waits for it.
type order struct {
	do   func() error
	done chan error
}

// New returns a table. It does nothing until Run is called.
func New(o Options) *Table {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Scene == nil {
		o.Scene = func() string { return "" }
	}
	if o.Date == nil {
		o.Date = func() memory.Date { return memory.Date{} }
	}
	if o.Voices == nil || o.Outlet == nil {
		o.Voices, o.Outlet = nil, nil
	}
	times := o.Floor
	if times.Waiting == 0 {
		times.Waiting = maxWaitingLines(o.Agents)
	}
	effects, agenda, cast := &effects{session: o.Session.ID}, newAgenda(), &cast{slices.Clone(o.Agents)}
	t := &Table{
		o: o, mixer: mixer.New(o.Outlet, &o.Playback),
		inbox:   inbox{make(chan Utterance), make(chan earEvent), make(chan order), make(chan report), make(chan struct{})},
		effects: effects, agenda: agenda, cast: cast, conversation: newConversation(cast, o),
		seats: seats{bySpeaker: map[string]*Seat{}},
		turns: turns{log: o.Logger, open: map[int64]*turn{}, attempts: map[uint64]*attempt{}},
		queue: newQueue(), leases: &leases{cast: cast, agenda: agenda, effects: effects, running: map[int]agent.Lease{}},
		planner:      &planner{governor: cost.NewGovernor(), latency: o.Latency, host: o.Host, session: o.Session.ID, hurries: o.Hurries},
		costAccounts: &costAccounts{meter: o.Cost, effects: effects},
		judgeClient:  &judgeClient{judge: o.Judge, timeout: o.JudgeWait, maxPerMinute: o.JudgeCalls, meter: o.Cost},
		recentSpeech: recentSpeech{phraseUsed: map[int]bool{}},
	}
	t.floor = &floorControl{floor.New(times), effects, agenda, t.mixer}
	keeper := newLineWriter(o.Log, o.Spill, t.work.Go, func(k storageNotice) { t.inbox.reports <- report{finding: k} })
	t.transcript = &transcript{log: o.Log, writer: keeper, session: o.Session.ID, maxRecent: o.RecentLines, date: o.Date}
	return t
}

// Hear passes a typed utterance to the table. It returns ctx's error, or [ErrClosed] once the table no longer
// runs. A line with a User is refused with [ErrTooMuch] or [ErrFlood] if that player says too much. Without a
// User, Hear blocks while too many lines wait. An utterance that was not refused ends in exactly one
// [TurnEnded].
func (t *Table) Hear(ctx context.Context, u Utterance) error {
	if u.User != "" {
		return t.order(ctx, func() error {
			if err := t.admit(u); err != nil {
				return err
			}
			t.hearTyped(u)
			return nil
		})
	}
	select {
	case t.inbox.typed <- u:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.inbox.closed:
		return ErrClosed
	}
}

// hearTyped gives a typed utterance its turn, after the interruption that it causes, if any.
func (t *Table) hearTyped(u Utterance) {
	u = t.conversation.introduce(u)
	j := t.decideTypedOverlap(u)
	t.applyOverlap(j, u.Speaker)
	t.effects.add(utteranceTyped{newTurn(lineTurn, u, time.Now()), j})
}

// order makes Run call f, and returns f's error once the effects of f are carried out. Any goroutine except
// Run's may call it.
func (t *Table) order(ctx context.Context, f func() error) error {
	o := order{f, make(chan error, 1)}
	select {
	case t.inbox.orders <- o:
		return <-o.done
	case <-ctx.Done():
		return ctx.Err()
	case <-t.inbox.closed:
		return ErrClosed
	}
}

// Run runs the table until ctx ends. It then cancels the running turns, ends all waiting utterances, and
// returns once all goroutines that it started have ended. It is called once.
func (t *Table) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(cost.WithAccount(ctx, t.o.Cost.Account("")))
	defer t.work.Wait()
	defer stop()
	defer close(t.inbox.closed)
	defer t.agenda.timer.Stop()
	t.work.Go(func() {
		if err := t.mixer.Run(ctx); err != nil && ctx.Err() == nil {
			t.o.Logger.Error("playing", "reason", err)
		}
	})
	t.recall(ctx)
	for {
		t.applyEffects(ctx)
		typed := t.inbox.typed
		if t.queue.blocksLocalLines() {
			typed = nil
		}
		select {
		case u := <-typed:
			t.hearTyped(u)
		case h := <-t.inbox.voices:
			t.handleEarEvent(h)
		case o := <-t.inbox.orders:
			err := o.do()
			t.applyEffects(ctx)
			o.done <- err
		case r := <-t.inbox.reports:
			if ctx.Err() != nil { // work that was cancelled with the table has not failed
				t.close(ctx, r)
				return nil
			}
			t.handleReport(r)
		case <-t.mixer.Ready():
			t.handlePlayback(ctx)
		case <-t.agenda.due():
			for e, ok := t.agenda.popDue(); ok; e, ok = t.agenda.popDue() {
				t.effects.add(e)
				t.applyEffects(ctx)
			}
		case <-ctx.Done():
			t.close(ctx)
			return nil
		}
	}
}

// handlePlayback handles the mixer's notes since the last call.
func (t *Table) handlePlayback(ctx context.Context) {
	notes := t.mixer.DrainEvents(nil)
	for i, n := range notes {
		a := t.turns.attempts[n.Line]
		if a == nil || a.turn.phase == cut {
			continue // it was cut meanwhile
		}
		last := i+1 < len(notes) && notes[i+1].Line == n.Line && notes[i+1].Kind == mixer.Finished
		t.handleLineEvent(a, n, last)
		t.applyEffects(ctx)
	}
}

// applyEffects carries out the waiting effects, and those that follow from them. Only here does the table act on
// anything but its own state.
func (t *Table) applyEffects(ctx context.Context) {
	for e, ok := t.effects.pop(); ok; e, ok = t.effects.pop() {
		switch e := e.(type) {
		case Event:
			t.o.Sink.Emit(e)
		case *worker:
			e.attempt.cancel = e.startWork(ctx, t)
			t.turns.working++
		case *judgeWork:
			e.inquiry.cancel = e.start(ctx, t)
		case work:
			t.work.Go(func() { e.run(ctx, t) })
		case cancelWork:
			e.cancel(errAbandoned)
		case cancelInquiry:
			if e.cancel != nil {
				e.cancel(errAddresseeDecided)
			}
		case confirmGuess:
			close(e.confirmed)
		case startEar:
			e.seat.startEar(ctx, e.options)
		case listenAhead:
			t.o.Listener.ListenAhead(e.Ahead)
		case declineSound:
			t.o.Listener.Decline(e.npc, e.sound)
		case playLine:
			t.mixer.Play(e.line)
			t.seats.sealUtterance(e.turn)
		case pauseLine:
			t.mixer.Pause(e.line)
		case duckLine:
			t.mixer.Duck(e.line, e.down)
		case stopLine:
			t.mixer.Stop(e.line)
		default:
			t.handleStep(e)
		}
	}
}

// handleStep carries out an effect on the table's own state.
func (t *Table) handleStep(e effect) {
	switch e := e.(type) {
	case floorEffect:
		t.applyFloorEffect(e.Effect)
	case deliverRest:
		t.deliverRest(e.attempt)
	case engineInterrupted:
		if !t.floor.Stopping(e.attempt.id) { // otherwise the floor decides by the player's words
			t.endBargedTurn(e.attempt, t.seats.lastSpeaker)
		}
	case endIfDone:
		t.endIfDone(e.attempt)
	case commitTurn:
		t.commit(e.turn)
	case turnFinished:
		t.seats.sealUtterance(e.turn)
		t.forgetTurn(e.turn)
		if e.turn.ended != nil {
			close(e.turn.ended)
		}
	case utteranceComplete:
		t.acceptUtterance(e.seat, e.passage, e.text, e.overlapDecision)
	case utteranceContinued:
		t.continueTurn(e.seat, e.passage, e.text, e.overlapDecision)
	case utteranceTyped:
		t.admitUtterance(e.turn, e.overlapDecision)
	case spokenOrder:
		t.executeOrder(e)
	case undecidedExpired:
		t.endUndecided(e.turn)
	case judgeExpired:
		t.handleJudgeTimeout(e.turn)
	case relevanceCheckExpired:
		t.queueUnresolved(e.turn)
	case fillerDue:
		if line, _ := t.floor.Speaking(); line == 0 && !t.seats.anySpeaking() {
			t.fillLateAnswer(e.turn)
		}
	case leaseExpired:
		t.leases.expireLease(e.npc)
	case floorTimer:
		t.floorTimerFired(e)
	}
}
