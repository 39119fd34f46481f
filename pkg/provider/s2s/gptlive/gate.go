package gptlive

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// audible is the minimum amplitude that counts as sound.
	audible = 33
	// breath is the maximum pause within a run of speech. Shorter pauses are passed on as silence, so that
	// playback does not run dry within a word.
	breath = 300 * time.Millisecond
	// slack is how late a piece may arrive.
	slack = 50 * time.Millisecond
	// onset is the number of samples kept before the first audible one of a run.
	onset = rate / 200
)

// gate separates speech from the silence that the service sends all the time. It uses the time of the audio,
// which may arrive faster than it plays, and real time where the service omits silence.
type gate struct {
	loud  time.Time     // when audible audio last arrived
	quiet time.Duration // silence received since
}

// pass returns the part to play of a piece that arrived at now.
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

// isOpen reports whether speech is in progress at now.
func (g *gate) isOpen(now time.Time) bool {
	return g.quiet < breath && now.Sub(g.loud) <= breath+slack
}

// firstAudible returns the index of the first audible sample, or -1 if all are silent.
func firstAudible(samples []int16) int {
	for i, v := range samples {
		if v >= audible || v <= -audible {
			return i
		}
	}
	return -1
}
