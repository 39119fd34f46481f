package ear_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// steady returns a function that passes d the next frame of an endless conversation:
// sentences with pauses over noise.
func steady(d ear.Detector) func() {
	sound := frames(room(join(laneVoice(120, 3*time.Second, -14), silence(2*time.Second), laneVoice(210, 2*time.Second, -20), silence(time.Second))))
	l := ear.NewLane(epoch, d, nil)
	now, seq := epoch, 0
	return func() {
		now = now.Add(audio.FrameDuration)
		l.Intake().Push(now, ear.Packet{Seq: uint16(seq), Frame: &sound[seq%len(sound)]})
		l.Tick(now)
		seq++
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, bb := range []struct {
		name string
		det  ear.Detector
	}{{"energy", ear.NewEnergy()}, {"presence", lanetest.Presence{}}} {
		b.Run(bb.name, func(b *testing.B) {
			next := steady(bb.det)
			b.ReportAllocs()
			for b.Loop() {
				next()
			}
		})
	}
}

func TestFrameAllocatesNothing(t *testing.T) {
	next := steady(ear.NewEnergy())
	for range 2000 {
		next()
	}
	if got := testing.AllocsPerRun(2000, next); got != 0 {
		t.Errorf("%v allocations a frame, want 0", got)
	}
}
