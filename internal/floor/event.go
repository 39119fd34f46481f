package floor

import (
	"slices"
	"time"
)

// Event is something that happened at the table.
type Event struct {
	Kind EventKind
	// Line is what wants the floor; of Want.
	Line Line
	// Turn is whose line it is about; of Started, Dry, Playing, SentenceEnd,
	// Finished and Gone.
	Turn uint64
	// Speaker is the player; of VoiceOn, VoiceOff, Quiet and Left.
	Speaker string
	// Order says that the NPC was told to stop, or called by its name; of Interrupt.
	Order bool
	// Timer is which timer has fired, and Serial which setting of it.
	Timer  Timer
	Serial uint64
}

// EventKind is what kind of event it is.
type EventKind int

const (
	// Want asks for the floor: the line has sound to play.
	Want EventKind = iota
	// Started: the first frame of the line was played, or the first after Dry.
	Started
	// Dry: the line has nothing to play for now; more will come.
	Dry
	// Playing: more of the line was played.
	Playing
	// SentenceEnd: playback has reached the end of a sentence, and there is more.
	SentenceEnd
	// Finished: all of the line was played.
	Finished
	// Gone: the line will not be spoken, or no further: it failed, was cancelled,
	// or its NPC is muted or has left.
	Gone
	// VoiceOn and VoiceOff: a player began or ceased to voice, be it for a breath.
	VoiceOn
	VoiceOff
	// Quiet: a player's utterance is over.
	Quiet
	// Doubt: words over the line are known that may be meant for its NPC. The line
	// stops as for a voice that was confirmed.
	Doubt
	// Heard: what the players said who stopped the line is known, and none of it was
	// meant for its NPC.
	Heard
	// Interrupt: a player has said something over the line that is meant for its NPC.
	Interrupt
	// Left: a player has left.
	Left
	// Fired: a timer has fired.
	Fired
)

// Timer is one of the floor's timers. Each runs once at a time.
type Timer int

const (
	TimerDuck Timer = iota
	TimerConfirm
	TimerSecond
	TimerLull
	TimerGap
	TimerHold
	TimerDoubt
	TimerStall
	timerKinds
)

// Effect is something the floor wants done.
type Effect struct {
	Kind EffectKind
	// Turn is whose line; of all but Set and Stop.
	Turn   uint64
	Reason Reason // of Cut
	// Timer is to fire After from now, as Fired with this Serial. A later Set of
	// the same timer, or Stop, takes its place.
	Timer  Timer
	Serial uint64
	After  time.Duration
}

// EffectKind is what kind of effect it is.
type EffectKind int

const (
	// Grant lets the line play.
	Grant EffectKind = iota
	// Pause stops the sound within a frame; the line may go on.
	Pause
	// Resume lets the line go on where it was stopped.
	Resume
	// Cut stops the sound within a frame, for good.
	Cut
	// Drop tells a line that waits that it will not be spoken.
	Drop
	// Yield tells that the line will stop with its sentence, unless what made it
	// yield proves to be nothing.
	Yield
	// Duck has the line sound softly, under a voice that may become an interruption,
	// and Unduck again as before. Pause and the line's end undo a Duck by themselves.
	Duck
	Unduck
	// Set starts a timer, Stop ends it.
	Set
	Stop
)

// Reason is why a line was cut.
type Reason int

const (
	// Interrupted: a player took the floor.
	Interrupted Reason = iota + 1
	// Stalled: it had the floor and nothing was heard.
	Stalled
)

// Apply applies an event and returns the effects to carry out, in order. The slice
// is valid until the next call.
func (f *Floor) Apply(e Event) []Effect {
	f.effects = f.effects[:0]
	switch e.Kind {
	case Want:
		f.queueLine(e.Line)
	case Started, Dry, Playing, SentenceEnd, Finished, Gone:
		f.followPlayback(e)
	case VoiceOn:
		f.startVoice(e.Speaker)
	case VoiceOff:
		f.stopVoice(e.Speaker)
	case Quiet, Left:
		f.stopVoice(e.Speaker)
		f.endUtterance(e.Speaker)
	case Doubt:
		f.doubtHolder()
	case Heard:
		f.passOver()
	case Interrupt:
		f.interruptHolder(e.Order)
	case Fired:
		f.fireTimer(e)
	}
	return f.effects
}

func (f *Floor) addEffect(e Effect) { f.effects = append(f.effects, e) }

func (f *Floor) setTimer(t Timer, after time.Duration) {
	f.serial++
	f.timers[t] = f.serial
	f.addEffect(Effect{Kind: Set, Timer: t, Serial: f.serial, After: after})
}

func (f *Floor) stopTimer(t Timer) {
	if f.timers[t] != 0 {
		f.timers[t] = 0
		f.addEffect(Effect{Kind: Stop, Timer: t})
	}
}

