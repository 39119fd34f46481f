package table

import "slices"

// phase is where a turn stands, and with it its attempt to answer: an attempt
// that its turn has given up has none. docs/table.md draws it.
type phase uint8

const (
	// arrived: its words are known and nothing is decided.
	arrived phase = iota
	// guessed: an answer is begun on words that are not final. Nothing is told,
	// no tool runs, nothing sounds.
	guessed
	// undecided: it is for nobody so far, and the player may go on.
	undecided
	// queued: its NPC is busy.
	queued
	// thinking: it is being answered, and there is nothing to hear yet.
	thinking
	// ready: it could be heard, but its player has more to say, or what it reacts
	// to is not heard yet.
	ready
	// asking: it waits for the floor.
	asking
	// speaking: it has the floor.
	speaking
	// spoken: all that was to be heard was heard. Its work may yet have to end.
	spoken
	// cut: it was stopped short. Its work has yet to end.
	cut
	// ending: what waited for its end is done, and what was said is kept.
	ending
	// over: its end was told.
	over

	phases
)

// exits are the phases that a phase may be left for, with who takes a turn there.
// A barge-in is answers.bargeIn, called by Table.carryOutFloor when the floor
// cuts a line; a turn ends with turns.endTurn.
var exits = [phases][]phase{
	arrived: {
		undecided, // turns.awaitContinuation
		queued,    // turns.queueTurn
		thinking,  // answers.startAnswer
		ending,    // turns.endUnanswered, turns.cancelQueued
		over,      // turns.endUnheard
	},
	guessed: {
		thinking, // answers.adoptGuess
		over,     // answers.dropGuess
	},
	undecided: {
		arrived, // turns.decideAnew
		ending,  // turns.endUndecided
	},
	queued: {
		arrived, // turns.beginQueued; turns.queueTurn, to make room; turns.editQueued and redirectTurn, if it is for another NPC now
		ending,  // turns.cancelQueued
		over,    // turns.editQueued, if it is taken back
	},
	thinking: {
		ready,   // answers.soundReady
		arrived, // answers.undoAnswer
		cut,     // answers.cutTurn
		ending,  // answers.endIfDone, with nothing to say
	},
	ready: {
		asking,  // answers.askFloor
		arrived, // answers.undoAnswer
		cut,     // answers.cutTurn
	},
	asking: {
		speaking, // answers.playLine
		ready,    // answers.holdTurn
		arrived,  // answers.undoAnswer
		cut,      // answers.cutTurn
	},
	speaking: {
		spoken,  // answers.takeNote
		arrived, // answers.undoAnswer, as long as nothing was heard
		cut,     // answers.cutTurn: bargeIn, failStalled, cutNPC, cutReactions and others
	},
	spoken: {
		cut,    // answers.cutTurn
		ending, // answers.endIfDone
	},
	cut: {
		ending, // answers.endIfDone
	},
	ending: {
		over, // turns.endTurn
	},
}

func (p phase) String() string {
	return [phases]string{
		"arrived", "guessed", "undecided", "queued", "thinking", "ready", "asking", "speaking", "spoken", "cut", "ending", "over",
	}[p]
}

// leadsTo reports whether a turn may go from p to next.
func (p phase) leadsTo(next phase) bool { return slices.Contains(exits[p], next) }

// isAnswering reports whether an answer is in the making or heard: it is no
// guess, and was not cut.
func (p phase) isAnswering() bool { return p >= thinking && p <= spoken }
