// Package table runs one table: players speak, the right NPC answers, and
// every utterance ends in exactly one accounted turn.
//
// One goroutine, [Table.Run], owns all state of the table: who is addressed,
// what tier a turn gets, who has the floor. Everyone else sends it utterances,
// what was heard of players, orders and reports. A turn's own work runs on
// goroutines that Run starts and waits for, and so do the ears of the players
// and the mixer.
//
// Imported by internal/app, internal/discord, internal/console and
// internal/scenario.
package table

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/lane"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/pace"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// maxWaiting bounds the utterances waiting for an answer; Hear blocks when
	// they are that many.
	maxWaiting = 32
	// maxLines bounds the lines of the DM's that wait to be said.
	maxLines = 16
	// maxText bounds an utterance in characters; the rest is cut with a notice.
	maxText = 1 << 20
	// farewell bounds what a table does after its context ended: keeping what
	// was said.
	farewell = 5 * time.Second
)

// ErrClosed is returned once the table no longer runs.
var ErrClosed = errors.New("the table is closed")

// Voices turn sentences into sound. Implementations are safe for concurrent
// use: NPCs may be getting ready to speak at the same time.
type Voices interface {
	// Synthesize speaks one sentence as npc: mono sound at audio.SampleRate, as
	// it is made. A non-nil error ends the sequence; breaking the loop or
	// cancelling ctx ends the work before the sequence returns.
	Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error]
}

// Options is what a table is made of. All are required unless they say otherwise.
type Options struct {
	Agents  []*agent.Agent
	Engine  engine.Engine
	Host    *mcphost.Host
	Log     memory.SessionLog
	Context *hotctx.Source
	Sink    Sink
	Session memory.Session
	Latency config.Latency

	// Voices and Outlet make the NPCs heard. If either is nil they are read: a
	// sentence is delivered as soon as it is complete.
	Voices Voices
	Outlet mixer.Outlet
	// Playback says how the outlet takes sound.
	Playback mixer.Options
	// Hearing recognises what players say. If nil, nobody can join by voice.
	Hearing stt.Provider
	// Expect is what is known of the players' speech beforehand, besides the names
	// of the NPCs.
	Expect stt.Options
	// Lane says how utterances are cut.
	Lane lane.Options
	// Floor are the times of taking turns.
	Floor floor.Timing
	// Hurries says that the engine can be asked to hurry (see engine.Request).
	Hurries bool

	// Scene says what is going on, at the beginning of every turn. If nil,
	// nothing particular is.
	Scene func() string
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
	heard  chan Utterance
	sounds chan heard // from the ears
	orders chan order
	done   chan struct{}
	mixer  *mixer.Mixer

	work    sync.WaitGroup // goroutines of turns, ears and the mixer
	reports chan report    // from turns, to Run

	// Owned by Run.
	agents   []*agent.Agent // in the order in which they came; those who left stay
	agenda   agenda
	floor    *floor.Floor
	pace     *pace.Governor
	hearing  *hearing
	notes    []mixer.Note
	waiting  []*turn // in order of arrival, for an NPC who is busy
	nobodys  []*turn // spoken, for nobody so far, and perhaps to be continued
	busy     map[int]*turn
	open     map[int64]*turn // turns that have begun and not ended
	leases   map[int]agent.Lease
	edited   <-chan struct{} // closed once the last edit is done; nil if there was none
	alive    int             // attempts whose goroutines have not ended
	turns    int64
	lines    uint64              // attempts so far, and so lines on the floor
	attempts map[uint64]*attempt // by line
	seats    map[string]*Seat    // by speaker
	voice    string              // who voiced last
	lately   []remark
	filled   map[int]bool  // NPCs whose last words were a filler
	recent   []memory.Line // the session's last, which nobody else writes; immutable
	closing  bool
}

// Utterance is something a player said.
type Utterance struct {
	Speaker string
	Text    string
	// User is who spoke and Ref the message it was written in, as the transport
	// knows them (see [memory.Line]); empty where there is none.
	User, Ref string
}

// order is something the DM wants, run by the table's goroutine.
type order struct {
	do   func(ctx context.Context) error
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
	times := o.Floor
	if times.Waiting == 0 {
		times.Waiting = maxWaitingLines(o.Agents)
	}
	if o.Voices == nil || o.Outlet == nil {
		o.Voices, o.Outlet = nil, nil
	}
	return &Table{
		o: o, agents: slices.Clone(o.Agents), mixer: mixer.New(o.Outlet, &o.Playback),
		heard: make(chan Utterance), sounds: make(chan heard), orders: make(chan order),
		done: make(chan struct{}), reports: make(chan report),
		agenda: newAgenda(), floor: floor.New(times), pace: pace.New(), hearing: newHearing(o),
		busy: map[int]*turn{}, open: map[int64]*turn{}, leases: map[int]agent.Lease{}, attempts: map[uint64]*attempt{}, seats: map[string]*Seat{}, filled: map[int]bool{},
	}
}

