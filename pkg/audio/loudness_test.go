package audio_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// voice returns seconds of a tone at 48 kHz with syllables and pauses, whose
// peaks are at amplitude.
func voice(amplitude, seconds float64) []int16 {
	out := make([]int16, int(seconds*audio.SampleRate))
	for i := range out {
		t := float64(i) / audio.SampleRate
		envelope := 0.6 + 0.4*math.Sin(2*math.Pi*4*t)
		if math.Mod(t, 1) > 0.7 {
			envelope = 0 // a pause each second
		}
		out[i] = int16(amplitude * envelope * math.Sin(2*math.Pi*180*t))
	}
	return out
}

// speechLevel is the level without pauses, in dBFS.
func speechLevel(samples []int16) float64 {
	var sum float64
	n := 0
	for block := range slices.Chunk(samples, 480) {
		var square float64
		for _, s := range block {
			square += float64(s) * float64(s)
		}
		if square/float64(len(block)) > 1000 {
			sum += square
			n += len(block)
		}
	}
	return 10 * math.Log10(sum/float64(n)/32768/32768)
}

func newLoudness(t testing.TB, opts *audio.LoudnessOptions) *audio.Loudness {
	t.Helper()
	l, err := audio.NewLoudness(audio.SampleRate, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestVoicesMeetAtOneLevel(t *testing.T) {
	for _, tt := range []struct {
		name      string
		amplitude float64
		opts      *audio.LoudnessOptions
		want      float64 // dBFS
	}{
		{"quiet", 2500, nil, -20},
		{"right", 5400, nil, -20},
		{"loud", 16000, nil, -20},
		{"no_less_than_allowed", 32000, &audio.LoudnessOptions{MaxGain: 6}, -12.6},
		{"as_told", 8000, &audio.LoudnessOptions{Target: -26}, -26},
		{"no_more_than_allowed", 1000, &audio.LoudnessOptions{MaxGain: 6}, -30.7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLoudness(t, tt.opts)
			in := voice(tt.amplitude, 8)
			l.Process(nil, in) // the voice is known by now
			if got := speechLevel(l.Process(nil, in)); math.Abs(got-tt.want) > 1 {
				t.Errorf("level = %.1f dBFS, want %.1f; it was %.1f", got, tt.want, speechLevel(in))
			}
		})
	}
}

func TestPausesAreNotPumpedUp(t *testing.T) {
	l := newLoudness(t, nil)
	l.Process(nil, voice(6000, 4))
	before := l.Gain()
	hiss := make([]int16, 10*audio.SampleRate)
	for i := range hiss {
		hiss[i] = int16(i%60) - 30
	}
	l.Process(nil, hiss)
	if got := l.Gain(); math.Abs(got-before) > 1e-3 {
		t.Errorf("gain went from %v to %v in a pause", before, got)
	}
}

func TestGainMovesGently(t *testing.T) {
	l := newLoudness(t, nil)
	last := l.Gain()
	for frame := range slices.Chunk(voice(1500, 4), audio.FrameSamples) {
		l.Process(nil, frame)
		if step := math.Abs(20 * math.Log10(l.Gain()/last)); step > 0.4 {
			t.Fatalf("gain moved by %.2f dB within 20 ms, want at most 0.4", step)
		}
		last = l.Gain()
	}
}

func TestLoudnessRate(t *testing.T) {
	if _, err := audio.NewLoudness(10, nil); !errors.Is(err, audio.ErrRate) {
		t.Errorf("err = %v, want ErrRate", err)
	}
}

func TestLoudnessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Int16(), 0, 3000).Draw(t, "in")
		whole, err := audio.NewLoudness(audio.SampleRate, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := whole.Process(nil, in)
		pieces, err := audio.NewLoudness(audio.SampleRate, nil)
		if err != nil {
			t.Fatal(err)
		}
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
	l := newLoudness(b, nil)
	in := voice(30000, 1)
	frame := make([]int16, 0, audio.FrameSamples)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := i % 50 * audio.FrameSamples
		frame = l.Process(frame[:0], in[at:at+audio.FrameSamples])
	}
}

func TestLoudnessAllocatesNothing(t *testing.T) {
	l := newLoudness(t, nil)
	in, out := voice(20000, 0.1), make([]int16, 0, 4800)
	if n := testing.AllocsPerRun(100, func() { out = l.Process(out[:0], in) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
