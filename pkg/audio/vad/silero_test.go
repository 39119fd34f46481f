package vad_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a session that is closed after the test. Without the library the test is
// skipped, or fails where all peers are required.
func open(t testing.TB) *vad.Silero {
	t.Helper()
	s, err := vad.OpenSilero("")
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStream(t testing.TB, s *vad.Silero) *vad.SileroStream {
	t.Helper()
	st, err := s.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

type window = [vad.WindowSamples]float32

// windows returns n windows of the function at.
func windows(n int, at func(seconds float64) float64) []window {
	out := make([]window, n)
	for i := range out {
		for k := range out[i] {
			out[i][k] = float32(at(float64(i*vad.WindowSamples+k) / vad.SileroRate))
		}
	}
	return out
}

// spoken returns n windows of repeated speech.
func spoken(t testing.TB, n int) []window {
	t.Helper()
	r, err := audio.NewResampler(audio.SampleRate, vad.SileroRate)
	if err != nil {
		t.Fatal(err)
	}
	sound := r.Flush(r.Process(nil, rig.Speech(110, 2*time.Second, -14)))
	return windows(n, func(at float64) float64 { return float64(sound[int(at*vad.SileroRate)%len(sound)]) / 32768 })
}

func judge(t testing.TB, st *vad.SileroStream, in []window) []float64 {
	t.Helper()
	var out []float64
	for i := range in {
		p, err := st.Judge(&in[i])
		if err != nil {
			t.Fatal(err)
		}
		if p < 0 || p > 1 {
			t.Fatalf("window %d is %v, want a probability", i, p)
		}
		out = append(out, p)
	}
	return out
}

// The embedded model is the one that NOTICE names.
func TestModelIsTheOneInTheNotice(t *testing.T) {
	data, err := os.ReadFile("silero_vad.onnx")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	const want = "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("the model's sum is %s, want %s", got, want)
	}
	notice, err := os.ReadFile(filepath.FromSlash("../../../NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{want, "silero_vad.onnx", "pkg/audio/vad/LICENSE", "MIT"} {
		if !strings.Contains(string(notice), part) {
			t.Errorf("NOTICE lacks %s", part)
		}
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil || !strings.Contains(string(licence), "Silero Team") {
		t.Errorf("the model's licence is not beside it: %v", err)
	}
}

func TestVoiceAndNoise(t *testing.T) {
	s := open(t)
	r := rand.New(rand.NewPCG(1, 2))
	if got := slices.Max(judge(t, newStream(t, s), spoken(t, 60))); got < 0.5 {
		t.Errorf("a voice is %.2f likely to be one, want 0.5 at least", got)
	}
	for name, in := range map[string][]window{
		"silence": make([]window, 60),
		"noise":   windows(60, func(float64) float64 { return 0.05 * r.NormFloat64() }),
		"tone":    windows(60, func(at float64) float64 { return 0.3 * math.Sin(2*math.Pi*440*at) }),
	} {
		for i, p := range judge(t, newStream(t, s), in) {
			if p >= 0.35 {
				t.Errorf("window %d of %s is %.2f likely to be a voice", i, name, p)
			}
		}
	}
	if got := s.Library(); !strings.Contains(got, "onnxruntime") || !strings.Contains(got, "1.") {
		t.Errorf("Library = %q, want its name and version", got)
	}
}

// A stream keeps its state until it is reset, and shares none with other streams.
func TestStreamsAreApart(t *testing.T) {
	s, in := open(t), spoken(t, 40)
	first := newStream(t, s)
	want := judge(t, first, in)
	if again := judge(t, first, in); again[0] == want[0] {
		t.Error("the stream forgot what it heard")
	}
	first.Reset()
	for i, p := range judge(t, first, in) {
		if p != want[i] {
			t.Fatalf("after Reset window %d is %v, want %v as in the beginning", i, p, want[i])
		}
	}
	var work sync.WaitGroup
	for range 4 {
		st := newStream(t, s)
		work.Go(func() {
			for i := range in {
				if p, err := st.Judge(&in[i]); err != nil || p != want[i] {
					t.Errorf("beside others window %d is %v, %v, want %v", i, p, err, want[i])
					return
				}
			}
		})
	}
	work.Wait()
}

// Close waits for calls in progress, and later calls fail.
func TestClosedUnderWay(t *testing.T) {
	s, in := open(t), spoken(t, 1)
	var work sync.WaitGroup
	started := make(chan bool, 4)
	for range cap(started) {
		st := newStream(t, s)
		work.Go(func() {
			for n := 0; ; n++ {
				_, err := st.Judge(&in[0])
				if n == 0 {
					started <- true
				}
				if err != nil {
					if !errors.Is(err, vad.ErrClosed) {
						t.Errorf("err = %v, want ErrClosed", err)
					}
					return
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	work.Wait()
	if _, err := s.NewStream(); !errors.Is(err, vad.ErrClosed) {
		t.Errorf("NewStream after Close: %v, want ErrClosed", err)
	}
}

// Sessions can be reopened and used side by side.
func TestOpenedAgain(t *testing.T) {
	in := spoken(t, 3)
	beside := newStream(t, open(t))
	for range 3 {
		s := open(t)
		judge(t, newStream(t, s), in)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		judge(t, beside, in)
	}
}

// A stream's memory is freed when it is no longer referenced, even after its session was
// closed.
func TestStreamsAreGivenBack(t *testing.T) {
	s, in := open(t), spoken(t, 3)
	const dropped = 50
	gone := make(chan bool, dropped)
	for range dropped {
		st := newStream(t, s)
		judge(t, st, in)
		runtime.AddCleanup(st, func(gone chan bool) { gone <- true }, gone)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for len(gone) < dropped {
		runtime.GC()
	}
	judge(t, newStream(t, open(t)), in) // the library still works
}

func TestOpenWithoutTheLibrary(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"nothing": filepath.Join(t.TempDir(), "libonnxruntime.so.1"), "text": text} {
		s, err := vad.OpenSilero(path)
		if s != nil || !errors.Is(err, vad.ErrNoOnnxruntime) {
			t.Fatalf("%s: Open = %v, %v, want ErrNoLibrary", name, s, err)
		}
		for _, want := range []string{path, "make onnx", "hearing.onnxruntime"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q, want %q in it", name, err, want)
			}
		}
	}
}

func TestWindowAllocatesNothing(t *testing.T) {
	st, in, i := newStream(t, open(t)), spoken(t, 30), 0
	step := func() {
		if _, err := st.Judge(&in[i%len(in)]); err != nil {
			t.Fatal(err)
		}
		i++
	}
	step()
	if got := testing.AllocsPerRun(200, step); got != 0 {
		t.Errorf("%v allocations a window, want 0", got)
	}
}

func BenchmarkWindow(b *testing.B) {
	st, in := newStream(b, open(b)), spoken(b, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := st.Judge(&in[i%len(in)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	open(b)
	for b.Loop() {
		s, err := vad.OpenSilero("")
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
