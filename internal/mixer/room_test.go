package mixer_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// asked holds the result of a Room call that runs in another goroutine.
type asked struct {
	mu    sync.Mutex // guards the fields below
	done  bool
	err   error
	after time.Duration
}

func ask(ctx context.Context, l *mixer.Line, most time.Duration) *asked {
	a, start := &asked{}, time.Now()
	go func() {
		err := l.AwaitRoom(ctx, most)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.done, a.err, a.after = true, err, time.Since(start)
	}()
	return a
}

func (a *asked) check(t *testing.T, err error, after time.Duration) {
	t.Helper()
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		t.Fatal("Room still waits")
	}
	if !errors.Is(a.err, err) || a.after != after {
		t.Errorf("Room = %v after %v, want %v after %v", a.err, a.after, err, after)
	}
}

func (a *asked) waits() bool {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.done
}

func TestRoom(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		ask(t.Context(), l, 0).check(t, nil, 0) // an empty line has room
		l.Begin()
		l.Append(tone(ms(1000), 1))
		ask(t.Context(), l, time.Second).check(t, nil, 0)
		ask(t.Context(), l, math.MaxInt64).check(t, nil, 0)
		a := ask(t.Context(), l, 300*time.Millisecond)
		time.Sleep(time.Second)
		if !a.waits() {
			t.Fatal("Room came before the line plays")
		}
		m.Play(l)
		time.Sleep(time.Second)
		// The 35th frame, due 680 ms after the first, leaves 300 ms unplayed.
		a.check(t, nil, 1680*time.Millisecond)

		l.Append(tone(ms(1000), 1))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		b := ask(ctx, l, 0)
		time.Sleep(100 * time.Millisecond)
		b.check(t, context.DeadlineExceeded, 50*time.Millisecond)

		m.Pause(l)
		c := ask(t.Context(), l, 500*time.Millisecond)
		time.Sleep(time.Hour)
		if !c.waits() {
			t.Fatal("Room came while the line was paused")
		}
		m.Stop(l)
		c.check(t, mixer.ErrStopped, time.Hour)
		l.Append(tone(ms(1000), 1)) // the line is over, so the sound is dropped
		l.End()
		ask(t.Context(), l, time.Hour).check(t, mixer.ErrStopped, 0)
	})
}

func TestRoomOfALineNeverPlayed(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(1000), 1))
		a := ask(t.Context(), l, 0)
		time.Sleep(time.Second)
		m.Stop(l)
		a.check(t, mixer.ErrStopped, time.Second)
		m.Play(l)
		time.Sleep(time.Second)
		checkTimes(t, out)
	})
}

func TestEndOfRun(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(m *mixer.Mixer, l *mixer.Line)
	}{
		{name: "idle", do: func(*mixer.Mixer, *mixer.Line) {}},
		{name: "playing", do: (*mixer.Mixer).Play},
		{name: "paused", do: func(m *mixer.Mixer, l *mixer.Line) { m.Play(l); m.Pause(l) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := newRecorder()
				out.write = func(ctx context.Context, n int) error {
					if n == 2 {
						<-ctx.Done()
						return ctx.Err()
					}
					return nil
				}
				m := mixer.New(out, nil)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				l := mixer.NewLine(1)
				say(l, tone(ms(1000), 1))
				tt.do(m, l)
				room := ask(t.Context(), l, 0)
				if err := m.Run(ctx); err != nil {
					t.Errorf("Run = %v, want nil", err)
				}
				m.DrainEvents(nil)
				m.Play(l)
				room.check(t, mixer.ErrStopped, time.Second)
				time.Sleep(time.Second)
				say(l, nil)
				l.Close()
				checkNotes(t, m)
			})
		})
	}
}
