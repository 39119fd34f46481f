package mixer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// write appends short sentences as a voice provider would, with id in every sample, until
// the line is complete or stopped.
func write(ctx context.Context, t *testing.T, l *mixer.Line, id uint64) {
	for range 5 {
		l.Begin()
		for range 7 {
			l.Append(tone(ms(13), int16(id)))
			if err := l.AwaitRoom(ctx, 100*time.Millisecond); err != nil {
				if !errors.Is(err, mixer.ErrStopped) {
					t.Errorf("Room = %v, want ErrStopped", err)
				}
				return
			}
		}
	}
	l.Close()
}

// Writers, a table and the mixer run concurrently. The order of their calls is random;
// the invariants must hold in any order.
func TestAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := newRecorder()
		m := mixer.New(out, nil)
		run(t, m)
		var writers sync.WaitGroup
		defer writers.Wait()
		random := rand.New(rand.NewPCG(1, 2))
		order, over := sentenceOrder{}, map[uint64]bool{}
		for first := uint64(1); first < 300; first += 3 {
			var lines []*mixer.Line
			for id := first; id < first+3; id++ {
				l := mixer.NewLine(id)
				lines = append(lines, l)
				writers.Go(func() { write(t.Context(), t, l, id) })
			}
			for range 40 {
				time.Sleep(time.Duration(random.IntN(20000)) * time.Microsecond)
				i := random.IntN(len(lines))
				switch random.IntN(8) {
				case 0:
					m.Stop(lines[i])
					over[first+uint64(i)] = true
				case 1, 2:
					m.Pause(lines[i])
				case 3, 4, 5:
					m.Play(lines[i])
				}
				checkOrder(t, m.DrainEvents(nil), order, over)
			}
			for i, l := range lines {
				m.Stop(l)
				over[first+uint64(i)] = true
			}
		}
		checkOrder(t, m.DrainEvents(nil), order, over)
		checkOneVoice(t, out.all())
		if len(order) == 0 {
			t.Error("no sentence ended: the run shows nothing")
		}
	})
}

// checkOrder checks that no note belongs to a line that is over, and that sentences end
// once and in order.
func checkOrder(t *testing.T, notes []mixer.LineEvent, order sentenceOrder, over map[uint64]bool) {
	t.Helper()
	for _, n := range notes {
		if over[n.Line] {
			t.Errorf("note %v about line %d after Stop", n.Kind, n.Line)
		}
		if fault := order.add([]event{{told: told{n.Line, n.Kind, n.Sentence, n.Played}}}); fault != "" {
			t.Error(fault)
		}
	}
}

// checkOneVoice checks that no frame mixes two lines beyond the fade, and that frames
// keep their interval.
func checkOneVoice(t *testing.T, frames []heard) {
	t.Helper()
	for i, h := range frames {
		var voice int16
		for _, s := range h.samples[2*ms(5):] { // after a fade-out and a fade-in
			if voice == 0 {
				voice = s
			}
			if s != 0 && s != voice {
				t.Fatalf("frame %d holds %d and %d", i, voice, s)
			}
		}
		if i > 0 && h.at-frames[i-1].at < audio.FrameDuration {
			t.Fatalf("frame %d comes %v after the one before", i, h.at-frames[i-1].at)
		}
	}
}
