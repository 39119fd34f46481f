package scenario

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// samplesIn is how many samples sound for d.
func samplesIn(d time.Duration) int { return int(d * audio.SampleRate / time.Second) }

// soundOf is how long samples sound.
func soundOf(samples []int16) time.Duration { return audio.Duration(len(samples), audio.SampleRate) }

// amplitude is that of a sine which peaks at dB below full scale.
func amplitude(dB float64) float64 { return math.MaxInt16 * math.Pow(10, dB/20) }

// formants are the first three of the vowels that generated speech is made of,
// in Hz.
func formants() [][3]float64 {
	return [][3]float64{{700, 1200, 2500}, {300, 2200, 2900}, {450, 900, 2400}, {500, 1700, 2500}}
}

// utter is d of generated speech: syllables of 240 ms, each the harmonics of a
// wavering pitch under the envelope of a vowel, with a dip between them.
// Voice detectors take it for a voice; peak is in dBFS.
func utter(pitch float64, d time.Duration, peak float64) []int16 {
	const syllable = 0.24
	out := make([]int16, samplesIn(d))
	vowels := formants()
	phase, amp, length := 0.0, amplitude(peak), d.Seconds()
	var gains [20]float64
	var f0, norm, envelope float64
	for i := range out {
		t := float64(i) / audio.SampleRate
		n := int(t / syllable)
		if i%48 == 0 {
			f0 = pitch * (1 + 0.08*math.Sin(2*math.Pi*1.3*t) + 0.02*math.Sin(2*math.Pi*5*t))
			envelope = 0.05 + 0.95*math.Pow(math.Sin(math.Pi*(t/syllable-float64(n))), 0.6)
		}
		phase += 2 * math.Pi * f0 / audio.SampleRate
		if i%480 == 0 {
			norm = shape(&gains, f0, vowels[n%len(vowels)])
		}
		// sin(h·phase), each from the two before it.
		v, now, before, twice := 0.0, math.Sin(phase), 0.0, 2*math.Cos(phase)
		for _, g := range gains {
			v += g * now
			now, before = twice*now-before, now
		}
		edge := max(0, min(1, t/0.01, (length-t)/0.01))
		out[i] = int16(max(-math.MaxInt16, min(math.MaxInt16, amp*envelope*edge*v/norm*2)))
	}
	return out
}

// shape stores the gains of the harmonics of f0 in a vowel and returns their
// sum.
func shape(gains *[20]float64, f0 float64, vowel [3]float64) float64 {
	norm := 0.0
	for h := range gains {
		gains[h] = 0.05
		for k, f := range vowel {
			x := (float64(h+1)*f0 - f) / 120
			gains[h] += math.Exp(-x*x/2) / float64(k+1)
		}
		norm += gains[h]
	}
	return norm
}

// white is d of white noise with its root mean square at dB.
func white(d time.Duration, dB float64, r *rand.Rand) []int16 {
	out, amp := make([]int16, samplesIn(d)), amplitude(dB)
	for i := range out {
		out[i] = int16(max(-math.MaxInt16, min(math.MaxInt16, r.NormFloat64()*amp)))
	}
	return out
}

// decaying lets sound die away: its level falls by rate, in nepers over the
// whole.
func decaying(s []int16, rate float64) []int16 {
	for i := range s {
		s[i] = int16(float64(s[i]) * math.Exp(-rate*float64(i)/float64(len(s))))
	}
	return s
}

// makeSound returns a sound that is no speech, as loud as a voice that peaks at dB.
func makeSound(what string, pitch float64, d time.Duration, peak float64, r *rand.Rand) []int16 {
	switch what {
	case "cough":
		return decaying(white(orElse(d, 250*time.Millisecond), peak, r), 3)
	case "click":
		return decaying(white(orElse(d, 30*time.Millisecond), peak, r), 4)
	case "laugh":
		return utter(pitch, orElse(d, 700*time.Millisecond), peak)
	}
	return white(orElse(d, time.Second), peak-12, r)
}

func orElse(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

const (
	// Tones are toneStep Hz apart and repeat after so many sentences.
	firstTone = 400
	toneStep  = 37
	tones     = 64
	toneLevel = -18 // dBFS
)

// tone is what stands for the nth sentence of a scene when it is spoken: a pure
// tone as long as the sentence, of a pitch no other sentence nearby has.
func tone(n int, text string) []int16 {
	out, amp := make([]int16, samplesIn(spokenFor(text))), amplitude(toneLevel)
	w := 2 * math.Pi * float64(firstTone+toneStep*(n%tones)) / audio.SampleRate
	for i := range out {
		out[i] = int16(amp * math.Sin(w*float64(i)))
	}
	return out
}

// audible is the least sample, of either sign, that counts as sound.
const audible = 100

// loudRange returns the first and behind the last sample of s that can be
// heard; both are 0 if there is none.
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
