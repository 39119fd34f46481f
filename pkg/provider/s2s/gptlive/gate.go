package gptlive

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// audible is the least amplitude that counts as sound.
	audible = 33
	// breath is how long speech may pause and still be one run: what is shorter is
	// passed on as silence, so that playback does not run dry within a word.
	breath = 300 * time.Millisecond
	// slack is how late a piece may come.
	slack = 50 * time.Millisecond
	// onset is how much is kept before the first audible sample of a run.
	onset = rate / 200
)

// gate tells speech from the silence the service sends all the time, by the time of
// its sound, which may come faster than it plays, and by ours, where it leaves
// silence out.
type gate struct {
	loud  time.Time     // when something audible came last
	quiet time.Duration // silence that came since
}

// pass returns what of a piece of sound that came at now is to be played.
func (g *gate) pass(samples []int16, now time.Time) []int16 {
	first := firstAudible(samples)
	if first < 0 {
		if g.quiet += audio.Duration(len(samples), rate); !g.isOpen(now) {
			return nil
		}
		return samples
	}
	if !g.isOpen(now) {
		samples = samples[max(0, first-onset):]
	}
	g.loud, g.quiet = now, 0
	return samples
}

// isOpen reports whether speech is under way at now.
func (g *gate) isOpen(now time.Time) bool {
	return g.quiet < breath && now.Sub(g.loud) <= breath+slack
}

// firstAudible is where sound begins, -1 if it is all silence.
func firstAudible(samples []int16) int {
	for i, v := range samples {
		if v >= audible || v <= -audible {
			return i
		}
	}
	return -1
}
