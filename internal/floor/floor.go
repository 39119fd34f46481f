// Package floor decides who may speak at a table: one line at a time, and players take precedence over NPCs.
//
// A Floor is a state machine that turns events into effects:
//
//	f := floor.New(floor.Timing{})
//	for _, e := range f.Apply(floor.Event{Kind: floor.Want, Line: floor.Line{Turn: 1}}) {
//		// carry out e, for example play the line on floor.Grant
//	}
//
// It uses no clock, no lock and no I/O. Therefore the goroutine that owns a table also owns its floor, and a
// test can apply any order of events. Timers are effects; a timer that fires late is recognised and ignored.
package floor

import (
	"slices"
	"time"
)

// Manner is how a line reacts to an interruption.
type Manner int

const (
	// Yields stops within a frame once a player has spoken long enough.
	Yields Manner = iota
	// FinishesSentence stops at the end of the sentence.
	FinishesSentence
	// Insists continues under any voice. It stops within a frame once a player orders its NPC to stop or calls
	// it by name.
	Insists
	// Dictated is always spoken to its end. It is used for lines that the DM has an NPC say.
	Dictated
)

// Line is a turn of an NPC that has sound to play.
type Line struct {
	// Turn identifies the line. It is not 0 and is used only once.
	Turn uint64
	// Priority orders waiting lines: higher ones first, equal ones in order of arrival.
	Priority int
	Manner   Manner
	// Resumes says that the line continues where it was after a false interruption. Otherwise it ends there.
	Resumes bool
	// Confirm is how long a player must be heard before this line yields. If zero, [Timing.Confirm] applies.
	Confirm time.Duration
	// After is the turn this line reacts to: it is played after that turn, and dropped with it when a player
	// interrupts. 0 means that it reacts to nothing.
	After uint64
}

// Timing holds the floor's times. The zero value of a field means its default.
type Timing struct {
	// Duck is how long a player must be heard before the volume of the current line is lowered. Default 200 ms.
	Duck time.Duration
	// Confirm is how long a player must be heard before an NPC yields. Default 500 ms.
	Confirm time.Duration
	// Lull is how long a voice may pause between words. Default 250 ms.
	Lull time.Duration
	// Gap is the pause between the lines of two NPCs. It never delays the first line after a silence. Default
	// 300 ms; there is none if it is negative.
	Gap time.Duration
	// Hold is how long a line waits for players to stop talking. Default 1 s.
	Hold time.Duration
	// Doubt is how long an interruption waits for words after the player's voice has stopped, before it counts
	// as false. Default 2 s.
	Doubt time.Duration
	// Paused is the longest time that a line stays paused. After that it is cut, because the talk has moved on.
	// Default 20 s.
	Paused time.Duration
	// Stall is how long a line may be silent although it has sound to play. Default 10 s.
	Stall time.Duration
	// Dry is how long a line keeps the floor while it has nothing more to play. Default 90 s.
	Dry time.Duration
	// Waiting is how many lines may wait. Beyond that, the line that is last in order is dropped. Default 8.
	Waiting int
}

func (t Timing) withDefaults() Timing {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&t.Duck, 200*time.Millisecond)
	set(&t.Confirm, 500*time.Millisecond)
	set(&t.Lull, 250*time.Millisecond)
	if t.Gap == 0 {
		t.Gap = 300 * time.Millisecond
	}
	set(&t.Hold, time.Second)
	set(&t.Doubt, 2*time.Second)
	set(&t.Paused, 20*time.Second)
	set(&t.Stall, 10*time.Second)
	set(&t.Dry, 90*time.Second)
	if t.Waiting <= 0 {
		t.Waiting = 8
	}
	return t
}

// phase says who has the floor, and whether it is heard. From granted on, a line has the floor.
type phase int

const (
	free     phase = iota // no line has it
	resting               // no line has it: the gap after a line runs
	holding               // no line has it: one waits for players to stop talking, at most Timing.Hold
	granted               // the holder may play, but is not heard: not yet, or not for now
	audible               // the holder is heard
	yielding              // the holder is heard, and stops at the end of its sentence
	paused                // the holder was stopped, perhaps not for good
)

// Floor is the state machine. Create it with [New]. It is not safe for concurrent use.
type Floor struct {
	timing  Timing
	phase   phase
	holder  holder // the zero value below granted
	waiting []Line // in the order in which they get the floor
	players players
	window  confirmWindow

	timers  [timerKinds]uint64 // the serial of each running timer, 0 for the others
	serial  uint64             // the latest serial
	effects []Effect           // effects of the event that is being applied
}

// holder is the line that has the floor.
type holder struct {
	Line
	sounded         bool // part of it was heard
	partlyDelivered bool // part of it was heard or shown
	ducked          bool // its volume is lowered under a voice
	pausedUnheard   bool // it was not heard when it was paused: it is shown, or had no more to play
	addressed       bool // a player's words were meant for it, so that it yields for good
}

// players holds the players who are heard.
type players struct {
	speaking []string // players whose voice is heard now
	talking  []string // players whose utterances have not ended
	// ignored are the players in voicing who went on talking after the holder had waited for them long enough.
	// Their voices do not interrupt it.
	ignored []string
}

// interruptingVoice returns a player, other than those in but, whose voice may interrupt the holder, if there is one.
func (p *players) interruptingVoice(but ...string) (speaker string, ok bool) {
	for _, v := range p.speaking {
		if !slices.Contains(but, v) && !slices.Contains(p.ignored, v) {
			return v, true
		}
	}
	return "", false
}

