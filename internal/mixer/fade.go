package mixer

import (
	"math"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// fadeSamples is 5 ms: short enough not to be noticed, and long enough to avoid a click.
const fadeSamples = audio.SampleRate / int(time.Second/(5*time.Millisecond))

// fade is the faded-out end of a line that was cut off. The zero value is silence.
type fade struct {
	samples [fadeSamples]int16
	n       int
}

// fadeOut fades out the first n samples.
func (f *fade) fadeOut(n int) {
	for i, s := range f.samples[:n] {
		f.samples[i] = int16(int(s) * (n - i) / (n + 1))
	}
	f.n = n
}

// addTo mixes the fade into the beginning of frame and clears it.
func (f *fade) addTo(frame *audio.Frame) {
	for i, s := range f.samples[:f.n] {
		frame[i] = int16(min(max(int(frame[i])+int(s), math.MinInt16), math.MaxInt16))
	}
	f.n = 0
}

// fadeIn fades samples in. left is the remaining length of the fade-in; fadeIn returns what remains after
// samples.
func fadeIn(samples []int16, left int) int {
	samples = samples[:min(left, len(samples))]
	for i, s := range samples {
		samples[i] = int16(int(s) * (fadeSamples - left + i + 1) / (fadeSamples + 1))
	}
	return left - len(samples)
}

// Gains of a line: unity plays it as written, duckedGain 12 dB lower.
const (
	unity      = 1 << 15
	duckedGain = unity / 4
)

// duckStep changes the gain from one to the other within 16 ms.
const duckStep = (unity - duckedGain) / 768

// duck applies a gain to samples while moving it towards the target that ducked selects, and returns the new
// gain.
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
