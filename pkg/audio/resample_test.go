package audio_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// sine is one second of a tone at half scale.
func sine(freq float64, rate int) []int16 {
	s := make([]int16, rate)
	for i := range s {
		s[i] = int16(math.Round(16384 * math.Sin(2*math.Pi*freq*float64(i)/float64(rate))))
	}
	return s
}

// levels splits samples into the power at freq and the rest, in dB relative to a
// half-scale sine. It fits sine and cosine over a window away from the edges.
func levels(samples []int16, freq float64, rate int) (tone, rest float64) {
	window := samples[len(samples)/10 : len(samples)*9/10]
	var ss, cc, sc, xs, xc float64
	for i, v := range window {
		sin, cos := math.Sincos(2 * math.Pi * freq * float64(i) / float64(rate))
		ss, cc, sc = ss+sin*sin, cc+cos*cos, sc+sin*cos
		xs, xc = xs+float64(v)*sin, xc+float64(v)*cos
	}
	det := ss*cc - sc*sc
	a, b := (xs*cc-xc*sc)/det, (xc*ss-xs*sc)/det
	var left float64
	for i, v := range window {
		sin, cos := math.Sincos(2 * math.Pi * freq * float64(i) / float64(rate))
		d := float64(v) - a*sin - b*cos
		left += d * d
	}
	full := 16384.0 * 16384 / 2
	return db((a*a + b*b) / 2 / full), db(left / float64(len(window)) / full)
}

func db(power float64) float64 { return 10 * math.Log10(power+1e-20) }

func resample(t testing.TB, from, to int, in []int16) []int16 {
	t.Helper()
	r, err := audio.NewResampler(from, to)
	if err != nil {
		t.Fatalf("NewResampler(%d, %d): %v", from, to, err)
	}
	return r.Flush(r.Process(nil, in))
}

func TestResamplerKeepsTonesClean(t *testing.T) {
	for _, rates := range [][2]int{
		{22050, 48000}, {24000, 48000}, {16000, 48000}, {44100, 48000}, {8000, 48000},
		{48000, 16000}, {48000, 22050}, {48000, 24000}, {22051, 48000}, {48000, 44101},
	} {
		slow := float64(min(rates[0], rates[1]))
		for _, part := range []float64{0.01, 0.1, 0.25, 0.4} {
			freq := math.Round(part * slow)
			t.Run(fmt.Sprintf("%d_to_%d_at_%.0fHz", rates[0], rates[1], freq), func(t *testing.T) {
				tone, rest := levels(resample(t, rates[0], rates[1], sine(freq, rates[0])), freq, rates[1])
				if math.Abs(tone) > 0.1 {
					t.Errorf("tone = %.2f dB, want within 0.1 dB of 0", tone)
				}
				if rest > -70 {
					t.Errorf("images and noise = %.1f dB, want at most -70 dB", rest)
				}
			})
		}
	}
}

func TestResamplerRejectsAliases(t *testing.T) {
	for _, rates := range [][2]int{{48000, 16000}, {48000, 22050}, {48000, 24000}, {44100, 8000}} {
		for _, part := range []float64{0.505, 0.6, 0.8, 0.95} {
			freq := math.Round(part * float64(rates[1]))
			if freq >= float64(rates[0])/2 {
				continue
			}
			t.Run(fmt.Sprintf("%d_to_%d_at_%.0fHz", rates[0], rates[1], freq), func(t *testing.T) {
				out := resample(t, rates[0], rates[1], sine(freq, rates[0]))
				var power float64
				for _, v := range out[len(out)/10 : len(out)*9/10] {
					power += float64(v) * float64(v)
				}
				got := db(power / (0.8 * float64(len(out))) / (16384 * 16384 / 2))
				if got > -70 {
					t.Errorf("alias = %.1f dB, want at most -70 dB", got)
				}
			})
		}
	}
}