// mayInterrupt reports whether a voice may interrupt the holder.
func (p *players) mayInterrupt() bool { return len(p.speaking) > len(p.ignored) }

// confirmWindow measures how long a player's voice is heard over the current line. Only voiced time counts as
// an interruption, so that a cough stops no line.
type confirmWindow struct {
	state   windowState
	counted string // the player whose voice is counted
	second  string // a player whose voice is counted at the same time, see countSecondVoice
}

// windowState is the state of a confirm window.
type windowState int

const (
	windowClosed   windowState = iota
	windowCounting             // TimerConfirm runs
	windowElapsed              // TimerConfirm has fired in a lull: if the voice comes back, the line stops
)

// New returns a floor that no line has.
func New(t Timing) *Floor { return &Floor{timing: t.withDefaults()} }

// SetWaiting changes how many lines may wait. Lines that already wait stay.
func (f *Floor) SetWaiting(n int) { f.timing.Waiting = n }

// Speaking returns the turn that has the floor and whether it is heard now.
func (f *Floor) Speaking() (turn uint64, heard bool) {
	return f.holder.Turn, f.phase == audible || f.phase == yielding
}

// Paused returns the turn that was stopped by a player's voice, and reports whether there is one.
func (f *Floor) Paused() (turn uint64, ok bool) { return f.holder.Turn, f.phase == paused }

// Stopping reports whether a player stopped a turn, or will stop it at the end of its sentence, and whether
// for good is still open.
func (f *Floor) Stopping(turn uint64) bool {
	return f.holder.Turn == turn && (f.phase == paused || f.phase == yielding && !f.holder.addressed)
}

// UnderWay returns the turn that has the floor and was partly heard or shown, and reports whether there is
// one.
func (f *Floor) UnderWay() (turn uint64, ok bool) {
	return f.holder.Turn, f.phase >= granted && f.holder.partlyDelivered
}

// Waiting lists the turns that wait for the floor, in order.
func (f *Floor) Waiting() []uint64 {
	turns := make([]uint64, len(f.waiting))
	for i, l := range f.waiting {
		turns[i] = l.Turn
	}
	return turns
}

// grantNext gives the floor to the next line, if it may speak now.
func (f *Floor) grantNext() {
	switch {
	case f.phase == resting || f.phase >= granted || len(f.waiting) == 0:
	case len(f.players.talking) == 0:
		f.grant()
	case f.phase == free:
		f.phase = holding
		f.setTimer(TimerHold, f.timing.Hold)
	}
}

// grant gives the floor to the next line.
func (f *Floor) grant() {
	f.stopTimer(TimerHold)
	f.holder, f.waiting = holder{Line: f.waiting[0]}, f.waiting[1:]
	f.phase = granted
	f.addEffect(Effect{Kind: Grant, Turn: f.holder.Turn})
	f.setTimer(TimerStall, f.timing.Stall)
}

// stopHolding ends the wait for players to stop talking.
func (f *Floor) stopHolding() {
	if f.phase == holding {
		f.phase = free
		f.stopTimer(TimerHold)
	}
}

// queueLine queues a line. Reactions come right after the line they react to.
func (f *Floor) queueLine(l Line) {
	if l.Turn == 0 || f.hasLine(l.Turn) {
		return
	}
	f.waiting = slices.Insert(f.waiting, f.insertIndex(l), l)
	if len(f.waiting) > f.timing.Waiting {
		last := len(f.waiting) - 1
		f.addEffect(Effect{Kind: Drop, Turn: f.waiting[last].Turn})
		f.waiting = f.waiting[:last]
	}
	f.grantNext()
}

// insertIndex returns the position at which a line waits.
func (f *Floor) insertIndex(l Line) int {
	if l.After != 0 {
		if f.holder.Turn == l.After {
			return 0
		}
		if i := slices.IndexFunc(f.waiting, func(w Line) bool { return w.Turn == l.After }); i >= 0 {
			return i + 1
		}
	}
	i := len(f.waiting)
	for i > 0 && f.waiting[i-1].Priority < l.Priority {
		i--
	}
	return i
}

func (f *Floor) hasLine(turn uint64) bool {
	return f.holder.Turn == turn || slices.ContainsFunc(f.waiting, func(l Line) bool { return l.Turn == turn })
}

// releaseFloor takes the floor from its holder. If rest is true, the next line waits for the gap.
func (f *Floor) releaseFloor(rest bool) {
	f.phase, f.holder = free, holder{}
	f.players.ignored = f.players.ignored[:0]
	f.stopConfirmWindow()
	f.stopTimer(TimerDoubt)
	f.stopTimer(TimerStall)
	if rest && f.timing.Gap > 0 && len(f.waiting) > 0 { // a line that comes later follows a silence
		f.phase = resting
		f.setTimer(TimerGap, f.timing.Gap)
	}
	f.grantNext()
}

// cutHolder ends the holder's line for good. If a player interrupted it, its reactions are dropped too.
func (f *Floor) cutHolder(why Reason) {
	turn := f.holder.Turn
	f.addEffect(Effect{Kind: Cut, Turn: turn, Reason: why})
	if why == Interrupted {
		f.waiting = slices.DeleteFunc(f.waiting, func(l Line) bool {
			if l.After == turn {
				f.addEffect(Effect{Kind: Drop, Turn: l.Turn})
			}
			return l.After == turn
		})
	}
	f.releaseFloor(why == Interrupted)
}
