package scenario

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// soundOf returns the length of samples.
func soundOf(samples []int16) time.Duration { return audio.Duration(len(samples), audio.SampleRate) }

// makeSound returns a sound other than speech, as loud as a voice that peaks at
// dB.
func makeSound(what string, pitch float64, d time.Duration, peak float64, r *rand.Rand) []int16 {
	switch what {
	case "cough":
		return rig.Decay(rig.Noise(orElse(d, 250*time.Millisecond), peak, r), 3)
	case "click":
		return rig.Decay(rig.Noise(orElse(d, 30*time.Millisecond), peak, r), 4)
	case "laugh":
		return rig.Speech(pitch, orElse(d, 700*time.Millisecond), peak)
	}
	return rig.Noise(orElse(d, time.Second), peak-12, r)
}

func orElse(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

const (
	// Tones are toneStep Hz apart and repeat after this many sentences.
	firstTone = 400
	toneStep  = 37
	tones     = 64
	toneLevel = -18 // dBFS
)

// tone is the sound of a scene's nth sentence: a pure tone as long as the
// sentence, with a pitch that no sentence nearby has.
func tone(n int, text string) []int16 {
	out, amp := make([]int16, rig.SamplesIn(spokenFor(text))), rig.Amplitude(toneLevel)
	w := 2 * math.Pi * float64(firstTone+toneStep*(n%tones)) / audio.SampleRate
	for i := range out {
		out[i] = int16(amp * math.Sin(w*float64(i)))
	}
	return out
}

// audible is the smallest sample, of either sign, that counts as sound.
const audible = 100

// loudRange returns the index of the first audible sample of s and the index
// after the last; both are 0 if there is none.
func loudRange(s []int16) (first, end int) {
	for i, v := range s {
		if v > audible || v < -audible {
			if end == 0 {
				first = i
			}
			end = i + 1
		}
	}
	return first, end
}
