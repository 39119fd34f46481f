package audio_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// voice returns seconds of a 48 kHz tone with syllables and pauses, with peaks at
// amplitude.
func voice(amplitude, seconds float64) []int16 {
	out := make([]int16, int(seconds*audio.SampleRate))
	for i := range out {
		t := float64(i) / audio.SampleRate
		envelope := 0.6 + 0.4*math.Sin(2*math.Pi*4*t)
		if math.Mod(t, 1) > 0.7 {
			envelope = 0 // a pause every second
		}
		out[i] = int16(amplitude * envelope * math.Sin(2*math.Pi*180*t))
	}
	return out
}

// loudnessOf returns the integrated loudness of samples.
func loudnessOf(samples []int16) float64 {
	lufs, _ := audio.Gated(audio.NewMeter().Measure(nil, samples))
	return lufs
}

// By the recommendation, a full-scale 997 Hz sine in one channel measures -3.01 LUFS.
func TestMeterIsCalibrated(t *testing.T) {
	sine := make([]int16, 2*audio.SampleRate)
	for i := range sine {
		sine[i] = int16(math.Round(32767 * math.Sin(2*math.Pi*997*float64(i)/audio.SampleRate)))
	}
	if got := loudnessOf(sine); math.Abs(got+3.01) > 0.02 {
		t.Errorf("%.2f LUFS, want -3.01", got)
	}
	quieter := make([]int16, len(sine))
	for i := range sine {
		quieter[i] = sine[i] / 10
	}
	if got := loudnessOf(slices.Concat(sine, make([]int16, 5*audio.SampleRate), quieter)); math.Abs(got+3.2) > 0.3 {
		t.Errorf("%.2f LUFS with pauses and what is much softer, want them left out", got)
	}
	if _, n := audio.Gated(audio.NewMeter().Measure(nil, make([]int16, audio.SampleRate))); n != 0 {
		t.Errorf("%d blocks of silence count", n)
	}
}

// speak passes sound through as one sentence of a voice, in pieces of 100 ms. The part
// within ahead is measured before the first piece comes out.
func speak(v *audio.VoiceLevel, opts *audio.LoudnessOptions, in []int16, ahead time.Duration) (out []int16) {
	l := audio.NewLoudness(v, opts)
	defer l.End()
	n := min(int(ahead*audio.SampleRate/time.Second), len(in))
	l.Measure(in[:n])
	out = l.Process(nil, in[:n])
	for piece := range slices.Chunk(in[n:], audio.SampleRate/10) {
		l.Measure(piece)
		out = l.Process(out, piece)
	}
	return out
}

func TestVoicesMeetAtOneLevel(t *testing.T) {
	for _, tt := range []struct {
		name      string
		amplitude float64
		opts      *audio.LoudnessOptions
		want      float64 // LUFS
	}{
		{"quiet", 1200, nil, -20},
		{"right", 5400, nil, -20},
		{"loud", 22000, nil, -20},
		{"no_less_than_allowed", 32000, &audio.LoudnessOptions{MaxGain: 3}, -12.1},
		{"as_told", 8000, &audio.LoudnessOptions{Target: -26}, -26},
		{"no_more_than_allowed", 1000, &audio.LoudnessOptions{MaxGain: 6}, -33.2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := voice(tt.amplitude, 4)
			if got := loudnessOf(speak(&audio.VoiceLevel{}, tt.opts, in, 3*time.Second)); math.Abs(got-tt.want) > 0.5 {
				t.Errorf("the first sentence has %.1f LUFS, want %.1f; it had %.1f", got, tt.want, loudnessOf(in))
			}
			var v audio.VoiceLevel
			speak(&v, tt.opts, in, 0)
			if got := loudnessOf(speak(&v, tt.opts, in, 0)); math.Abs(got-tt.want) > 0.5 {
				t.Errorf("the second sentence has %.1f LUFS, want %.1f", got, tt.want)
			}
		})
	}
}

// Once a voice is known, sentences that are louder or softer than usual stay so.
func TestExpressionStays(t *testing.T) {
	var v audio.VoiceLevel
	speak(&v, nil, voice(5000, 60), 0)
	if got := v.Speech(); got < 30*time.Second || got > time.Minute {
		t.Errorf("%v of speech are known", got)
	}
	usual, whispered := loudnessOf(speak(&v, nil, voice(5000, 2), 2*time.Second)), loudnessOf(speak(&v, nil, voice(1250, 2), 2*time.Second))
	if d := usual - whispered; d < 10 {
		t.Errorf("of 12 dB between two sentences of one voice %.1f are left", d)
	}
}

