// Package floor decides who may speak at a table: one voice at a time, and a
// player outranks an NPC.
//
// A Floor is a state machine: events go in, effects come out. It uses no
// clock, no lock and no I/O, so that the goroutine which owns a table owns its
// floor too, and a test can drive it through any order of events. Timers are
// effects; one that fires late is recognised and does nothing.
package floor

import (
	"slices"
	"time"
)

// Manner is how a line takes an interruption.
type Manner int

const (
	// Yields stops within a frame once a player has spoken long enough.
	Yields Manner = iota
	// FinishesSentence stops at the end of the sentence.
	FinishesSentence
	// Insists goes on under any voice. It stops within a frame once its NPC is told to
	// stop or called by its name.
	Insists
	// Dictated is spoken to its end: what the DM has an NPC say.
	Dictated
)

// Line is something an NPC wants to say: a turn with sound to play.
type Line struct {
	// Turn is the line's identity. It is not 0, and used once.
	Turn uint64
	// Priority orders lines that wait: higher first, then in order of arrival.
	Priority int
	Manner   Manner
	// Resumes goes on where it was after an interruption that was none; else the
	// line ends there.
	Resumes bool
	// Confirm is how long a player must voice before this line yields; the
	// floor's own time if zero.
	Confirm time.Duration
	// After is the turn this line reacts to: it speaks after that one, and falls
	// with it when a player interrupts. 0 reacts to nothing.
	After uint64
}

