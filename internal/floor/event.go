package floor

import (
	"slices"
	"time"
)

// Event reports something that happened at the table.
type Event struct {
	Kind EventKind
	// Line is the line that requests the floor; of Want.
	Line Line
	// Turn identifies the line that the event is about; of Started, Dry, Playing, SentenceEnd, Finished and
	// Gone.
	Turn uint64
	// Speaker is the player; of VoiceOn, VoiceOff, Quiet and Left.
	Speaker string
	// Order says that the NPC was told to stop, or called by its name; of Interrupt.
	Order bool
	// Timer is the timer that has expired, and Serial identifies the setting of it; of Fired.
	Timer  Timer
	Serial uint64
}

// EventKind is the kind of an event.
type EventKind int

const (
	// Request requests the floor: the line has sound to play.
	Request EventKind = iota
	// Started: the first frame of the line was played, or the first after Dry.
	Started
	// Dry: the line has nothing to play for now, but more will come.
	Dry
	// Playing: more of the line was played.
	Playing
	// SentenceEnd: playback has reached the end of a sentence, and more follows.
	SentenceEnd
	// Finished: all of the line was played.
	Finished
	// Withdrawn: the line will not be played, or not any further, because it failed, was cancelled, or its NPC was
	// muted or has left.
	Withdrawn
	// VoiceOn and VoiceOff: a player's voice started or stopped, even if only for a breath.
	VoiceOn
	VoiceOff
	// Quiet: a player's utterance has ended.
	Quiet
	// PossiblyMeant: words that may be meant for the line's NPC were recognised over the line. The line stops as for a
	// confirmed voice.
	PossiblyMeant
	// NotMeant: the words of the players who stopped the line are known, and none were meant for its NPC.
	NotMeant
	// Interrupt: a player has said something over the line that is meant for its NPC.
	Interrupt
	// PlayerLeft: a player has left.
	PlayerLeft
	// TimerExpired: a timer has expired.
	TimerExpired
)

// Timer is one of the floor's timers. Each runs at most once at a time.
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

// Effect is an action that the caller of [Floor.Apply] must carry out.
type Effect struct {
	Kind EffectKind
	// Turn identifies the line; of all but Set and Stop.
	Turn   uint64
	Reason Reason // of Cut
	// Timer must fire After from now, as Fired with this Serial. A later Set or Stop of the same timer replaces
	// it.
	Timer  Timer
	Serial uint64
	After  time.Duration
}

// EffectKind is the kind of an effect.
type EffectKind int

const (
	// Grant lets the line play.
	Grant EffectKind = iota
	// Pause stops the sound within a frame. The line may go on later.
	Pause
	// Resume continues the line where it was paused.
	Resume
	// Cut stops the sound within a frame, for good.
	Cut
	// Drop reports to a waiting line that it will not be played.
	Drop
	// Yield reports that the line will stop at the end of its sentence, unless the interruption proves to be
	// false.
	Yield
	// Duck lowers the volume of the line under a voice that may become an interruption, and Unduck restores it.
	// Pause and the line's end undo a Duck implicitly.
	Duck
	Unduck
	// SetTimer starts a timer, Stop ends it.
	SetTimer
	StopTimer
)

// Reason says why a line was cut.
type Reason int

const (
	// Interrupted: a player interrupted it.
	Interrupted Reason = iota + 1
	// Stalled: it had the floor, but no sound was played.
	Stalled
)

// Apply applies an event and returns the effects to carry out, in order. The slice
// is valid until the next call.
func (f *Floor) Apply(e Event) []Effect {
	f.effects = f.effects[:0]
	switch e.Kind {
	case Request:
		f.queueLine(e.Line)
	case Started, Dry, Playing, SentenceEnd, Finished, Withdrawn:
		f.handlePlayback(e)
	case VoiceOn:
		f.startVoice(e.Speaker)
	case VoiceOff:
		f.stopVoice(e.Speaker)
	case Quiet, PlayerLeft:
		f.stopVoice(e.Speaker)
		f.endUtterance(e.Speaker)
	case PossiblyMeant:
		f.suspendHolder()
	case NotMeant:
		f.resumeUnaddressed()
	case Interrupt:
		f.interruptHolder(e.Order)
	case TimerExpired:
		f.handleTimer(e)
	}
	return f.effects
}

func (f *Floor) addEffect(e Effect) { f.effects = append(f.effects, e) }

func (f *Floor) setTimer(t Timer, after time.Duration) {
	f.serial++
	f.timers[t] = f.serial
	f.addEffect(Effect{Kind: SetTimer, Timer: t, Serial: f.serial, After: after})
}

