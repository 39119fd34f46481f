package table

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/floor"
)

// effect is an action that follows from a decision: an [Event] for the sink, [work] to start, or one of the
// types below.
type effect any

// Effects outside the table's state.
type (
	playLine  struct{ *attempt }
	pauseLine struct{ *attempt }
	duckLine  struct {
		*attempt
		down bool
	}
	stopLine struct{ *attempt }
	// cancelWork cancels an attempt's goroutines.
	cancelWork struct{ *attempt }
	// cancelInquiry cancels a question to the judge.
	cancelInquiry struct{ *inquiry }
	// confirmGuess allows an attempt that was a guess to run tools and to be heard.
	confirmGuess struct{ *attempt }
	// startEar starts the ear of a player who has taken a seat.
	startEar struct {
		seat    *Seat
		options JoinOptions
	}
	// listenAhead lets an engine listen to a player who seems to talk to its NPC. declineSound reports that the
	// sound was not for that NPC.
	listenAhead  struct{ engine.Ahead }
	declineSound struct {
		npc   config.NPC
		sound *engine.Recording
	}
	// turnFinished follows the end of a turn.
	turnFinished struct{ *turn }
)

// work runs on its own goroutine. The table waits for it.
type work interface {
	run(ctx context.Context, t *Table)
}

// Steps that the table carries out next itself.
type (
	// floorEffect is an effect of the floor other than a timer.
	floorEffect struct{ floor.Effect }
	// deliverRest delivers the sentences that were played in full before a line was stopped.
	deliverRest struct{ *attempt }
	// endIfDone ends a turn's answer if its attempt is done; commitTurn then commits the turn.
	endIfDone  struct{ *attempt }
	commitTurn struct{ *turn }
	// engineInterrupted ends a turn whose engine has detected an interruption itself.
	engineInterrupted struct{ *attempt }
	// utteranceComplete: all words of an utterance are known, and their effect on the line they were said over.
	utteranceComplete struct {
		seat    *Seat
		passage *passage
		text    string
		overlapDecision
	}
	// utteranceContinued is understood for an utterance that already has a turn.
	utteranceContinued utteranceComplete
	// utteranceTyped is understood for a utteranceTyped utterance.
	utteranceTyped struct {
		*turn
		overlapDecision
	}
)

// Effects that were put off, see [agenda].
type (
	// undecidedExpired: the player did not continue an utterance for no NPC.
	undecidedExpired struct{ *turn }
	// judgeExpired: the judge has not decided in time.
	judgeExpired struct{ *turn }
	// relevanceCheckExpired: an NPC's model did not decide in time whether an utterance is meant for it.
	relevanceCheckExpired struct{ *turn }
	// fillerDue: a turn's first sound is late.
	fillerDue struct{ *turn }
	// leaseExpired: an NPC's raise has expired.
	leaseExpired struct{ npc int }
	// floorTimer: one of the floor's timers has expired.
	floorTimer struct {
		timer  floor.Timer
		serial uint64
		set    time.Time
		played uint64 // frames played when it was set
	}
)

// effects is a queue of effects. They run one after the other, never while another effect runs or while the
// table decides something. Effects that follow from an effect go before those that waited already.
type effects struct {
	session  string
	whispers map[int64]bool // open turns that are whispers
	waiting  []effect
	insertAt int // where the next effect is inserted
}

// add adds an effect after those that were added since the last pop.
func (q *effects) add(e effect) {
	q.waiting = slices.Insert(q.waiting, q.insertAt, e)
	q.insertAt++
}

// pop removes and returns the next effect, and reports whether there is one.
func (q *effects) pop() (e effect, ok bool) {
	q.insertAt = 0
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

// whisper marks all further events of a turn as whispered.
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