func TestPausesAreNotPumpedUp(t *testing.T) {
	l := audio.NewLoudness(&audio.VoiceLevel{}, nil)
	in := voice(6000, 4)
	l.Measure(in)
	l.Process(nil, in)
	before := l.Gain()
	hiss := make([]int16, 10*audio.SampleRate)
	for i := range hiss {
		hiss[i] = int16(i%60) - 30
	}
	l.Measure(hiss)
	l.Process(nil, hiss)
	if got := l.Gain(); math.Abs(20*math.Log10(got/before)) > 0.2 {
		t.Errorf("gain went from %v to %v in a pause", before, got)
	}
}

func TestGainMovesGently(t *testing.T) {
	for _, tt := range []struct {
		name  string
		known []int16
		most  float64 // dB per 20 ms
	}{{"strange", nil, 0.4}, {"known", voice(10000, 4), 0.13}} {
		t.Run(tt.name, func(t *testing.T) {
			var v audio.VoiceLevel
			speak(&v, nil, tt.known, 0)
			l := audio.NewLoudness(&v, nil)
			last := l.Gain()
			for frame := range slices.Chunk(voice(1500, 6), audio.FrameSamples) {
				l.Measure(frame)
				l.Process(nil, frame)
				if step := math.Abs(20 * math.Log10(l.Gain()/last)); step > tt.most {
					t.Fatalf("gain moved by %.2f dB within 20 ms, want at most %.2f", step, tt.most)
				}
				last = l.Gain()
			}
		})
	}
}

func TestLoudnessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Int16(), 0, 30000).Draw(t, "in")
		measured := func() *audio.Loudness {
			l := audio.NewLoudness(&audio.VoiceLevel{}, nil)
			l.Measure(in)
			return l
		}
		want := measured().Process(nil, in)
		pieces := measured()
		var got []int16
		for rest := in; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			got = pieces.Process(got, rest[:n])
			rest = rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Fatal("the output depends on how the input is cut")
		}
		for i, s := range want {
			if s > 32600 || s < -32600 {
				t.Fatalf("sample %d is %d: it clips", i, s)
			}
			if s != 0 && (s > 0) != (in[i] > 0) {
				t.Fatalf("sample %d turned from %d to %d", i, in[i], s)
			}
		}
	})
}

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   float32
		want int16
	}{
		{"silence", 0, 0},
		{"soft", 1234, 1234},
		{"soft_negative", -1234, -1234},
		{"knee", 23000, 23000},
		{"full_scale", 32767, 27841},
		{"sum_of_two", -65534, -30832},
		{"infinity", float32(math.Inf(1)), 32600},
		{"minus_infinity", float32(math.Inf(-1)), -32600},
		{"no_number", float32(math.NaN()), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := audio.Limit(tt.in); got != tt.want {
				t.Errorf("Limit(%v) = %d, want %d", tt.in, got, tt.want)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float32().Draw(t, "a"), rapid.Float32().Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		if audio.Limit(a) > audio.Limit(b) {
			t.Errorf("Limit(%v) = %d is above Limit(%v) = %d", a, audio.Limit(a), b, audio.Limit(b))
		}
		if audio.Limit(-a) != -audio.Limit(a) {
			t.Errorf("Limit(%v) = %d, Limit(%v) = %d", a, audio.Limit(a), -a, audio.Limit(-a))
		}
	})
}

func BenchmarkLoudness(b *testing.B) {
	l := audio.NewLoudness(&audio.VoiceLevel{}, nil)
	in := voice(30000, 1)
	frame := make([]int16, 0, audio.FrameSamples)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := i % 50 * audio.FrameSamples
		l.Measure(in[at : at+audio.FrameSamples])
		frame = l.Process(frame[:0], in[at:at+audio.FrameSamples])
	}
}

func TestLoudnessAllocatesNothing(t *testing.T) {
	l := audio.NewLoudness(&audio.VoiceLevel{}, nil)
	in, out := voice(20000, 0.1), make([]int16, 0, 4800)
	l.Measure(voice(20000, 120)) // the length of the meter's memory
	if n := testing.AllocsPerRun(100, func() {
		l.Measure(in)
		out = l.Process(out[:0], in)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
