package table

import "slices"

// phase is the state of a turn, and with it the state of its current attempt; a dropped attempt has none.
// docs/table.md draws the phases.
type phase uint8

const (
	// arrived: its words are known and nothing is decided yet.
	arrived phase = iota
	// guessed: an answer was started on words that are not final. No event is emitted, no tool runs, no sound is
	// played.
	guessed
	// doubted: the judge is asked whom it is for. An answer may be prepared, as for a guess.
	doubted
	// weighed: it was said over the line of an NPC that it may be for. The line waits while the NPC's model
	// decides. An answer was started, as for guessed.
	weighed
	// undecided: it is for no NPC so far, and the player may go on.
	undecided
	// queued: its NPC is busy.
	queued
	// thinking: an answer is being prepared, and none of it can be heard yet.
	thinking
	// ready: the answer could be heard, but its player has more to say, or the answer it reacts to is not heard
	// yet.
	ready
	// asking: it waits for the floor.
	asking
	// speaking: it has the floor.
	speaking
	// spoken: the answer was played in full. Its goroutines may still be running.
	spoken
	// cut: the answer was stopped. Its goroutines are still running.
	cut
	// ending: the deferred calls run, and the lines are being stored.
	ending
	// over: its TurnEnded was emitted.
	over

	phases
)

// exits lists the phases that may follow each phase, with the methods of Table that change it. A barge-in is
// endBargedTurn, called by Table.applyFloorEffect when the floor cuts a line. A turn ends with endTurn.
var exits = [phases][]phase{
	arrived: {
		doubted,   // awaitJudge
		weighed,   // startRelevanceCheck
		undecided, // awaitContinuation
		queued,    // queueTurn
		thinking,  // startAnswer
		ending,    // endUnanswered, cancelQueued
		over,      // endUntranscribed; editDoubted, if the line is taken back
	},
	guessed: {
		doubted,  // adoptGuess, if the line is in doubt
		thinking, // adoptGuess
		over,     // dropGuess
	},
	doubted: {
		arrived,  // settle, undoDoubt
		thinking, // settle, if the prepared answer fits
	},
	weighed: {
		thinking,  // adoptRelevant
		arrived,   // queueUnresolved
		undecided, // resumePassage
		ending,    // endIrrelevant
	},
	undecided: {
		arrived, // rerouteContinued
		ending,  // endUndecided
	},
	queued: {
		arrived, // beginQueued; queueTurn, to make room; editQueued and redirectTurn, if it is for another NPC now
		ending,  // cancelQueued
		over,    // editQueued, if it is taken back
	},
	thinking: {
		ready,   // soundReady
		arrived, // undoAnswer
		cut,     // cutTurn
		ending,  // endIfDone, with nothing to say
	},
	ready: {
		asking,  // requestFloor
		arrived, // undoAnswer
		cut,     // cutTurn
	},
	asking: {
		speaking, // playLine
		ready,    // suspendAnswer
		arrived,  // undoAnswer
		cut,      // cutTurn
	},
	speaking: {
		spoken,  // handleLineEvent
		arrived, // undoAnswer, as long as nothing was heard
		cut,     // cutTurn: endBargedTurn, failStalled, cutNPC, cutReactions and others
	},
	spoken: {
		cut,    // cutTurn
		ending, // endIfDone
	},
	cut: {
		ending, // endIfDone
	},
	ending: {
		over, // endTurn
	},
}

func (p phase) String() string {
	return [phases]string{
		"arrived", "guessed", "doubted", "weighed", "undecided", "queued", "thinking", "ready", "asking", "speaking", "spoken", "cut", "ending", "over",
	}[p]
}

// leadsTo reports whether a turn may go from p to next.
func (p phase) leadsTo(next phase) bool { return slices.Contains(exits[p], next) }

// isAnswering reports whether an answer is being prepared or heard. It is false for a guess and a cut turn.
func (p phase) isAnswering() bool { return p >= thinking && p <= spoken }
