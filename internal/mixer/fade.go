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
