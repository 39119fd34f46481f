package mixer_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// outletFunc adapts a function to an outlet.
type outletFunc func(ctx context.Context, f *audio.Frame) error

func (w outletFunc) Write(ctx context.Context, f *audio.Frame) error { return w(ctx, f) }

func discard(context.Context, *audio.Frame) error { return nil }

// start runs m in real time until the returned function has been called.
func start(m *mixer.Mixer) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = m.Run(ctx) })
	return func() { cancel(); wg.Wait() }
}

// feeder appends to an endless line, one sentence per second.
type feeder struct {
	l     *mixer.Line
	frame []int16
	n     int
}

func newFeeder() *feeder {
	return &feeder{l: mixer.NewLine(1), frame: tone(audio.FrameSamples, 1000)}
}

func (f *feeder) next() {
	if f.n%50 == 0 {
		f.l.Begin()
	}
	f.n++
	f.l.Append(f.frame)
}

// BenchmarkFrame measures the cost of a frame from Append to Write.
func BenchmarkFrame(b *testing.B) {
	m := mixer.New(outletFunc(discard), &mixer.Options{Unpaced: true})
	defer start(m)()
	f := newFeeder()
	m.Play(f.l)
	var notes []mixer.LineEvent
	b.ReportAllocs()
	for b.Loop() {
		f.next()
		if err := f.l.AwaitRoom(b.Context(), time.Second); err != nil {
			b.Fatal(err)
		}
		notes = m.DrainEvents(notes[:0])
	}
}

// percentiles reports the percentiles of took in microseconds.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[(len(took)-1)*p/100]) / 1e3 }
	b.ReportMetric(at(50), "p50-us")
	b.ReportMetric(at(95), "p95-us")
	b.ReportMetric(at(99), "p99-us")
	b.ReportMetric(0, "ns/op") // mostly the pause between two lines
}

// idler plays lines on a paced mixer that has gone idle.
type idler struct {
	m     *mixer.Mixer
	wrote chan time.Time
	tick  *time.Ticker
}

func newIdler(b *testing.B) *idler {
	i := &idler{wrote: make(chan time.Time, 1), tick: time.NewTicker(audio.FrameDuration + 5*time.Millisecond)}
	i.m = mixer.New(outletFunc(func(context.Context, *audio.Frame) error {
		select {
		case i.wrote <- time.Now():
		default:
		}
		return nil
	}), nil)
	b.Cleanup(start(i.m))
	b.Cleanup(i.tick.Stop)
	return i
}

// BenchmarkPlayToWrite measures the time from Play on an idle mixer to the first frame.
func BenchmarkPlayToWrite(b *testing.B) {
	i := newIdler(b)
	sound := tone(audio.FrameSamples, 1000)
	var took []time.Duration
	for b.Loop() {
		<-i.tick.C
		l := mixer.NewLine(1)
		say(l, sound)
		l.Close()
		begin := time.Now()
		i.m.Play(l)
		took = append(took, (<-i.wrote).Sub(begin))
		i.m.DrainEvents(nil)
	}
	percentiles(b, took)
}

// BenchmarkStop measures how long Stop takes while a line plays. The listener hears the
// stop at the next frame.
func BenchmarkStop(b *testing.B) {
	i := newIdler(b)
	sound := tone(ms(5000), 1000)
	var took []time.Duration
	for b.Loop() {
		l := mixer.NewLine(1)
		say(l, sound)
		i.m.Play(l)
		<-i.wrote
		begin := time.Now()
		i.m.Stop(l)
		took = append(took, time.Since(begin))
		<-i.wrote // the fade
		<-i.tick.C
	}
	percentiles(b, took)
}

func TestFrameAllocatesNothing(t *testing.T) {
	next, written := make(chan struct{}), make(chan struct{})
	m := mixer.New(outletFunc(func(ctx context.Context, _ *audio.Frame) error {
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
		written <- struct{}{}
		return nil
	}), &mixer.Options{Unpaced: true})
	defer start(m)()
	f := newFeeder()
	for range 100 {
		f.next() // two sentences ahead
	}
	m.Play(f.l)
	var notes []mixer.LineEvent
	step := func() {
		f.next()
		next <- struct{}{}
		<-written
		notes = m.DrainEvents(notes[:0])
	}
	for range 500 {
		step()
	}
	if got := testing.AllocsPerRun(2000, step); got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}

// A long line must not use more memory, because the mixer releases sentences once they
// have been played.
func TestLongLineNeedsNoMoreMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mixer.New(outletFunc(discard), nil)
		run(t, m)
		f := newFeeder()
		m.Play(f.l)
		var notes []mixer.LineEvent
		play := func(frames int) uint64 {
			for range frames {
				f.next()
				if err := f.l.AwaitRoom(t.Context(), 2*time.Second); err != nil {
					t.Fatal(err)
				}
				notes = m.DrainEvents(notes[:0])
			}
			var s runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&s)
			return s.HeapAlloc
		}
		minute := play(50 * 60)
		hour := play(50 * 60 * 59)
		if hour > minute+256<<10 {
			t.Errorf("heap of %d bytes after an hour, %d after a minute", hour, minute)
		}
		if got := f.l.Ended(); got < 3590 {
			t.Errorf("%d sentences ended in an hour, want one a second", got)
		}
	})
}
