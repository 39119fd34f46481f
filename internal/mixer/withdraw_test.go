package mixer_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestWithdraw(t *testing.T) {
	tone := make([]int16, audio.SampleRate) // a second
	for i := range tone {
		tone[i] = 10_000
	}
	for _, c := range []struct {
		name string
		// at is the time of the call to Withdraw; from is the position in the line.
		at, from time.Duration
		want     time.Duration // of sound
	}{
		{"what is not heard yet", 100 * time.Millisecond, 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"the open sentence", 100 * time.Millisecond, time.Second, time.Second},
		{"what was heard stays", 1510 * time.Millisecond, time.Second, 1525 * time.Millisecond},
		{"not what was said before", 100 * time.Millisecond, 0, time.Second},
		{"nothing", 100 * time.Millisecond, 5 * time.Second, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				frames := 0 // with sound
				m := mixer.New(outletFunc(func(_ context.Context, f *audio.Frame) error {
					if slices.ContainsFunc(f[:], func(s int16) bool { return s != 0 }) {
						frames++
					}
					return nil
				}), nil)
				stop := start(m)
				l := mixer.NewLine(1)
				l.Begin()
				l.Append(tone)
				l.End()
				l.Begin()
				l.Append(tone)
				m.Play(l)
				time.Sleep(c.at)
				l.Withdraw(c.from)
				l.End()
				l.Begin()
				l.End()
				l.Close()
				time.Sleep(5 * time.Second)
				stop()
				heard := time.Duration(frames) * audio.FrameDuration
				if diff := heard - c.want; diff < -audio.FrameDuration || diff > audio.FrameDuration {
					t.Errorf("%s of sound were heard, want %s to a frame", heard, c.want)
				}
				if got := l.Ended(); got != 3 {
					t.Errorf("%d sentences have ended, want all 3", got)
				}
			})
		})
	}
}
