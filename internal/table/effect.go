package table

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
)

// effect is something to do because of what was decided: an [Event] to send to the sink, some
// [work] to start, or one of the types below.
type effect any

// What is done outside the table's state.
type (
	playLine  struct{ *attempt }
	pauseLine struct{ *attempt }
	duckLine  struct {
		*attempt
		down bool
	}
	stopLine struct{ *attempt }
	// cancelWork ends what an attempt's goroutines do.
	cancelWork struct{ *attempt }
	// cancelInquiry ends a question to the judge.
	cancelInquiry struct{ *inquiry }
	// confirmGuess lets an attempt run tools and be heard that was a guess.
	confirmGuess struct{ *attempt }
	// openEar has a player heard who has taken a seat.
	openEar struct {
		seat    *Seat
		options JoinOptions
	}
	// listenAhead has an engine listen to what a player says to its NPC, as it seems;
	// declineSound says that it was not for that NPC.
	listenAhead  struct{ engine.Ahead }
	declineSound struct {
		npc   config.NPC
		sound *engine.Recording
	}
	// turnOver follows the end of a turn.
	turnOver struct{ *turn }
)

// work runs on a goroutine of its own, which the table waits for.
type work interface {
	run(ctx context.Context, t *Table)
}

// What the table does next itself.
type (
	// floorEffect is what the floor wants, but for its timers.
	floorEffect struct{ floor.Effect }
	// deliverRest delivers what was said to its end before a line was stopped.
	deliverRest struct{ *attempt }
	// endIfDone ends a turn's answer if its attempt is done, and commitTurn then
	// the turn.
	endIfDone  struct{ *attempt }
	commitTurn struct{ *turn }
	// interruptedItself ends a turn whose engine let a player interrupt it.
	interruptedItself struct{ *attempt }
	// understood: all of an utterance is known, and whom it interrupts.
	understood struct {
		seat    *Seat
		passage *passage
		text    string
		judgement
	}
	// continued is understood for one whose turn goes on.
	continued understood
	// typed is understood for a typed utterance.
	typed struct {
		*turn
		judgement
	}
)

// What was put off, see [agenda].
type (
	// undecidedExpired: the player did not go on with an utterance for no NPC.
	undecidedExpired struct{ *turn }
	// judgeLate: the judge has not decided in time.
	judgeLate struct{ *turn }
	// weighingExpired: an NPC's model did not find in time whether an utterance is meant for it.
	weighingExpired struct{ *turn }
	// fillerDue: a turn's first sound is late.
	fillerDue struct{ *turn }
	// leaseExpired: the time of an NPC's raise is over.
	leaseExpired struct{ npc int }
	// floorTimer: a timer of the floor's has run out.
	floorTimer struct {
		timer  floor.Timer
		serial uint64
		set    time.Time
		played uint64 // frames by then
	}
)

// effects are a queue of what is to be carried out, one after the other: none while another is
// carried out or something is decided. What an effect leads to goes before what waited already.
type effects struct {
	session  string
	whispers map[int64]bool // open turns that are whispers
	waiting  []effect
	next     int // where the next goes
}

// add adds an effect after those that were added since the last pop.
func (q *effects) add(e effect) {
	q.waiting = slices.Insert(q.waiting, q.next, e)
	q.next++
}

// pop returns the effect that is next, and whether there is one.
func (q *effects) pop() (e effect, ok bool) {
	q.next = 0
	if len(q.waiting) == 0 {
		return nil, false
	}
	e = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return e, true
}

// emit sends an event to the sink.
func (q *effects) emit(turn int64, kind string, e Event) {
	*e.header() = Header{Time: time.Now(), Kind: kind, Turn: turn, Whisper: q.whispers[turn], Session: q.session}
	if kind == KindTurnEnded {
		delete(q.whispers, turn)
	}
	q.add(e)
}

// whisper marks the events of a turn as whispered from now on.
func (q *effects) whisper(turn int64) {
	if q.whispers == nil {
		q.whispers = map[int64]bool{}
	}
	q.whispers[turn] = true
}

// notify emits a [Notice].
func (q *effects) notify(turn int64, level, text string) {
	q.emit(turn, KindNotice, &Notice{Level: level, Text: text})
}
