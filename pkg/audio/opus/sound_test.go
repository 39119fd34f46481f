package opus_test

import (
	"math"
	"os"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// required makes a test fail if a peer is missing.
const required = "GLYPHOXA_REQUIRE_PEERS"

// library returns libopus. Without it the test is skipped, or fails where all peers are
// required.
func library(t testing.TB) *opus.Library {
	t.Helper()
	lib, err := opus.Load()
	if err == nil {
		return lib
	}
	if os.Getenv(required) == "1" {
		t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
	}
	t.Skipf("%v; to run this test: make peers", err)
	return nil
}

// decoders returns one decoder of each kind, by name.
func decoders(t testing.TB) map[string]opus.Decoder {
	t.Helper()
	all := map[string]opus.Decoder{}
	for name, lib := range map[string]*opus.Library{"libopus": library(t), "go": nil} {
		d, err := opus.NewDecoder(lib)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = d
	}
	return all
}

func encoder(t testing.TB, opts *opus.EncoderOptions) opus.Encoder {
	t.Helper()
	e, err := opus.NewEncoder(library(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// tone is n frames of a sine at half scale.
func tone(freq float64, n int) []audio.Frame {
	return generate(n, func(i int) float64 { return math.Sin(2 * math.Pi * freq * float64(i) / audio.SampleRate) })
}

// vowels is n frames of the harmonics of a gliding pitch, with formants that move four
// times a second.
func vowels(n int) []audio.Frame {
	phase := 0.0
	return generate(n, func(i int) float64 {
		t := float64(i) / audio.SampleRate
		f0 := 130 * (1 + 0.1*math.Sin(2*math.Pi*0.7*t))
		phase += 2 * math.Pi * f0 / audio.SampleRate
		first := 500 + 200*math.Sin(2*math.Pi*4*t)
		v := 0.0
		for h := 1; h <= 24; h++ {
			x, y := (float64(h)*f0-first)/150, (float64(h)*f0-1500)/250
			v += (math.Exp(-x*x/2) + 0.4*math.Exp(-y*y/2) + 0.02) * math.Sin(float64(h)*phase)
		}
		return v / 3 * (0.6 + 0.4*math.Sin(2*math.Pi*4*t))
	})
}

// generate returns n frames of f at half scale.
func generate(n int, f func(i int) float64) []audio.Frame {
	out := make([]audio.Frame, n)
	for i := range n * audio.FrameSamples {
		v := 16384 * max(-1, min(1, f(i)))
		out[i/audio.FrameSamples][i%audio.FrameSamples] = int16(v)
	}
	return out
}

func flat(frames []audio.Frame) []int16 {
	var out []int16
	for i := range frames {
		out = append(out, frames[i][:]...)
	}
	return out
}

// snr returns how far the error of got lies below want, in dB, at the best delay and
// gain.
func snr(want, got []int16) float64 {
	best := math.Inf(-1)
	// The codec delays by 6.5 ms, and needs a moment to adapt.
	const shortest, longest, skip = 290, 330, 4800
	for delay := shortest; delay <= longest; delay++ {
		var cross, power, total float64
		for i := skip; i < len(want)-longest; i++ {
			w, g := float64(want[i]), float64(got[i+delay])
			cross += w * g
			power += g * g
			total += w * w
		}
		if power == 0 || cross <= 0 {
			continue
		}
		explained := cross * cross / power
		best = max(best, 10*math.Log10(total/max(total-explained, 1)))
	}
	return best
}

// encode returns the frames' payloads.
func encode(t testing.TB, e opus.Encoder, frames []audio.Frame) [][]byte {
	t.Helper()
	var all [][]byte
	for i := range frames {
		p, err := e.Encode(nil, &frames[i])
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		all = append(all, p)
	}
	return all
}

func decode(t testing.TB, d opus.Decoder, payloads [][]byte) []audio.Frame {
	t.Helper()
	out := make([]audio.Frame, len(payloads))
	for i, p := range payloads {
		if err := d.Decode(&out[i], p); err != nil {
			t.Fatalf("payload %d: %v", i, err)
		}
	}
	return out
}

func bytes(payloads [][]byte) int {
	n := 0
	for _, p := range payloads {
		n += len(p)
	}
	return n
}

// power returns the mean square of a frame.
func power(f *audio.Frame) float64 {
	sum := 0.0
	for _, s := range f {
		sum += float64(s) * float64(s)
	}
	return sum / float64(len(f))
}
