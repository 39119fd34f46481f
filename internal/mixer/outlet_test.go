package mixer_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const frame = audio.FrameDuration

// heard is a frame as the outlet received it.
type heard struct {
	at      time.Duration // since the outlet was made
	samples audio.Frame
}

// recorder is an outlet that keeps every frame.
type recorder struct {
	write func(ctx context.Context, n int) error // if not nil, returns Write's result

	mu     sync.Mutex // guards the fields below
	start  time.Time
	frames []heard
	calls  int
}

func newRecorder() *recorder { return &recorder{start: time.Now()} }

func (r *recorder) Write(ctx context.Context, f *audio.Frame) error {
	r.mu.Lock()
	n := r.calls
	r.calls++
	at := time.Since(r.start)
	r.mu.Unlock()
	if r.write != nil {
		if err := r.write(ctx, n); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.frames = append(r.frames, heard{at, *f})
	r.mu.Unlock()
	return nil
}

// all returns what was written so far.
func (r *recorder) all() []heard {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.frames)
}

// times returns when each frame was written.
func (r *recorder) times() []time.Duration {
	var at []time.Duration
	for _, h := range r.all() {
		at = append(at, h.at)
	}
	return at
}

// sound returns the samples of all frames.
func (r *recorder) sound() []int16 {
	var all []int16
	for _, h := range r.all() {
		all = append(all, h.samples[:]...)
	}
	return all
}

// bubble runs f with a mixer that plays on out, in virtual time.
func bubble(t *testing.T, o *mixer.Options, f func(t *testing.T, m *mixer.Mixer, out *recorder)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		out := newRecorder()
		m := mixer.New(out, o)
		run(t, m)
		f(t, m, out)
	})
}

// run runs m until the test ends.
func run(t *testing.T, m *mixer.Mixer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := m.Run(ctx); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
	synctest.Wait()
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// tone returns n samples of value v.
func tone(n int, v int16) []int16 {
	s := make([]int16, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// ms returns the number of samples in n milliseconds.
func ms(n int) int { return n * audio.SampleRate / 1000 }

// say appends a complete sentence.
func say(l *mixer.Line, samples []int16) {
	l.Begin()
	l.Append(samples)
	l.End()
}

// told is a note reduced to the fields that tests compare.
type told struct {
	line     uint64
	kind     mixer.Kind
	sentence int
	played   time.Duration
}

func take(m *mixer.Mixer) []told {
	var all []told
	for _, n := range m.DrainEvents(nil) {
		all = append(all, told{n.Line, n.Kind, n.Sentence, n.Played})
	}
	return all
}

func checkNotes(t *testing.T, m *mixer.Mixer, want ...told) {
	t.Helper()
	if got := take(m); !slices.Equal(got, want) {
		t.Errorf("notes = %v\nwant    %v", got, want)
	}
}

func checkTimes(t *testing.T, out *recorder, want ...time.Duration) {
	t.Helper()
	if got := out.times(); !slices.Equal(got, want) {
		t.Errorf("frames at %v, want %v", got, want)
	}
}