// Hear hands the table a typed utterance. It blocks while too many wait and
// returns ctx's error, or [ErrClosed] once the table no longer runs. Whatever
// becomes of the utterance is told by exactly one [TurnEnded].
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

// order runs f in the table's goroutine, with the context of Run.
func (t *Table) order(ctx context.Context, f func(ctx context.Context) error) error {
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

// Run runs the table until ctx ends. It then cancels the running turns, ends
// every waiting utterance, and returns once all it started has ended. It is
// called once.
func (t *Table) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer t.work.Wait()
	defer stop()
	defer close(t.done)
	defer t.agenda.timer.Stop()
	t.work.Go(func() {
		if err := t.mixer.Run(ctx); err != nil && ctx.Err() == nil {
			t.o.Logger.Error("playing", "reason", err)
		}
	})
	if err := t.recall(ctx); err != nil {
		t.Notice(0, "warning", err.Error())
	}
	for {
		heard := t.heard
		if len(t.waiting) >= maxWaiting {
			heard = nil
		}
		select {
		case u := <-heard:
			t.hear(ctx, u)
		case h := <-t.sounds:
			t.listen(ctx, h)
		case o := <-t.orders:
			o.done <- o.do(ctx)
		case r := <-t.reports:
			t.take(ctx, r)
		case <-t.mixer.Ready():
			t.played(ctx)
		case <-t.agenda.due():
			t.agenda.run()
		case <-ctx.Done():
			t.close(ctx)
			return nil
		}
	}
}

// close ends the running turns and everything that waits. What players said
// while they waited is kept.
func (t *Table) close(ctx context.Context) {
	t.closing = true
	kept := make(chan error, 1)
	t.leaveOff(ctx, nil, kept)
	t.drain(ctx)
	if err := <-kept; err != nil {
		t.Notice(0, "error", fmt.Sprintf("keeping what was said last: %v", err))
	}
	t.revokeAll()
}

// drain takes reports until nothing is at work.
func (t *Table) drain(ctx context.Context) {
	for t.alive > 0 || len(t.open) > 0 {
		t.take(ctx, <-t.reports)
	}
}

// hear takes in a typed utterance.
func (t *Table) hear(ctx context.Context, u Utterance) {
	tn := &turn{Utterance: u, since: time.Now()}
	t.admit(ctx, tn, false)
}

// admit gives an utterance its turn.
func (t *Table) admit(ctx context.Context, tn *turn, spoken bool) {
	tn.spoken = spoken
	t.number(tn, spoken)
	tn.began = time.Now()
	d := t.hearing.decide(tn.Utterance)
	t.route(ctx, tn, d)
}

// number makes a turn known: from here on it ends in one [TurnEnded].
func (t *Table) number(tn *turn, spoken bool) {
	t.turns++
	tn.number = t.turns
	text := untrusted.Clean(tn.Text, maxText)
	tn.Speaker = untrusted.Clean(tn.Speaker, 100)
	if len([]rune(tn.Text)) > maxText {
		t.Notice(tn.number, "warning", fmt.Sprintf("the line was longer than %d characters; the rest was cut", maxText))
	}
	tn.Text = text
	t.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: tn.Text, Spoken: spoken})
}

// Notice emits a notice. Only the table's goroutine calls it while Run runs.
func (t *Table) Notice(turn int64, level, text string) {
	t.emit(turn, KindNotice, &Notice{Level: level, Text: text})
}

func (t *Table) emit(turn int64, kind string, e Event) {
	*e.header() = Header{Time: time.Now(), Kind: kind, Turn: turn}
	t.o.Sink.Emit(e)
}

// players counts the different players who wait for an NPC, except for tn.
func (t *Table) players(tn *turn) int {
	seen := map[string]bool{}
	for _, w := range t.waiting {
		if w != tn && !w.puppet {
			seen[w.Speaker] = true
		}
	}
	for _, b := range t.busy {
		if b != tn && !b.puppet && !b.audible {
			seen[b.Speaker] = true
		}
	}
	return len(seen)
}

// heard is what an ear told, and whose it is.
type heard struct {
	seat *Seat
	ear.Event
}
