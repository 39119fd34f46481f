package floor

import (
	"slices"
	"time"
)

// startConfirmWindow starts to measure a player's voice over the current line, whose volume is lowered first,
// and which then stops.
func (f *Floor) startConfirmWindow() {
	if f.phase != audible || f.holder.Manner >= Insists || f.window.state != windowClosed {
		return
	}
	voice, ok := f.players.interruptingVoice()
	if !ok {
		return
	}
	f.window.state, f.window.counted = windowCounting, voice
	f.setTimer(TimerConfirm, f.confirmTime())
	if f.ducksBeforeStop() {
		f.setTimer(TimerDuck, f.timing.Duck)
	}
	f.countSecondVoice()
}

// ducksBeforeStop reports whether the holder's volume is lowered before it stops.
func (f *Floor) ducksBeforeStop() bool {
	return f.holder.Manner == Yields && f.timing.Duck < f.confirmTime()
}

// confirmTime returns how long a player must be heard before the current line yields.
func (f *Floor) confirmTime() time.Duration {
	if f.holder.Confirm > 0 {
		return f.holder.Confirm
	}
	return f.timing.Confirm
}

// countSecondVoice measures a second voice beside the one in the confirm window, so that a player who talks
// while another murmurs is not measured from zero when the other stops.
func (f *Floor) countSecondVoice() {
	if f.phase != audible || f.window.state != windowCounting || f.timers[TimerSecond] != 0 {
		return
	}
	if voice, ok := f.players.interruptingVoice(f.window.counted); ok {
		f.window.second = voice
		f.setTimer(TimerSecond, f.confirmTime())
	}
}

// continueConfirmWindow continues to measure a voice that is back before the lull was over. Gaps between
// words are part of talking, but nothing happens during a gap.
func (f *Floor) continueConfirmWindow() {
	f.stopTimer(TimerLull)
	if f.window.state == windowElapsed {
		f.window.state = windowClosed
		f.confirmInterruption()
		return
	}
	if f.ducksBeforeStop() && !f.holder.ducked && f.timers[TimerDuck] == 0 {
		f.duckHolder()
	}
}

func (f *Floor) duckHolder() {
	f.holder.ducked = true
	f.addEffect(Effect{Kind: Duck, Turn: f.holder.Turn})
}

// countedVoiceHeard reports whether the voice that the confirm window measures is heard now.
func (f *Floor) countedVoiceHeard() bool {
	return slices.Contains(f.players.speaking, f.window.counted)
}

// stopConfirmWindow stops to measure voices, because they have stopped or the line is not heard.
func (f *Floor) stopConfirmWindow() {
	f.stopTimer(TimerSecond)
	f.stopCounted()
}

// stopCounted stops to measure the voice in the confirm window.
func (f *Floor) stopCounted() {
	f.stopTimer(TimerDuck)
	f.stopTimer(TimerConfirm)
	f.stopTimer(TimerLull)
	f.window.state = windowClosed
	if f.holder.ducked {
		f.holder.ducked = false
		f.addEffect(Effect{Kind: Unduck, Turn: f.holder.Turn})
	}
}

func (f *Floor) startVoice(speaker string) {
	if !slices.Contains(f.players.speaking, speaker) {
		f.players.speaking = append(f.players.speaking, speaker)
	}
	if !slices.Contains(f.players.talking, speaker) {
		f.players.talking = append(f.players.talking, speaker)
	}
	if f.phase == paused {
		f.stopTimer(TimerDoubt) // the player goes on talking, which confirms the interruption
	}
	if f.timers[TimerLull] != 0 {
		if speaker == f.window.counted {
			f.continueConfirmWindow()
			return
		}
		f.stopConfirmWindow()
	}
	f.startConfirmWindow()
	f.countSecondVoice()
}

// stopVoice suspends the confirm window, and ends it if the voice is not soon back, because only voiced time
// counts as an interruption.
func (f *Floor) stopVoice(speaker string) {
	i := slices.Index(f.players.speaking, speaker)
	if i < 0 {
		return
	}
	f.players.speaking = slices.Delete(f.players.speaking, i, i+1)
	if i := slices.Index(f.players.ignored, speaker); i >= 0 {
		f.players.ignored = slices.Delete(f.players.ignored, i, i+1)
	}
	if speaker == f.window.second {
		f.stopTimer(TimerSecond)
		f.countSecondVoice() // count a third one instead
	}
	switch {
	case speaker != f.window.counted || f.window.state == windowClosed:
	case f.players.mayInterrupt(): // two short sounds do not add up to a long one
		f.stopCounted()
		f.startConfirmWindow()
	default:
		f.setTimer(TimerLull, f.timing.Lull)
	}
	if len(f.players.speaking) > 0 {
		return
	}
	if f.phase == paused {
		f.setTimer(TimerDoubt, f.timing.Doubt)
	}
}

// interruptHolder stops the holder for good, according to its manner, because of words that are meant for it.
// order says that its NPC was told to stop or called.
func (f *Floor) interruptHolder(order bool) {
	switch {
	case f.phase == paused:
		f.cutHolder(Interrupted)
	case f.phase == yielding:
		f.holder.addressed = true
	case f.phase < granted || !f.holder.partlyDelivered || f.holder.Manner == Dictated || f.holder.Manner == Insists && !order:
	case f.holder.Manner == FinishesSentence && f.phase == audible:
		f.phase, f.holder.addressed = yielding, true
	default:
		f.cutHolder(Interrupted)
	}
}

// suspendHolder stops the holder, according to its manner, because of words that may be meant for it.
func (f *Floor) suspendHolder() {
	switch {
	case f.phase != granted && f.phase != audible || !f.holder.partlyDelivered || f.holder.Manner >= Insists:
	case f.holder.Manner == FinishesSentence:
		f.startYielding()
	default:
		f.pauseHolder()
		if len(f.players.speaking) == 0 {
			f.setTimer(TimerDoubt, f.timing.Doubt)
		}
	}
}

// startYielding makes the holder stop at the end of its sentence, unless the interruption proves to be false.
func (f *Floor) startYielding() {
	if f.phase == audible {
		f.phase = yielding
		f.addEffect(Effect{Kind: Yield, Turn: f.holder.Turn})
	}
}

// confirmInterruption stops the holder, according to its manner, because a player's voice was heard long
// enough.
func (f *Floor) confirmInterruption() {
	if f.phase != audible || !f.players.mayInterrupt() {
		return
	}
	if f.holder.Manner == FinishesSentence {
		f.startYielding()
		return
	}
	f.pauseHolder()
}
