package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// manners are the floor's words for the configuration's.
var manners = map[string]floor.Manner{
	config.StyleYields:           floor.Yields,
	config.StyleFinishesSentence: floor.FinishesSentence,
	config.StyleInsists:          floor.Insists,
}

// doubtStep is how often an interruption whose words are still being made out
// is looked at again, and doubtMost how long after it is no longer waited for
// them.
const (
	doubtStep = 500 * time.Millisecond
	doubtMost = 5 * time.Second
)

// floorControl tells the floor what happens. Its timers are set at once; what
// else it wants waits among the effects.
type floorControl struct {
	*floor.Floor
	effects *effects
	agenda  *agenda
	mixer   *mixer.Mixer
}

// tell tells the floor what happened.
func (c *floorControl) tell(e floor.Event) {
	for _, e := range c.Apply(e) {
		switch e.Kind {
		case floor.Set:
			c.agenda.put(e.Timer, e.After, floorTimer{timer: e.Timer, serial: e.Serial, set: time.Now(), played: c.mixer.Stats().Frames})
		case floor.Stop:
			c.agenda.remove(e.Timer)
		default:
			c.effects.add(floorEffect{e})
		}
	}
}

// gone is the end of a line.
func gone(a *attempt) floor.Event { return floor.Event{Kind: floor.Gone, Turn: a.id} }

// carryOutFloor does what the floor wants. That is where a barge-in comes from:
// Cut, for the reason that it was interrupted.
func (t *Table) carryOutFloor(e floor.Effect) {
	a := t.answers.attempts[e.Turn]
	if a == nil || !a.turn.phase.isAnswering() {
		return // it has ended meanwhile
	}
	switch e.Kind {
	case floor.Grant:
		t.answers.playLine(a)
	case floor.Pause:
		t.effects.add(pauseLine{a})
		t.listener.markStopped(a.id)
	case floor.Yield:
		t.listener.markStopped(a.id)
	case floor.Duck, floor.Unduck:
		t.effects.add(duckLine{a, e.Kind == floor.Duck})
	case floor.Resume:
		t.effects.add(playLine{a})
	case floor.Drop:
		t.answers.cutTurn(a.turn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
	case floor.Cut:
		if e.Reason == floor.Stalled {
			t.answers.failStalled(a)
		} else {
			t.answers.bargeIn(a, t.listener.lastVoice)
		}
	}
}

// floorTimerFired tells the floor that one of its timers has run out, but for
// two that know more than the clock: sound that still flows has not stalled, and
// an interruption whose words are still being made out stays in doubt.
func (t *Table) floorTimerFired(e floorTimer) {
	line, sounds := t.floor.Speaking()
	switch {
	case e.timer == floor.TimerStall && sounds && t.mixer.Stats().Frames > e.played:
		t.floor.tell(floor.Event{Kind: floor.Playing, Turn: line})
	case e.timer == floor.TimerDoubt && t.listener.awaitsWords(line) && time.Since(e.set) < doubtMost:
		t.agenda.put(e.timer, doubtStep, e)
	default:
		t.floor.tell(floor.Event{Kind: floor.Fired, Timer: e.timer, Serial: e.serial})
	}
}
