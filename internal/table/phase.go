package table

import "slices"

// phase is where a turn stands, and with it its attempt to answer: an attempt
// that is not its turn's any more has none. What a phase may be left for is in
// exits; docs/table.md draws it.
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
	// ready: it could be heard, but the player has more to say, or what it
	// reacts to is not heard yet.
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

// exits are the phases for which a phase may be left. A turn goes back to
// arrived if it is answered anew, or for somebody else.
var exits = [phases][]phase{
	arrived:   {undecided, queued, thinking, ending, over},
	guessed:   {thinking, over},
	undecided: {arrived, ending},
	queued:    {arrived, ending, over},
	thinking:  {ready, arrived, cut, ending},
	ready:     {asking, arrived, cut},
	asking:    {speaking, ready, arrived, cut},
	speaking:  {spoken, arrived, cut},
	spoken:    {cut, ending},
	cut:       {ending},
	ending:    {over},
}

func (p phase) String() string {
	return [phases]string{
		"arrived", "guessed", "undecided", "queued", "thinking", "ready", "asking", "speaking", "spoken", "cut", "ending", "over",
	}[p]
}

// leadsTo reports whether a turn may go from p to next.
func (p phase) leadsTo(next phase) bool { return slices.Contains(exits[p], next) }

// answering reports whether an attempt is at work for the turn that the player
// has not been told the end of: neither a guess, nor cut.
func (p phase) answering() bool { return p >= thinking && p <= spoken }
