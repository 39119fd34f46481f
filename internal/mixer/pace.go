package mixer

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// slack is how late a frame may be without moving the schedule. Timers and schedulers are always a little
// late; if that moved the schedule, playback would be slower than the listeners' clocks. A frame that is
// later moves the schedule, because catching up would send frames in a burst.
const slack = 5 * time.Millisecond

// pace is the schedule of the frames.
type pace struct {
	unpaced bool
	lead    time.Duration
	next    time.Time // when the next frame begins to sound
	floor   time.Time // no frame was due before this time
	moved   uint64
}

// nextDue returns when the next frame may be handed over. fresh means that there was nothing to hand over
// until now, so the frame is not late.
func (p *pace) nextDue(now time.Time, fresh bool) time.Time {
	if p.unpaced {
		return now
	}
	if fresh {
		p.floor = now
		if p.next.Before(now) {
			p.next = now
		}
	}
	if due := p.next.Add(-p.lead); due.After(p.floor) {
		return due
	}
	return p.floor
}

// recordWrite records that a frame was handed over and returns how late it was.
func (p *pace) recordWrite(now time.Time) (late time.Duration) {
	if p.unpaced {
		return 0
	}
	late = now.Sub(p.nextDue(now, false))
	if now.Sub(p.next) > slack {
		p.next, p.floor = now, now
		p.moved++
	}
	p.next = p.next.Add(audio.FrameDuration)
	return late
}

// allHeard reports whether everything handed over has been heard.
func (p *pace) allHeard(now time.Time) bool { return !p.unpaced && now.After(p.next) }

// endOfSound returns the time at which the sound handed over ends, or now if that is later.
func (p *pace) endOfSound(now time.Time) time.Time {
	if !p.unpaced && p.next.After(now) {
		return p.next
	}
	return now
}