// Timing are the floor's times. The zero value of a field means its default.
type Timing struct {
	// Duck is how long a player must voice before the line that is heard sounds
	// softly. Default 200 ms.
	Duck time.Duration
	// Confirm is how long a player must voice before an NPC yields. Default 500 ms.
	Confirm time.Duration
	// Lull is how long a voice may pause between words. Default 250 ms.
	Lull time.Duration
	// Gap is between the lines of two NPCs. It never delays the first line after
	// a silence. Default 300 ms; below zero there is none.
	Gap time.Duration
	// Hold is how long a line waits for players to stop talking. Default 1 s.
	Hold time.Duration
	// Doubt is how long after a player's voice has stopped an interruption waits
	// for words before it counts as none. Default 2 s.
	Doubt time.Duration
	// Paused is how long a line stays stopped at most. After that it ends, because by
	// then the talk has left it behind. Default 20 s.
	Paused time.Duration
	// Stall is how long a line may be silent although it has sound to play.
	// Default 10 s.
	Stall time.Duration
	// Dry is how long a line keeps the floor that has nothing more to play yet.
	// Default 90 s.
	Dry time.Duration
	// Waiting is how many lines may wait; beyond that the one that is due last is
	// dropped. Default 8.
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

// phase is who has the floor, and what is heard of it. From granted on a line has it.
type phase int

const (
	free     phase = iota // nobody has it
	resting               // nobody has it: the gap after a line runs
	holding               // nobody has it: a line waits for players to stop talking, no longer than Timing.Hold
	granted               // the holder may play, and nothing is heard: not yet, or no more for now
	audible               // the holder is heard
	yielding              // the holder is heard, and stops with its sentence
	paused                // the holder was stopped; whether for good is open
)

// Floor is the state machine. The zero value is no floor; see [New]. It belongs to one
// goroutine.
type Floor struct {
	timing  Timing
	phase   phase
	holder  holder // the zero value below granted
	waiting []Line // in the order in which they get the floor
	players players
	window  confirmWindow

	timers  [timerKinds]uint64 // the serial of each timer that runs, 0 for the others
	serial  uint64             // the latest
	effects []Effect           // of the event being applied
}

// holder is the line that has the floor.
type holder struct {
	Line
	sounded bool // something of it was heard
	begun   bool // something of it was heard or read
	ducked  bool // it sounds softly under a voice
	silent  bool // nothing of it was heard when it was paused: it is read, or had no more to play
	meant   bool // a player said words meant for it: if it yields, it is for good
}

// players are the players who make themselves heard.
type players struct {
	voicing []string // players voicing now
	talking []string // players whose utterances are not over
	// ignored are those of voicing who talked on although the holder had waited for them long
	// enough; their voices do not interrupt it.
	ignored []string
}

// newVoice returns a player other than but whose voice may interrupt the holder, if there is
// one.
func (p *players) newVoice(but ...string) (speaker string, ok bool) {
	for _, v := range p.voicing {
		if !slices.Contains(but, v) && !slices.Contains(p.ignored, v) {
			return v, true
		}
	}
	return "", false
}

// anyNew reports whether a voice may interrupt the holder.
func (p *players) anyNew() bool { return len(p.voicing) > len(p.ignored) }

// confirmWindow counts how long a player voices against the line that is heard: an
// interruption is voiced time, so that a cough stops nobody.
type confirmWindow struct {
	state   windowState
	counted string // the player whose voice is counted
	second  string // a player whose voice is counted beside it, see countSecondVoice
}

// windowState is how far a confirm window is.
type windowState int

const (
	shut     windowState = iota
	counting             // TimerConfirm runs
	ripe                 // TimerConfirm has fired in a lull: if the voice comes back, the line stops
)

// New returns a floor on which nobody speaks.
func New(t Timing) *Floor { return &Floor{timing: t.withDefaults()} }

// SetWaiting changes how many lines may wait. Those that wait already stay.
func (f *Floor) SetWaiting(n int) { f.timing.Waiting = n }

// Speaking returns the turn that has the floor and whether it is heard now.
func (f *Floor) Speaking() (turn uint64, heard bool) {
	return f.holder.Turn, f.phase == audible || f.phase == yielding
}

// Paused returns the turn that was stopped by a player's voice, and whether there
// is one.
func (f *Floor) Paused() (turn uint64, ok bool) { return f.holder.Turn, f.phase == paused }

// Stopping reports whether a turn was stopped by a player, or will be with its sentence, and it is open
// whether for good.
func (f *Floor) Stopping(turn uint64) bool {
	return f.holder.Turn == turn && (f.phase == paused || f.phase == yielding && !f.holder.meant)
}

// UnderWay returns the turn that has the floor and of which something was heard or read
// already, and whether there is one.
func (f *Floor) UnderWay() (turn uint64, ok bool) {
	return f.holder.Turn, f.phase >= granted && f.holder.begun
}

// Waiting lists the turns that wait for the floor, in order.
func (f *Floor) Waiting() []uint64 {
	turns := make([]uint64, len(f.waiting))
	for i, l := range f.waiting {
		turns[i] = l.Turn
	}
	return turns
}

// grantNext gives the floor to the line that is due, if it may speak now.
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

// grant gives the floor to the line that is due.
func (f *Floor) grant() {
	f.stopTimer(TimerHold)
	f.holder, f.waiting = holder{Line: f.waiting[0]}, f.waiting[1:]
	f.phase = granted
	f.addEffect(Effect{Kind: Grant, Turn: f.holder.Turn})
	f.setTimer(TimerStall, f.timing.Stall)
}

// endHold ends the wait for players to stop talking.
func (f *Floor) endHold() {
	if f.phase == holding {
		f.phase = free
		f.stopTimer(TimerHold)
	}
}

// queueLine queues a line. Reactions come right after what they react to.
func (f *Floor) queueLine(l Line) {
	if l.Turn == 0 || f.knowsLine(l.Turn) {
		return
	}
	f.waiting = slices.Insert(f.waiting, f.placeOf(l), l)
	if len(f.waiting) > f.timing.Waiting {
		last := len(f.waiting) - 1
		f.addEffect(Effect{Kind: Drop, Turn: f.waiting[last].Turn})
		f.waiting = f.waiting[:last]
	}
	f.grantNext()
}

// placeOf is where a line waits.
func (f *Floor) placeOf(l Line) int {
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

func (f *Floor) knowsLine(turn uint64) bool {
	return f.holder.Turn == turn || slices.ContainsFunc(f.waiting, func(l Line) bool { return l.Turn == turn })
}

// releaseFloor takes the floor from its holder. After a line that was heard the
// next one waits for the gap.
func (f *Floor) releaseFloor(rest bool) {
	f.phase, f.holder = free, holder{}
	f.players.ignored = f.players.ignored[:0]
	f.stopConfirmWindow()
	f.stopTimer(TimerDoubt)
	f.stopTimer(TimerStall)
	if rest && f.timing.Gap > 0 && len(f.waiting) > 0 { // who comes later found silence
		f.phase = resting
		f.setTimer(TimerGap, f.timing.Gap)
	}
	f.grantNext()
}

// cutHolder ends the holder's line for good, and the reactions to it if a player did
// it.
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
