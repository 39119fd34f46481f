package floor

import (
	"slices"
	"time"
)

// startConfirmWindow starts to count a player's voice against a line that is heard, which
// first ducks, and then stops. Whoever talked on although the line had waited long enough
// does not count.
func (f *Floor) startConfirmWindow() {
	if f.phase != audible || len(f.voices) <= len(f.talked) || f.holder.Manner == Insists || f.timers[TimerConfirm] != 0 || f.ripe {
		return
	}
	i := slices.IndexFunc(f.voices, func(v string) bool { return !slices.Contains(f.talked, v) })
	f.counted = f.voices[i]
	after := f.confirmTime()
	f.setTimer(TimerConfirm, after)
	f.ducks = f.holder.Manner == Yields && f.timing.Duck < after
	if f.ducks {
		f.setTimer(TimerDuck, f.timing.Duck)
	}
	f.countSecondVoice()
}

// confirmTime is how long a player must voice before the line that is heard yields.
func (f *Floor) confirmTime() time.Duration {
	if f.holder.Confirm > 0 {
		return f.holder.Confirm
	}
	return f.timing.Confirm
}

// countSecondVoice counts a voice beside the one that runs the confirm window: whoever talks
// while another murmurs has talked as long when the other is done.
func (f *Floor) countSecondVoice() {
	if f.phase != audible || f.timers[TimerConfirm] == 0 || f.timers[TimerSecond] != 0 {
		return
	}
	i := slices.IndexFunc(f.voices, func(v string) bool { return v != f.counted && !slices.Contains(f.talked, v) })
	if i >= 0 {
		f.second = f.voices[i]
		f.setTimer(TimerSecond, f.confirmTime())
	}
}

// continueConfirmWindow goes on counting a voice that is back before its lull was over:
// the gaps between words are part of talking, but nothing happens in one.
func (f *Floor) continueConfirmWindow() {
	f.stopTimer(TimerLull)
	if f.ripe {
		f.ripe = false
		f.confirmInterruption()
		return
	}
	if f.ducks && !f.ducked && f.timers[TimerDuck] == 0 {
		f.duckHolder()
	}
}

func (f *Floor) duckHolder() {
	f.ducked = true
	f.addEffect(Effect{Kind: Duck, Turn: f.holder.Turn})
}

// counts reports whether the voice is heard that the confirm window counts.
func (f *Floor) counts() bool { return slices.Contains(f.voices, f.counted) }

// stopConfirmWindow stops to count: the voices are gone, or the line is not heard.
func (f *Floor) stopConfirmWindow() {
	f.stopTimer(TimerSecond)
	f.stopCounted()
}

// stopCounted stops to count the voice that runs the confirm window.
func (f *Floor) stopCounted() {
	f.stopTimer(TimerDuck)
	f.stopTimer(TimerConfirm)
	f.stopTimer(TimerLull)
	f.ripe = false
	if f.ducked {
		f.ducked = false
		f.addEffect(Effect{Kind: Unduck, Turn: f.holder.Turn})
	}
}

func (f *Floor) startVoice(speaker string) {
	if !slices.Contains(f.voices, speaker) {
		f.voices = append(f.voices, speaker)
	}
	if !slices.Contains(f.talking, speaker) {
		f.talking = append(f.talking, speaker)
	}
	if f.phase == paused {
		f.stopTimer(TimerDoubt) // whoever goes on talking means it
	}
	if f.timers[TimerLull] != 0 {
		if speaker == f.counted {
			f.continueConfirmWindow()
			return
		}
		f.stopConfirmWindow()
	}
	f.startConfirmWindow()
	f.countSecondVoice()
}

// stopVoice holds the confirm window up, and ends it if the voice is not soon back: an
// interruption is voiced time, not the silence after it.
func (f *Floor) stopVoice(speaker string) {
	i := slices.Index(f.voices, speaker)
	if i < 0 {
		return
	}
	f.voices = slices.Delete(f.voices, i, i+1)
	if i := slices.Index(f.talked, speaker); i >= 0 {
		f.talked = slices.Delete(f.talked, i, i+1)
	}
	if speaker == f.second {
		f.stopTimer(TimerSecond)
		f.countSecondVoice() // a third one's turn
	}
	switch {
	case speaker != f.counted || f.timers[TimerConfirm] == 0 && !f.ripe:
	case len(f.voices) > len(f.talked): // two short sounds are no long one
		f.stopCounted()
		f.startConfirmWindow()
	default:
		f.setTimer(TimerLull, f.timing.Lull)
	}
	if len(f.voices) > 0 {
		return
	}
	if f.phase == paused {
		f.setTimer(TimerDoubt, f.timing.Doubt)
	}
}

// interruptHolder is a player whose words need no confirmation.
func (f *Floor) interruptHolder() {
	switch {
	case f.phase == paused:
		f.cutHolder(Interrupted)
	case f.phase == yielding:
		f.meant = true
	case f.phase != audible || f.holder.Manner == Insists:
	case f.holder.Manner == FinishesSentence:
		f.phase, f.meant = yielding, true
	default:
		f.cutHolder(Interrupted)
	}
}

// confirmInterruption is a player who has voiced long enough against a line that is
// heard.
func (f *Floor) confirmInterruption() {
	if f.phase != audible || len(f.voices) <= len(f.talked) {
		return
	}
	if f.holder.Manner == FinishesSentence {
		f.phase = yielding
		f.addEffect(Effect{Kind: Yield, Turn: f.holder.Turn})
		return
	}
	f.pauseHolder()
}
