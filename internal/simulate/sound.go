package simulate

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// samples is how many there are in d.
func samples(d time.Duration) int { return int(d * audio.SampleRate / time.Second) }

// amplitude is that of a level in dB below full scale.
func amplitude(dB float64) float64 { return 32767 * math.Pow(10, dB/20) }

// vowels are three formants each, in Hz.
var vowels = [...][3]float64{{700, 1200, 2500}, {300, 2200, 2900}, {450, 900, 2400}, {500, 1700, 2500}}

// speech is d of somebody speaking, as far as detectors and codecs can tell:
// syllables of 240 ms with dips between them, of the harmonics of a wavering
// pitch (in Hz) under the formants of changing vowels. It peaks near level, in
// dBFS.
func speech(pitch float64, d time.Duration, level float64) []int16 {
	const (
		syllable  = 0.24
		harmonics = 20
		step      = audio.SampleRate / 1000 // the pitch changes every millisecond
		reshape   = 10 * step
	)
	out := make([]int16, samples(d))
	var gains [harmonics]float64
	var phase, f0, envelope, norm float64
	amp := 2 * amplitude(level)
	for i := range out {
		t := float64(i) / audio.SampleRate
		spoken := t / syllable
		if i%step == 0 {
			f0 = pitch * (1 + 0.08*math.Sin(2*math.Pi*1.3*t) + 0.02*math.Sin(2*math.Pi*5*t))
			envelope = 0.05 + 0.95*math.Pow(math.Sin(math.Pi*(spoken-math.Floor(spoken))), 0.6)
		}
		if i%reshape == 0 {
			norm = shape(&gains, f0, vowels[int(spoken)%len(vowels)])
		}
		phase += 2 * math.Pi * f0 / audio.SampleRate
		// sin(h·phase), each from the two before it.
		v, now, before, twice := 0.0, math.Sin(phase), 0.0, 2*math.Cos(phase)
		for _, g := range gains {
			v += g * now
			now, before = twice*now-before, now
		}
		edge := max(0, min(1, t/0.01, (d.Seconds()-t)/0.01))
		out[i] = int16(amp * envelope * edge * v / norm)
	}
	return out
}

// shape stores the strength of each harmonic of f0 under a vowel's formants and
// returns their sum.
func shape(gains *[20]float64, f0 float64, vowel [3]float64) float64 {
	sum := 0.0
	for h := range gains {
		gains[h] = 0.05
		for k, formant := range vowel {
			x := (float64(h+1)*f0 - formant) / 120
			gains[h] += math.Exp(-x*x/2) / float64(k+1)
		}
		sum += gains[h]
	}
	return sum
}

// noise is d of white noise with its root mean square at level, in dBFS.
func noise(d time.Duration, level float64) []int16 {
	rng := rand.New(rand.NewPCG(1, 7))
	out, amp := make([]int16, samples(d)), amplitude(level)
	for i := range out {
		out[i] = int16(max(-32768, min(32767, rng.NormFloat64()*amp)))
	}
	return out
}

// cough is a burst of noise with a hard onset.
func cough() []int16 {
	out := noise(280*time.Millisecond, -14)
	for i := range out {
		out[i] = int16(float64(out[i]) * math.Exp(-3*float64(i)/float64(len(out))))
	}
	return out
}

// over adds a background to a sound; the result is as long as the sound.
func over(sound, background []int16) []int16 {
	out := make([]int16, len(sound))
	for i, s := range sound {
		out[i] = int16(max(-32768, min(32767, int32(s)+int32(background[i%len(background)]))))
	}
	return out
}
