package mixer

import (
	"math"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// fadeSamples is 5 ms: short enough to be no part of the sound, long enough
// not to click.
const fadeSamples = audio.SampleRate / int(time.Second/(5*time.Millisecond))

// fade is the end of a line that was cut off, already fading. The zero value
// is silence.
type fade struct {
	samples [fadeSamples]int16
	n       int
}

// fadeOut makes the first n samples fade out.
func (f *fade) fadeOut(n int) {
	for i, s := range f.samples[:n] {
		f.samples[i] = int16(int(s) * (n - i) / (n + 1))
	}
	f.n = n
}

// addTo sums the fade into the beginning of frame and ends it.
func (f *fade) addTo(frame *audio.Frame) {
	for i, s := range f.samples[:f.n] {
		frame[i] = int16(min(max(int(frame[i])+int(s), math.MinInt16), math.MaxInt16))
	}
	f.n = 0
}

// fadeIn fades samples in. left is how much of the fade-in is still to come; it
// returns what is left after samples.
func fadeIn(samples []int16, left int) int {
	samples = samples[:min(left, len(samples))]
	for i, s := range samples {
		samples[i] = int16(int(s) * (fadeSamples - left + i + 1) / (fadeSamples + 1))
	}
	return left - len(samples)
}

// What a line is played with: unity is as loud as it was written, duckedGain 12 dB less.
const (
	unity      = 1 << 15
	duckedGain = unity / 4
)

// duckStep takes a gain from one to the other in 16 ms.
const duckStep = (unity - duckedGain) / 768

// duck applies a gain to samples, which moves towards what ducked says, and returns
// where it has come to.
func duck(samples []int16, gain int, ducked bool) int {
	if gain == unity && !ducked {
		return gain
	}
	for i, s := range samples {
		if ducked {
			gain = max(gain-duckStep, duckedGain)
		} else {
			gain = min(gain+duckStep, unity)
		}
		samples[i] = int16(int(s) * gain / unity)
	}
	return gain
}
