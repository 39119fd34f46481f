package ear_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// clip is 48 kHz sound that a test composes.
type clip []int16

func samples(d time.Duration) int { return rig.SamplesIn(d) }

// level returns the amplitude of a sine that peaks at dB below full scale.
func level(dB float64) float64 { return rig.Amplitude(dB) }

// laneVoice is d of speech; peak is in dBFS.
func laneVoice(pitch float64, d time.Duration, peak float64) clip { return rig.Speech(pitch, d, peak) }

// noise is d of white noise with its RMS at dB, repeating every second.
func noise(d time.Duration, dB float64, seed uint64) clip {
	r := rand.New(rand.NewPCG(seed, 7))
	out, amp := make(clip, samples(d)), level(dB)
	for i := range out {
		if i >= audio.SampleRate {
			out[i] = out[i-audio.SampleRate]
			continue
		}
		out[i] = int16(max(-32768, min(32767, r.NormFloat64()*amp)))
	}
	return out
}

// hum is d of 50 Hz mains hum with harmonics.
func hum(d time.Duration, peak float64) clip {
	out, amp := make(clip, samples(d)), level(peak)
	for i := range out {
		w := 2 * math.Pi * 50 * float64(i) / audio.SampleRate
		out[i] = int16(amp * (math.Sin(w) + 0.4*math.Sin(2*w+1) + 0.25*math.Sin(3*w+2)) / 1.65)
	}
	return out
}

// buzz is d of the buzz of a dimmer or a bad cable: all harmonics of f.
func buzz(d time.Duration, f, peak float64) clip {
	out := make(clip, samples(d))
	period := int(audio.SampleRate / f)
	for i := range out {
		if i >= period {
			out[i] = out[i-period]
			continue
		}
		v := 0.0
		for h := 1.0; h <= 20; h++ {
			v += math.Sin(2*math.Pi*h*float64(i)/float64(period)+h*h) / h
		}
		out[i] = int16(level(peak) * v / 2)
	}
	return out
}

// rumble is d of low noise that swells and fades like street noise.
func rumble(d time.Duration, dB float64) clip {
	r := rand.New(rand.NewPCG(5, 5))
	out := make(clip, samples(d))
	y, amp := 0.0, 0.0
	for i := range out {
		if i%480 == 0 {
			amp = level(dB + 6*math.Sin(2*math.Pi*0.7*float64(i)/audio.SampleRate))
		}
		y = 0.95*y + 0.31*r.NormFloat64()
		out[i] = int16(max(-32768, min(32767, amp*y)))
	}
	return out
}

// offset adds a DC offset, as a bad sound card does.
func offset(c clip, by int) clip {
	out := make(clip, len(c))
	for i, s := range c {
		out[i] = int16(max(-32768, min(32767, int(s)+by)))
	}
	return out
}

// click is a hard key press: noise and ringing that decay within d.
func click(d time.Duration, peak float64, seed uint64) clip {
	r := rand.New(rand.NewPCG(seed, 11))
	out, amp := make(clip, samples(d)), level(peak)
	for i := range out {
		t := float64(i) / audio.SampleRate
		decay := math.Exp(-4 * t / d.Seconds())
		out[i] = int16(amp * decay * (0.5*r.Float64() - 0.25 + 0.5*math.Sin(2*math.Pi*2300*t)))
	}
	return out
}

// cough is a 250 ms burst of noise with a hard onset.
func cough(peak float64, seed uint64) clip {
	out := noise(250*time.Millisecond, peak, seed)
	for i := range out {
		out[i] = int16(float64(out[i]) * math.Exp(-3*float64(i)/float64(len(out))))
	}
	return out
}

func silence(d time.Duration) clip { return make(clip, samples(d)) }

// join concatenates clips.
func join(clips ...clip) clip {
	var out clip
	for _, c := range clips {
		out = append(out, c...)
	}
	return out
}

// over lays one sound over another; the result is as long as the first.
func over(a, b clip) clip {
	out := make(clip, len(a))
	for i := range a {
		v := int32(a[i])
		if i < len(b) {
			v += int32(b[i])
		}
		out[i] = int16(max(-32768, min(32767, v)))
	}
	return out
}

// frames cuts a clip into frames, the last padded.
func frames(c clip) []audio.Frame {
	var framer audio.Framer
	framer.Push(c)
	var out []audio.Frame
	var f audio.Frame
	for framer.Next(&f) {
		out = append(out, f)
	}
	if framer.Flush(&f) {
		out = append(out, f)
	}
	return out
}