func TestResamplerLengthAndAlignment(t *testing.T) {
	for _, tt := range []struct{ from, to, n, want int }{
		{22050, 48000, 22050, 48000}, {24000, 48000, 1, 2}, {16000, 48000, 7, 21},
		{48000, 16000, 7, 3}, {48000, 48000, 5, 5}, {22050, 48000, 0, 0}, {44100, 48000, 3, 4},
	} {
		t.Run(fmt.Sprintf("%d_to_%d_%d", tt.from, tt.to, tt.n), func(t *testing.T) {
			if got := len(resample(t, tt.from, tt.to, make([]int16, tt.n))); got != tt.want {
				t.Errorf("length = %d, want %d", got, tt.want)
			}
		})
	}
	click := make([]int16, 1000)
	click[500] = 20000
	out := resample(t, 16000, 48000, click)
	if got := slices.Index(out, slices.Max(out)); got != 1500 {
		t.Errorf("click at %d, want 1500", got)
	}
}

func TestResamplerConstantAndSaturation(t *testing.T) {
	in := make([]int16, 2000)
	for i := range in {
		in[i] = math.MaxInt16
		if i >= 1000 {
			in[i] = math.MinInt16
		}
	}
	out := resample(t, 22050, 48000, in)
	if got := out[1000]; got < math.MaxInt16-1 {
		t.Errorf("constant became %d, want %d", got, math.MaxInt16)
	}
	for i, v := range out[100:2000] {
		if v < 0 {
			t.Fatalf("sample %d wrapped round to %d", i+100, v)
		}
	}
}

func TestResamplerRefusesRates(t *testing.T) {
	for _, rates := range [][2]int{{0, 48000}, {48000, 0}, {-1, 1}, {48000, 1 << 30}} {
		if _, err := audio.NewResampler(rates[0], rates[1]); !errors.Is(err, audio.ErrRate) {
			t.Errorf("NewResampler(%d, %d) = %v, want ErrRate", rates[0], rates[1], err)
		}
	}
}

// The output does not depend on how the input is split.
func TestResamplerIgnoresCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom([]int{8000, 16000, 22050, 24000, 44100, 48000, 11027}).Draw(t, "from")
		to := rapid.SampledFrom([]int{8000, 16000, 22050, 48000, 47999}).Draw(t, "to")
		r, err := audio.NewResampler(from, to)
		if err != nil {
			t.Fatal(err)
		}
		in := rapid.SliceOfN(rapid.Int16(), 0, 3000).Draw(t, "in")
		want := r.Flush(r.Process(nil, in))
		if n := (len(in)*to + from - 1) / from; len(want) != n {
			t.Fatalf("length = %d, want %d", len(want), n)
		}
		var got []int16
		for len(in) > 0 {
			n := rapid.IntRange(1, len(in)).Draw(t, "cut")
			got = r.Process(got, in[:n])
			in = in[n:]
		}
		if got = r.Flush(got); !slices.Equal(got, want) {
			t.Fatalf("cut input yields other samples")
		}
	})
}

func TestResamplerDoesNotAllocate(t *testing.T) {
	r, err := audio.NewResampler(22050, 48000)
	if err != nil {
		t.Fatal(err)
	}
	in, out := make([]int16, 441), make([]int16, 0, 2000)
	if got := testing.AllocsPerRun(100, func() { out = r.Process(out[:0], in) }); got != 0 {
		t.Errorf("allocations = %v, want 0", got)
	}
}

func BenchmarkResampler(b *testing.B) {
	for _, from := range []int{16000, 22050, 24000} {
		b.Run(fmt.Sprintf("%d_to_48000_frame", from), func(b *testing.B) {
			r, err := audio.NewResampler(from, 48000)
			if err != nil {
				b.Fatal(err)
			}
			in, out := sine(440, from)[:from/50], make([]int16, 0, 2*audio.FrameSamples)
			b.ReportAllocs()
			for b.Loop() {
				out = r.Process(out[:0], in)
			}
		})
	}
}

func BenchmarkNewResampler(b *testing.B) {
	for b.Loop() {
		if _, err := audio.NewResampler(22050, 48000); err != nil {
			b.Fatal(err)
		}
	}
}
