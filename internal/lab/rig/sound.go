// Package rig contains parts of scripted scenes and simulated tables: synthetic
// voices, and a recogniser that knows the spoken words in advance. It does no
// I/O and starts no goroutine.
package rig

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// SamplesIn returns the number of samples in d.
func SamplesIn(d time.Duration) int { return int(d * audio.SampleRate / time.Second) }

// Amplitude returns the amplitude of a sine that peaks at dB below full scale.
func Amplitude(dB float64) float64 { return math.MaxInt16 * math.Pow(10, dB/20) }

// vowels have three formants each, in Hz.
var vowels = [...][3]float64{{700, 1200, 2500}, {300, 2200, 2900}, {450, 900, 2400}, {500, 1700, 2500}}

// harmonics is the number of harmonics of a voice.
const harmonics = 20

// Speech returns sound of length d that detectors and codecs treat as speech:
// syllables of 240 ms, each the harmonics of a wavering pitch (in Hz) under the
// envelope of a vowel, with a dip between them. peak is in dBFS.
func Speech(pitch float64, d time.Duration, peak float64) []int16 {
	const (
		syllable = 0.24
		step     = audio.SampleRate / 1000 // the pitch changes every millisecond
		reshape  = 10 * step
	)
	out := make([]int16, SamplesIn(d))
	phase, amp, length := 0.0, Amplitude(peak), d.Seconds()
	var gains [harmonics]float64
	var f0, norm, envelope float64
	for i := range out {
		t := float64(i) / audio.SampleRate
		n := int(t / syllable)
		if i%step == 0 {
			f0 = pitch * (1 + 0.08*math.Sin(2*math.Pi*1.3*t) + 0.02*math.Sin(2*math.Pi*5*t))
			envelope = 0.05 + 0.95*math.Pow(math.Sin(math.Pi*(t/syllable-float64(n))), 0.6)
		}
		phase += 2 * math.Pi * f0 / audio.SampleRate
		if i%reshape == 0 {
			norm = shapeVowel(&gains, f0, vowels[n%len(vowels)])
		}
		// sin(h·phase), each from the two before it.
		v, now, before, twice := 0.0, math.Sin(phase), 0.0, 2*math.Cos(phase)
		for _, g := range gains {
			v += g * now
			now, before = twice*now-before, now
		}
		edge := max(0, min(1, t/0.01, (length-t)/0.01))
		out[i] = clipSample(amp * envelope * edge * v / norm * 2)
	}
	return out
}

// shapeVowel stores the gains of the harmonics of f0 in a vowel and returns their
// sum.
func shapeVowel(gains *[harmonics]float64, f0 float64, vowel [3]float64) float64 {
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

// Noise returns white noise of length d with its root mean square at dB below
// full scale.
func Noise(d time.Duration, dB float64, chance *rand.Rand) []int16 {
	out, amp := make([]int16, SamplesIn(d)), Amplitude(dB)
	for i := range out {
		out[i] = clipSample(chance.NormFloat64() * amp)
	}
	return out
}

// Decay fades sound in place: its level falls by rate, in nepers over the
// whole.
func Decay(s []int16, rate float64) []int16 {
	for i := range s {
		s[i] = int16(float64(s[i]) * math.Exp(-rate*float64(i)/float64(len(s))))
	}
	return s
}

func clipSample(v float64) int16 { return int16(max(-math.MaxInt16, min(math.MaxInt16, v))) }
