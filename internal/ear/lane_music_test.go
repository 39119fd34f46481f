package ear_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// note adds d of an instrument to out from time at: overtones that fall off with roll and
// decay within ring seconds.
func note(out []float64, at, d time.Duration, freq, loud, roll, ring, vibrato float64) {
	first := samples(at)
	var tones []float64 // amplitudes of the overtones
	for h := 1.0; h <= 12 && h*freq < 15000; h++ {
		tones = append(tones, math.Pow(h, -roll))
	}
	for i := range samples(d) {
		if first+i >= len(out) {
			return
		}
		t := float64(i) / audio.SampleRate
		attack := min(1, t/0.01)
		release := min(1, (d.Seconds()-t)/0.05)
		sin, cos := math.Sincos(2 * math.Pi * (freq*t + vibrato*math.Sin(2*math.Pi*5.5*t)))
		v, before := 0.0, 0.0
		for _, strength := range tones { // each sine sample follows from the previous two
			v += strength * sin
			sin, before = 2*cos*sin-before, sin
		}
		out[first+i] += loud * attack * release * math.Exp(-t/ring) * v
	}
}

// drum adds a hit of noise over a low tone.
func drum(out []float64, at time.Duration, tone, loud float64, r *rand.Rand) {
	first := samples(at)
	for i := 0; i < samples(200*laneTick) && first+i < len(out); i++ {
		t := float64(i) / audio.SampleRate
		out[first+i] += loud * (math.Exp(-t/0.05)*math.Sin(2*math.Pi*tone*t) + 0.4*math.Exp(-t/0.03)*r.NormFloat64())
	}
}

// scaled scales v to an RMS of rms dBFS.
func scaled(v []float64, rms float64) clip {
	power := 0.0
	for _, x := range v {
		power += x * x
	}
	gain := level(rms) / math.Sqrt(power/float64(len(v)))
	out := make(clip, len(v))
	for i, x := range v {
		out[i] = int16(max(-32768, min(32767, x*gain)))
	}
	return out
}

// pieces are six seconds of music each: a slow organ, a plucked melody, strings with
// vibrato, and a band with drums.
var pieces = sync.OnceValue(func() map[string]clip {
	const d = 6 * time.Second
	r := rand.New(rand.NewPCG(3, 3))
	tone := func(step int) float64 { return 110 * math.Pow(2, float64(step)/12) }
	chords := [][]int{{0, 7, 12, 16}, {5, 9, 12, 17}, {7, 11, 14, 19}, {9, 12, 16, 21}}
	scale := []int{12, 14, 16, 17, 19, 21, 23, 24}
	organ, plucked, strings, band := make([]float64, samples(d)), make([]float64, samples(d)), make([]float64, samples(d)), make([]float64, samples(d))
	for bar := 0; time.Duration(bar)*2*time.Second < d; bar++ {
		at := time.Duration(bar) * 2 * time.Second
		for _, step := range chords[bar%4] {
			note(organ, at, 2*time.Second, tone(step), 0.3, 1, 100, 0)
			note(strings, at, 2*time.Second, tone(step+12), 0.3, 1.1, 100, 0.3)
			note(band, at, 2*time.Second, tone(step), 0.15, 1, 100, 0)
		}
		for beat := range 8 {
			when := at + time.Duration(beat)*250*laneTick
			lead := tone(scale[r.IntN(len(scale))])
			note(plucked, when, 600*laneTick, lead, 0.5, 1.2, 0.25, 0)
			note(plucked, when, 900*laneTick, tone(chords[bar%4][beat%4]), 0.3, 1.4, 0.4, 0)
			note(band, when, 230*laneTick, lead, 0.4, 0.8, 0.5, 0.1)
			drum(band, when, []float64{60, 180}[beat%2], 0.8, r)
		}
	}
	return map[string]clip{"organ": scaled(organ, -24), "plucked": scaled(plucked, -24), "strings": scaled(strings, -24), "band": scaled(band, -22)}
})

// pinkNoise is d of noise with equal power in each octave.
func pinkNoise(d time.Duration, rms float64) clip {
	r := rand.New(rand.NewPCG(8, 8))
	var rows [16]float64
	v := make([]float64, samples(d))
	for i := range v {
		sum := r.NormFloat64()
		for k := range rows {
			if i%(1<<k) == 0 {
				rows[k] = r.NormFloat64()
			}
			sum += rows[k]
		}
		v[i] = sum
	}
	return scaled(v, rms)
}
