package mixer_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// slowOn returns a write that takes slow[n] for the nth frame.
func slowOn(slow map[int]time.Duration) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		time.Sleep(slow[n])
		return nil
	}
}

func millis(ns ...int) []time.Duration {
	var all []time.Duration
	for _, n := range ns {
		all = append(all, time.Duration(n)*time.Millisecond)
	}
	return all
}

func TestSchedule(t *testing.T) {
	for _, tt := range []struct {
		name  string
		o     mixer.Options
		slow  map[int]time.Duration // frame: how long its Write takes
		want  []time.Duration
		late  []time.Duration
		moved uint64
	}{
		{
			name: "on_time",
			want: millis(0, 20, 40, 60, 80), late: millis(0, 0, 0, 0, 0),
		},
		{
			name: "slow_within_its_frame",
			slow: map[int]time.Duration{1: 19 * time.Millisecond},
			want: millis(0, 20, 40, 60, 80), late: millis(0, 0, 0, 0, 0),
		},
		{
			name: "a_little_late_is_made_good",
			slow: map[int]time.Duration{1: 23 * time.Millisecond},
			want: millis(0, 20, 43, 60, 80), late: millis(0, 0, 3, 0, 0),
		},
		{
			name: "late_moves_the_rest",
			slow: map[int]time.Duration{1: 31 * time.Millisecond},
			want: millis(0, 20, 51, 71, 91), late: millis(0, 0, 11, 0, 0), moved: 1,
		},
		{
			name: "no_burst_after_a_long_delay",
			slow: map[int]time.Duration{1: time.Second},
			want: millis(0, 20, 1020, 1040, 1060), late: millis(0, 0, 980, 0, 0), moved: 1,
		},
		{
			name: "lead_is_given_at_once",
			o:    mixer.Options{Lead: 40 * time.Millisecond},
			want: millis(0, 0, 0, 20, 40), late: millis(0, 0, 0, 0, 0),
		},
		{
			name: "lead_is_made_good",
			o:    mixer.Options{Lead: 40 * time.Millisecond},
			slow: map[int]time.Duration{2: 38 * time.Millisecond},
			want: millis(0, 0, 0, 38, 40), late: millis(0, 0, 0, 18, 0),
		},
		{
			name: "lead_is_all_that_is_made_good",
			o:    mixer.Options{Lead: 40 * time.Millisecond},
			slow: map[int]time.Duration{2: 200 * time.Millisecond},
			want: millis(0, 0, 0, 200, 200), late: millis(0, 0, 0, 180, 0), moved: 1,
		},
		{
			name: "negative_lead_is_none",
			o:    mixer.Options{Lead: -time.Second},
			want: millis(0, 20, 40, 60, 80), late: millis(0, 0, 0, 0, 0),
		},
		{
			name: "unpaced",
			o:    mixer.Options{Unpaced: true},
			slow: map[int]time.Duration{3: 7 * time.Millisecond},
			want: millis(0, 0, 0, 0, 7), late: millis(0, 0, 0, 0, 0),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var late []time.Duration
			tt.o.OnFrame = func(by time.Duration) { late = append(late, by) }
			bubble(t, &tt.o, func(t *testing.T, m *mixer.Mixer, out *recorder) {
				out.write = slowOn(tt.slow)
				l := mixer.NewLine(1)
				say(l, tone(ms(100), 1))
				m.Play(l)
				time.Sleep(time.Minute)
				synctest.Wait()
				checkTimes(t, out, tt.want...)
				if !slices.Equal(late, tt.late) {
					t.Errorf("late by %v, want %v", late, tt.late)
				}
				if got, want := m.Stats(), (mixer.Stats{Frames: 5, Moved: tt.moved}); got != want {
					t.Errorf("Stats = %+v, want %+v", got, want)
				}
			})
		})
	}
}

func TestLinesKeepTheirDistance(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		for i := range uint64(3) {
			l := mixer.NewLine(i)
			say(l, tone(ms(20), 1))
			l.Close()
			m.Play(l)
			time.Sleep(7 * time.Millisecond)
			if i == 1 {
				time.Sleep(time.Second)
			}
		}
		time.Sleep(time.Second)
		checkTimes(t, out, 0, 20*time.Millisecond, 1014*time.Millisecond)
	})
}

// Waiting for the provider's sound does not count as a late frame.
func TestLateSoundIsNotALateFrame(t *testing.T) {
	var late []time.Duration
	o := &mixer.Options{OnFrame: func(by time.Duration) { late = append(late, by) }}
	bubble(t, o, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		m.Play(l)
		l.Begin()
		for range 3 {
			l.Append(tone(ms(20), 1))
			time.Sleep(90 * time.Millisecond)
		}
		synctest.Wait()
		checkTimes(t, out, millis(0, 90, 180)...)
		if want := millis(0, 0, 0); !slices.Equal(late, want) {
			t.Errorf("late by %v, want %v", late, want)
		}
	})
}
