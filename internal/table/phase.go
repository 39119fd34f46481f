package table

import "slices"

// phase is where a turn stands, and with it its attempt to answer: an attempt
// that its turn has given up has none. docs/table.md draws it.
type phase uint8

const (
	// arrived: its words are known and nothing is decided.
	arrived phase = iota
	// guessed: an answer is begun on words that are not final. No event is emitted,
	// no tool runs, nothing sounds.
	guessed
	// doubted: the judge is asked whom it is for. An answer may be in the making, as in a guess.
	doubted
	// weighed: it was said over the line of an NPC that it may be for. The line waits, and
	// the NPC's model decides: an answer is begun as for guessed.
	weighed
	// undecided: it is for no NPC so far, and the player may go on.
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
	// over: its TurnEnded was emitted.
	over

	phases
)

// exits are the phases that a phase may be left for, each with the method of Table that does
// it. A barge-in is bargeIn, called by Table.carryOutFloor when the floor
// cuts a line; a turn ends with endTurn.
var exits = [phases][]phase{
	arrived: {
		doubted,   // awaitJudge
		weighed,   // weighTurn
		undecided, // awaitContinuation
		queued,    // queueTurn
		thinking,  // startAnswer
		ending,    // endUnanswered, cancelQueued
		over,      // endUnheard; editAll, of a line in doubt that is taken back
	},
	guessed: {
		doubted,  // adoptGuess, if the line is in doubt
		thinking, // adoptGuess
		over,     // dropGuess
	},
	doubted: {
		arrived,  // settle, undoDoubt
		thinking, // settle, if the answer that was prepared is the one
	},
	weighed: {
		thinking,  // adoptWeighed
		arrived,   // queueWeighed
		undecided, // resumePassage
		ending,    // passWeighed
	},
	undecided: {
		arrived, // decideAnew
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
		asking,  // askFloor
		arrived, // undoAnswer
		cut,     // cutTurn
	},
	asking: {
		speaking, // playLine
		ready,    // holdTurn
		arrived,  // undoAnswer
		cut,      // cutTurn
	},
	speaking: {
		spoken,  // handleNote
		arrived, // undoAnswer, as long as nothing was heard
		cut,     // cutTurn: bargeIn, failStalled, cutNPC, cutReactions and others
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

// isAnswering reports whether an answer is in the making or heard: it is no
// guess, and was not cut.
func (p phase) isAnswering() bool { return p >= thinking && p <= spoken }
