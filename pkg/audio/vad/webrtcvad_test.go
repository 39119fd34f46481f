package vad_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// detector returns a detector of the given mode. Without the library the test is skipped,
// or fails where all peers are required.
func detector(t testing.TB, mode vad.WebRTCMode) *vad.WebRTC {
	t.Helper()
	d, err := vad.NewWebRTC(mode)
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	return d
}

// vowels is a second of a voice that swells four times.
func vowels() []audio.Frame {
	return sound(func(at float64) float64 {
		v := 0.0
		for h := 1.0; h <= 20; h++ {
			v += math.Sin(2*math.Pi*130*h*at) * (0.1 + math.Exp(-math.Pow((130*h-700)/200, 2)) + math.Exp(-math.Pow((130*h-1800)/300, 2)))
		}
		return 3000 * v * math.Pow(math.Abs(math.Sin(2*math.Pi*2*at)), 0.6)
	})
}

// sound is a second of the function at.
func sound(at func(seconds float64) float64) []audio.Frame {
	out := make([]audio.Frame, 50)
	for i := range out {
		for n := range out[i] {
			out[i][n] = int16(at(float64(i*audio.FrameSamples+n) / audio.SampleRate))
		}
	}
	return out
}

// share returns the share of frames judged voice, over several passes.
func share(d *vad.WebRTC, in []audio.Frame, times int) float64 {
	voiced := 0.0
	for range times {
		for i := range in {
			voiced += d.Process(&in[i])
		}
	}
	return voiced / float64(times*len(in))
}

func TestWebRTCTellsVoiceFromNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name        string
		in          []audio.Frame
		least, most float64
	}{
		{"voice", vowels(), 0.8, 1},
		{"noise", sound(func(float64) float64 { return r.NormFloat64() * 300 }), 0, 0.05},
		{"silence", make([]audio.Frame, 50), 0, 0},
	} {
		for mode := vad.Quality; mode <= vad.VeryAggressive; mode++ {
			t.Run(tt.name+"/"+mode.String(), func(t *testing.T) {
				if got := share(detector(t, mode), tt.in, 5); got < tt.least || got > tt.most {
					t.Errorf("%.2f of the frames are voice, want %v to %v", got, tt.least, tt.most)
				}
			})
		}
	}
}

// The end of a voice is reported at once, without WebRTC's hangover.
func TestVoiceEndsAtOnce(t *testing.T) {
	d, in := detector(t, vad.VeryAggressive), vowels()
	for i := range in[:5] {
		d.Process(&in[i])
	}
	if got := share(d, in[5:8], 1); got != 1 {
		t.Fatalf("%.2f of a vowel is voice, want all of it", got)
	}
	if got := share(d, make([]audio.Frame, 5), 1); got > 0.2 {
		t.Errorf("%.2f of the 100 ms after it are voice, want no more than the first frame", got)
	}
}

// Detectors share no state.
func TestDetectorsAreApart(t *testing.T) {
	in := vowels()
	alone, beside, loud := detector(t, vad.Aggressive), detector(t, vad.Aggressive), detector(t, vad.Aggressive)
	var full audio.Frame
	for n := range full {
		full[n] = int16(n%2*65535 - 32768)
	}
	for i := range in {
		want := alone.Process(&in[i])
		loud.Process(&full)
		if got := beside.Process(&in[i]); got != want {
			t.Fatalf("frame %d = %v beside another detector, %v alone", i, got, want)
		}
	}
}

func TestModes(t *testing.T) {
	for _, mode := range []vad.WebRTCMode{-1, 4} {
		if d, err := vad.NewWebRTC(mode); d != nil || !errors.Is(err, vad.ErrMode) {
			t.Errorf("New(%d) = %v, %v, want ErrMode", int(mode), d, err)
		}
	}
	for mode, want := range map[vad.WebRTCMode]string{0: "quality", 1: "low bitrate", 2: "aggressive", 3: "very aggressive", 7: "Mode(7)"} {
		if got := mode.String(); got != want {
			t.Errorf("Mode(%d) = %q, want %q", int(mode), got, want)
		}
	}
}

func TestLibraryIsNamed(t *testing.T) {
	if got := detector(t, vad.Quality).Library(); !strings.HasPrefix(got, "libwebrtc") {
		t.Errorf("Library = %q, want a library of WebRTC", got)
	}
}

func TestFrameAllocatesNothing(t *testing.T) {
	d, in, i := detector(t, vad.Aggressive), vowels(), 0
	step := func() {
		d.Process(&in[i%len(in)])
		i++
	}
	for range 100 {
		step()
	}
	if got := testing.AllocsPerRun(500, step); got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}

func BenchmarkFrame(b *testing.B) {
	d, in := detector(b, vad.Aggressive), vowels()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Process(&in[i%len(in)])
	}
}
