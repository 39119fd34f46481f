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

// floorControl is the table's floor. It sets the floor's timers at once, and adds the floor's
// other effects to the table's.
type floorControl struct {
	*floor.Floor
	effects *effects
	agenda  *agenda
	mixer   *mixer.Mixer
}

// handle has the floor handle an event.
func (c *floorControl) handle(e floor.Event) {
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

// carryOutFloor carries out an effect of the floor. A barge-in comes from here: it is a Cut with the
// reason Interrupted.
func (t *Table) carryOutFloor(e floor.Effect) {
	a := t.turns.attempts[e.Turn]
	if a == nil || !a.turn.phase.isAnswering() {
		return // it has ended meanwhile
	}
	switch e.Kind {
	case floor.Grant:
		t.playLine(a)
	case floor.Pause:
		t.effects.add(pauseLine{a})
		t.seats.markStopped(a.id)
	case floor.Yield:
		t.seats.markStopped(a.id)
	case floor.Duck, floor.Unduck:
		t.effects.add(duckLine{a, e.Kind == floor.Duck})
	case floor.Resume:
		t.effects.add(playLine{a})
	case floor.Drop:
		t.cutTurn(a.turn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
	case floor.Cut:
		if e.Reason == floor.Stalled {
			t.failStalled(a)
		} else {
			t.bargeIn(a, t.seats.lastVoice)
		}
	}
}

// floorTimerFired reports to the floor that one of its timers has run out, but for
// two that know more than the clock: sound that still flows has not stalled, and
// an interruption stays in doubt whose words are still being made out, or weighed.
func (t *Table) floorTimerFired(e floorTimer) {
	line, sounds := t.floor.Speaking()
	switch {
	case e.timer == floor.TimerStall && sounds && t.mixer.Stats().Frames > e.played:
		t.floor.handle(floor.Event{Kind: floor.Playing, Turn: line})
	case e.timer == floor.TimerDoubt && (t.turns.weighed != nil || t.seats.awaitsWords(line) && time.Since(e.set) < doubtMost):
		t.agenda.put(e.timer, doubtStep, e)
	default:
		t.floor.handle(floor.Event{Kind: floor.Fired, Timer: e.timer, Serial: e.serial})
	}
}