func (f *Floor) stopTimer(t Timer) {
	if f.timers[t] != 0 {
		f.timers[t] = 0
		f.addEffect(Effect{Kind: StopTimer, Timer: t})
	}
}

// handlePlayback handles the progress of playback. It ignores events about lines other than the holder,
// except that a waiting line is gone.
func (f *Floor) handlePlayback(e Event) {
	if f.phase < granted || e.Turn != f.holder.Turn {
		if e.Kind == Withdrawn {
			f.waiting = slices.DeleteFunc(f.waiting, func(l Line) bool { return l.Turn == e.Turn })
			if len(f.waiting) == 0 {
				f.stopHolding()
			}
		}
		return
	}
	switch e.Kind {
	case Started:
		if f.phase == granted {
			f.phase, f.holder.sounded, f.holder.partlyDelivered = audible, true, true
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
		case granted, audible: // a line that is not heard cannot be interrupted
			f.phase = granted
			f.stopConfirmWindow()
			f.setTimer(TimerStall, f.timing.Dry)
		}
	case SentenceEnd:
		f.holder.partlyDelivered = true
		switch f.phase {
		case yielding:
			f.yieldAtSentenceEnd()
		case granted, audible:
			f.setTimer(TimerStall, f.timing.Stall)
		}
	case Finished:
		f.releaseFloor(f.holder.sounded)
	case Withdrawn: // a line that was silenced needs no gap after it
		f.releaseFloor(false)
	}
}

// yieldAtSentenceEnd stops a yielding line at the end of its sentence: for good if a player's words were
// meant for it, otherwise until that is known.
func (f *Floor) yieldAtSentenceEnd() {
	if f.holder.addressed {
		f.cutHolder(Interrupted)
		return
	}
	f.pauseHolder()
	if len(f.players.speaking) == 0 {
		f.setTimer(TimerDoubt, f.timing.Doubt)
	}
}

// pauseHolder stops the sound until the meaning of the interruption is known.
func (f *Floor) pauseHolder() {
	f.holder.pausedUnheard = f.phase == granted
	f.phase, f.holder.ducked = paused, false
	f.stopConfirmWindow()
	f.setTimer(TimerStall, f.timing.Paused)
	f.addEffect(Effect{Kind: Pause, Turn: f.holder.Turn})
}

// endUtterance ends a player's utterance. When no player talks any more, a waiting line gets the floor.
func (f *Floor) endUtterance(speaker string) {
	f.players.talking = slices.DeleteFunc(f.players.talking, func(s string) bool { return s == speaker })
	if f.timers[TimerLull] != 0 && speaker == f.window.counted {
		f.stopConfirmWindow()
	}
	if len(f.players.talking) == 0 {
		f.stopHolding()
		f.grantNext()
	}
}

// resumeUnaddressed resumes the holder because none of the words that stopped it were meant for it. It does nothing
// while a player's voice is heard, because that may still be meant for the holder.
func (f *Floor) resumeUnaddressed() {
	switch {
	case len(f.players.speaking) > 0:
	case f.phase == yielding && !f.holder.addressed:
		f.phase = audible
	case f.phase == paused:
		f.resumeHolder()
	}
}

// resumeHolder resumes a paused line, or cuts it if it does not resume after interruptions.
func (f *Floor) resumeHolder() {
	if !f.holder.Resumes {
		f.cutHolder(Interrupted)
		return
	}
	f.stopTimer(TimerDoubt)
	f.addEffect(Effect{Kind: Resume, Turn: f.holder.Turn})
	if f.holder.pausedUnheard {
		f.phase = granted
		f.setTimer(TimerStall, f.timing.Dry)
		return
	}
	f.phase = audible
	f.setTimer(TimerStall, f.timing.Stall)
}

// handleTimer handles a timer that has expired, unless it was set again or stopped meanwhile.
func (f *Floor) handleTimer(e Event) {
	if e.Timer < 0 || e.Timer >= timerKinds || e.Serial == 0 || f.timers[e.Timer] != e.Serial {
		return
	}
	f.timers[e.Timer] = 0
	switch e.Timer {
	case TimerDuck:
		if f.phase == audible && f.countedVoiceHeard() {
			f.duckHolder()
		}
	case TimerConfirm:
		if f.window.state = windowElapsed; f.countedVoiceHeard() {
			f.window.state = windowClosed
			f.confirmInterruption()
		}
	case TimerSecond:
		if slices.Contains(f.players.speaking, f.window.second) {
			f.confirmInterruption()
		}
	case TimerLull:
		f.stopConfirmWindow()
	case TimerGap:
		f.phase = free
		f.grantNext()
	case TimerHold:
		f.players.ignored = append(f.players.ignored[:0], f.players.speaking...)
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