// followPlayback handles the progress of playback. It ignores what is about another line than the
// holder, except that a waiting line is gone.
func (f *Floor) followPlayback(e Event) {
	if f.phase < granted || e.Turn != f.holder.Turn {
		if e.Kind == Gone {
			f.waiting = slices.DeleteFunc(f.waiting, func(l Line) bool { return l.Turn == e.Turn })
			if len(f.waiting) == 0 {
				f.endHold()
			}
		}
		return
	}
	switch e.Kind {
	case Started:
		if f.phase == granted {
			f.phase, f.holder.sounded, f.holder.begun = audible, true, true
			f.setTimer(TimerStall, f.timing.Stall)
			f.startConfirmWindow()
		}
	case Playing:
		if f.phase == audible || f.phase == yielding {
			f.setTimer(TimerStall, f.timing.Stall)
		}
	case Dry:
		switch f.phase {
		case yielding:
			f.yieldAtSentenceEnd()
		case granted, audible: // nobody can interrupt what is not heard
			f.phase = granted
			f.stopConfirmWindow()
			f.setTimer(TimerStall, f.timing.Dry)
		}
	case SentenceEnd:
		f.holder.begun = true
		switch f.phase {
		case yielding:
			f.yieldAtSentenceEnd()
		case granted, audible:
			f.setTimer(TimerStall, f.timing.Stall)
		}
	case Finished:
		f.releaseFloor(f.holder.sounded)
	case Gone: // whoever silenced it wants no breath
		f.releaseFloor(false)
	}
}

// yieldAtSentenceEnd stops a line that yields with its sentence: for good if what the
// player said is known to mean something.
func (f *Floor) yieldAtSentenceEnd() {
	if f.holder.meant {
		f.cutHolder(Interrupted)
		return
	}
	f.pauseHolder()
	if len(f.players.voicing) == 0 {
		f.setTimer(TimerDoubt, f.timing.Doubt)
	}
}

// pauseHolder stops the sound until it is known what the interruption was.
func (f *Floor) pauseHolder() {
	f.holder.silent = f.phase == granted
	f.phase, f.holder.ducked = paused, false
	f.stopConfirmWindow()
	f.setTimer(TimerStall, f.timing.Paused)
	f.addEffect(Effect{Kind: Pause, Turn: f.holder.Turn})
}

// endUtterance gives the floor to a line that waited for the last player who talked.
func (f *Floor) endUtterance(speaker string) {
	f.players.talking = slices.DeleteFunc(f.players.talking, func(s string) bool { return s == speaker })
	if f.timers[TimerLull] != 0 && speaker == f.window.counted {
		f.stopConfirmWindow()
	}
	if len(f.players.talking) == 0 {
		f.endHold()
		f.grantNext()
	}
}

// passOver lets the holder go on because nothing that stopped it was meant for it. Who
// voices now may yet mean it.
func (f *Floor) passOver() {
	switch {
	case len(f.players.voicing) > 0:
	case f.phase == yielding && !f.holder.meant:
		f.phase = audible
	case f.phase == paused:
		f.resumeHolder()
	}
}

// resumeHolder lets a paused line go on, if it is one that does.
func (f *Floor) resumeHolder() {
	if !f.holder.Resumes {
		f.cutHolder(Interrupted)
		return
	}
	f.stopTimer(TimerDoubt)
	f.addEffect(Effect{Kind: Resume, Turn: f.holder.Turn})
	if f.holder.silent {
		f.phase = granted
		f.setTimer(TimerStall, f.timing.Dry)
		return
	}
	f.phase = audible
	f.setTimer(TimerStall, f.timing.Stall)
}

// fireTimer handles a timer that has fired, unless it was set anew or stopped meanwhile.
func (f *Floor) fireTimer(e Event) {
	if e.Timer < 0 || e.Timer >= timerKinds || e.Serial == 0 || f.timers[e.Timer] != e.Serial {
		return
	}
	f.timers[e.Timer] = 0
	switch e.Timer {
	case TimerDuck:
		if f.phase == audible && f.counts() {
			f.duckHolder()
		}
	case TimerConfirm:
		if f.window.state = ripe; f.counts() {
			f.window.state = shut
			f.confirmInterruption()
		}
	case TimerSecond:
		if slices.Contains(f.players.voicing, f.window.second) {
			f.confirmInterruption()
		}
	case TimerLull:
		f.stopConfirmWindow()
	case TimerGap:
		f.phase = free
		f.grantNext()
	case TimerHold:
		f.players.ignored = append(f.players.ignored[:0], f.players.voicing...)
		f.grant()
	case TimerDoubt:
		if f.phase == paused {
			f.resumeHolder()
		}
	case TimerStall:
		switch {
		case f.phase < granted:
		case f.phase == paused:
			f.cutHolder(Interrupted)
		default:
			f.cutHolder(Stalled)
		}
	}
}
