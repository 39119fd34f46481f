// Package table runs one table: players speak, the right NPC answers, and
// every utterance ends in exactly one accounted turn.
//
// One goroutine, [Table.Run], owns all state of the table: who is addressed,
// what tier a turn gets, whose turn it is. Everyone else sends it utterances
// and orders. A turn's own work runs on goroutines that Run starts and waits
// for.
//
// Imported by internal/app, internal/discord, internal/console and
// internal/scenario.
package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxWaiting bounds the utterances waiting for an answer; Hear blocks when
	// they are that many.
	maxWaiting = 32
	// maxText bounds an utterance in characters; the rest is cut with a notice.
	maxText = 1 << 20
	// farewell bounds what a table does after its context ended: keeping what
	// was said.
	farewell = 5 * time.Second
)

// ErrClosed is returned once the table no longer runs.
var ErrClosed = errors.New("the table is closed")

// Speaker gives an NPC's sentence a voice.
type Speaker interface {
	// Speak returns when the sentence has been delivered. It calls started once,
	// when the first sound goes out; a speaker without sound never does.
	Speak(ctx context.Context, npc config.NPC, text string, started func()) error
}

// Options is what a table is made of. All are required unless they say otherwise.
type Options struct {
	Agents  []*agent.Agent
	Engine  engine.Engine
	Host    *mcphost.Host
	Log     memory.SessionLog
	Context *hotctx.Source
	Speaker Speaker
	Sink    Sink
	Session memory.Session
	// Scene says what is going on, at the beginning of every turn. If nil,
	// nothing particular is.
	Scene   func() string
	Latency config.Latency
	// Languages are spoken at the table, as BCP 47 tags. If empty, English and
	// German.
	Languages []string
	// RecentLines is how many lines of the session an NPC has in mind.
	RecentLines int
	// Logger receives what only operators care about. If nil, nothing is logged.
	Logger *slog.Logger
}

// Table is one table. Its methods are safe for concurrent use.
type Table struct {
	o      Options
	cast   []config.NPC
	heard  chan Utterance
	orders chan order
	done   chan struct{}

	work    sync.WaitGroup // goroutines of turns
	reports chan report    // from them, to Run

	// Owned by Run.
	waiting []waiting
	turns   int64
	hearing *hearing
	current *turn
}

// Utterance is something a player said.
type Utterance struct {
	Speaker string
	Text    string
}

// waiting is an utterance or a line to say that waits for its turn.
type waiting struct {
	Utterance
	turn  int64
	since time.Time
	// puppet is the agent that is made to say Text, -1 for an utterance.
	puppet int
}

// order is something the DM wants, run by the table's goroutine.
type order struct {
	do   func() error
	done chan error
}

// New returns a table; Run runs it.
func New(o Options) *Table {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Scene == nil {
		o.Scene = func() string { return "" }
	}
	var cast []config.NPC
	for _, a := range o.Agents {
		cast = append(cast, a.NPC)
	}
	return &Table{
		o: o, cast: cast, hearing: newHearing(o),
		heard: make(chan Utterance), orders: make(chan order), done: make(chan struct{}), reports: make(chan report),
	}
}

// Hear hands the table an utterance. It blocks while too many wait and returns
// ctx's error, or [ErrClosed] once the table no longer runs. Whatever becomes
// of the utterance is told by exactly one [TurnEnded].
func (t *Table) Hear(ctx context.Context, u Utterance) error {
	select {
	case t.heard <- u:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.done:
		return ErrClosed
	}
}

// order runs f in the table's goroutine.
func (t *Table) order(ctx context.Context, f func() error) error {
	o := order{f, make(chan error, 1)}
	select {
	case t.orders <- o:
		return <-o.done
	case <-ctx.Done():
		return ctx.Err()
	case <-t.done:
		return ErrClosed
	}
}

// Run runs the table until ctx ends. It then cancels the running turn, ends
// every waiting utterance, and returns once all it started has ended. It is
// called once.
func (t *Table) Run(ctx context.Context) error {
	defer t.work.Wait()
	defer close(t.done)
	for {
		if t.current == nil && len(t.waiting) > 0 {
			t.begin(ctx)
			continue
		}
		heard := t.heard
		if len(t.waiting) >= maxWaiting {
			heard = nil
		}
		select {
		case u := <-heard:
			t.hear(u)
		case o := <-t.orders:
			o.done <- o.do()
		case r := <-t.reports:
			t.take(r)
		case <-ctx.Done():
			t.close(ctx)
			return nil
		}
	}
}

// close ends the running turn and everything that waits. What players said
// while they waited is kept.
func (t *Table) close(ctx context.Context) {
	for t.current != nil { // its context has ended; it reports its end
		t.take(<-t.reports)
	}
	var lines []memory.Line
	for _, w := range t.waiting {
		if w.puppet < 0 && w.Text != "" {
			lines = append(lines, memory.Line{Session: t.o.Session.ID, Turn: w.turn, Speaker: w.Speaker, Text: w.Text, At: w.since})
		}
	}
	outcome, stage := OutcomeCancelled, "queue"
	if len(lines) > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if _, err := t.o.Log.Append(ctx, lines...); err != nil {
			outcome, stage = OutcomeFailed, "commit"
			t.Notice(0, "error", fmt.Sprintf("keeping what was said last: %v", err))
		}
	}
	for _, w := range t.waiting {
		var l Ledger
		l.TotalMS = millis(time.Since(w.since))
		l.judge(0, outcome, stage, time.Since(w.since))
		t.emit(w.turn, KindTurnEnded, &TurnEnded{Outcome: outcome, Ledger: l})
	}
	t.waiting = nil
}

func (t *Table) hear(u Utterance) {
	t.turns++
	number := t.turns
	text := untrusted.Clean(u.Text, maxText)
	u.Speaker = untrusted.Clean(u.Speaker, 100)
	if len([]rune(u.Text)) > maxText {
		t.Notice(number, "warning", fmt.Sprintf("the line was longer than %d characters; the rest was cut", maxText))
	}
	u.Text = text
	t.emit(number, KindUtterance, &Heard{Speaker: u.Speaker, Text: u.Text})
	t.waiting = append(t.waiting, waiting{Utterance: u, turn: number, since: time.Now(), puppet: -1})
}

// Notice emits a notice. Only the table's goroutine calls it while Run runs.
func (t *Table) Notice(turn int64, level, text string) {
	t.emit(turn, KindNotice, &Notice{Level: level, Text: text})
}

func (t *Table) emit(turn int64, kind string, e Event) {
	*e.header() = Header{Time: time.Now(), Kind: kind, Turn: turn}
	t.o.Sink.Emit(e)
}

// players counts the different players whose utterances wait.
func (t *Table) players() int {
	seen := map[string]bool{}
	for _, w := range t.waiting {
		if w.puppet < 0 {
			seen[w.Speaker] = true
		}
	}
	return len(seen)
}
