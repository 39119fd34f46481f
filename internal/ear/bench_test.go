package ear_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// prompt is a service that answers at once.
type prompt struct{}

func (prompt) Name() string { return "prompt" }

func (prompt) Listen(context.Context, stt.Options) (stt.Stream, error) {
	return &promptStream{finished: make(chan int, stt.MaxPending)}, nil
}

type promptStream struct {
	number   int
	finished chan int
}

func (s *promptStream) Send([]int16) error { return nil }
func (s *promptStream) Stats() stt.Stats   { return stt.Stats{} }
func (s *promptStream) Close() error       { return nil }

func (s *promptStream) Finish(context.Context) (int, error) {
	select {
	case s.finished <- s.number:
	default: // sound arrives much faster than real time
		return 0, stt.ErrBusy
	}
	s.number++
	return s.number - 1, nil
}

func (s *promptStream) Recv(ctx context.Context) (stt.Result, error) {
	select {
	case n := <-s.finished:
		return stt.Result{Utterance: n, Text: "Aye", Final: true}, nil
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
}

// metronome is a detector that signals each frame it receives.
type metronome struct {
	ear.Detector
	taken chan struct{}
	end   <-chan struct{}
}

func (m *metronome) Process(f *audio.Frame) float64 {
	p := m.Detector.Process(f)
	select {
	case m.taken <- struct{}{}:
	case <-m.end:
	}
	return p
}

// syllables is a second of a 150 Hz buzz that swells and fades like speech.
func syllables() []audio.Frame {
	sound := make([]audio.Frame, time.Second/audio.FrameDuration)
	for n := range sound {
		swell := 0.05 + math.Abs(math.Sin(float64(n)*math.Pi/12.5))
		for i := range sound[n] {
			sound[n][i] = int16(swell * float64(i%320*50-8000))
		}
	}
	return sound
}

// BenchmarkSecond measures the cost of a second of speech: 50 packets, each of which
// wakes the ear, as at a table.
func BenchmarkSecond(b *testing.B) {
	for _, bb := range []struct {
		name string
		det  ear.Detector
	}{{"energy", ear.NewEnergy()}, {"presence", lanetest.Presence{}}} {
		b.Run(bb.name, func(b *testing.B) {
			ctx, stop := context.WithCancel(b.Context())
			m := &metronome{bb.det, make(chan struct{}), ctx.Done()}
			e := ear.New("Ann", func(ear.Event) {}, ear.Options{Recogniser: prompt{}, Detector: m})
			done := make(chan error, 1)
			go func() { done <- e.Run(ctx) }() // ends with stop
			seq, sound := uint16(0), syllables()
			b.ReportAllocs()
			for b.Loop() {
				for range time.Second / audio.FrameDuration {
					e.Push(ear.Packet{Seq: seq, Frame: &sound[int(seq)%len(sound)]})
					seq++
					<-m.taken
				}
			}
			stop()
			<-done
		})
	}
}
