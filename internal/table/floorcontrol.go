package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// manners maps the interruption styles of the configuration to those of the floor.
var manners = map[string]floor.Manner{
	config.StyleYields:           floor.Yields,
	config.StyleFinishesSentence: floor.FinishesSentence,
	config.StyleInsists:          floor.Insists,
}

// doubtStep is how often the table checks an interruption whose words are not recognised yet. doubtMost is
// how long it waits for the words.
const (
	doubtStep = 500 * time.Millisecond
	doubtMost = 5 * time.Second
)

// floorControl is the table's floor. It sets the floor's timers at once, and adds the other effects of the
// floor to those of the table.
type floorControl struct {
	*floor.Floor
	effects *effects
	agenda  *agenda
	mixer   *mixer.Mixer
}

// handle passes an event to the floor and handles the resulting effects.
func (c *floorControl) handle(e floor.Event) {
	for _, e := range c.Apply(e) {
		switch e.Kind {
		case floor.SetTimer:
			c.agenda.put(e.Timer, e.After, floorTimer{timer: e.Timer, serial: e.Serial, set: time.Now(), played: c.mixer.Stats().Frames})
		case floor.StopTimer:
			c.agenda.remove(e.Timer)
		default:
			c.effects.add(floorEffect{e})
		}
	}
}

// applyFloorEffect carries out an effect of the floor. A barge-in is a Cut with the reason Interrupted.
func (t *Table) applyFloorEffect(e floor.Effect) {
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
			t.endBargedTurn(a, t.seats.lastSpeaker)
		}
	}
}

// floorTimerFired reports to the floor that one of its timers has expired, with two exceptions. A line whose
// sound is still playing has not stalled, and an interruption stays in doubt while its words are being
// recognised or weighed.
func (t *Table) floorTimerFired(e floorTimer) {
	line, sounds := t.floor.Speaking()
	switch {
	case e.timer == floor.TimerStall && sounds && t.mixer.Stats().Frames > e.played:
		t.floor.handle(floor.Event{Kind: floor.Playing, Turn: line})
	case e.timer == floor.TimerDoubt && (t.turns.relevanceCheck != nil || t.seats.awaitsWords(line) && time.Since(e.set) < doubtMost):
		t.agenda.put(e.timer, doubtStep, e)
	default:
		t.floor.handle(floor.Event{Kind: floor.TimerExpired, Timer: e.timer, Serial: e.serial})
	}
}
