package mixer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// The test calls the mixer while a frame is being written to the outlet.
func TestWhileAFrameIsOnItsWay(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, tt := range []struct {
		name string
		fail error
		do   func(m *mixer.Mixer, l *mixer.Line)
		want []told
		// ended is how many sentences the line reports as played.
		ended int
	}{
		{
			name: "stop", do: (*mixer.Mixer).Stop,
		},
		{
			name: "stop_and_fail", fail: broken, do: (*mixer.Mixer).Stop,
		},
		{
			name: "another_line", do: func(m *mixer.Mixer, _ *mixer.Line) { m.Play(mixer.NewLine(2)) },
		},
		{
			name: "pause", do: (*mixer.Mixer).Pause,
			want:  []told{{1, mixer.SentenceEnded, 0, frame}},
			ended: 1,
		},
		{
			name: "pause_and_fail", fail: broken, do: (*mixer.Mixer).Pause,
			want:  []told{{1, mixer.Failed, 0, frame}, {1, mixer.SentenceEnded, 0, frame}},
			ended: 1,
		},
		{
			name: "pause_and_resume",
			do:   func(m *mixer.Mixer, l *mixer.Line) { m.Pause(l); m.Play(l) },
			want: []told{{1, mixer.SentenceEnded, 0, frame}, {1, mixer.Finished, 0, frame}},
			// After Resume no sound is left, so Started is not reported.
			ended: 1,
		},
		{
			name: "nothing", do: func(*mixer.Mixer, *mixer.Line) {},
			want:  []told{{1, mixer.Started, 0, frame}, {1, mixer.SentenceEnded, 0, frame}, {1, mixer.Finished, 0, frame}},
			ended: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
				arrived := make(chan struct{})
				out.write = func(context.Context, int) error {
					<-arrived
					return tt.fail
				}
				l := mixer.NewLine(1)
				say(l, tone(ms(20), 1000))
				l.Close()
				m.Play(l)
				synctest.Wait()
				tt.do(m, l)
				close(arrived)
				time.Sleep(time.Second)
				checkNotes(t, m, tt.want...)
				if got := l.Ended(); got != tt.ended {
					t.Errorf("Ended = %d, want %d", got, tt.ended)
				}
			})
		})
	}
}

func TestStopTakesBackNotes(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		a, b := mixer.NewLine(1), mixer.NewLine(2)
		for _, l := range []*mixer.Line{a, b} {
			say(l, tone(ms(20), 1))
			l.Close()
			m.Play(l)
			time.Sleep(time.Second)
		}
		m.Stop(a)
		m.Stop(a)
		checkNotes(t, m,
			told{2, mixer.Started, 0, frame},
			told{2, mixer.SentenceEnded, 0, frame},
			told{2, mixer.Finished, 0, frame})
		if got := a.Ended(); got != 1 {
			t.Errorf("Ended = %d, want 1", got)
		}
	})
}

func TestLineIsPlayedOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(20), 1))
		l.Close()
		if got := l.Begin(); got != -1 {
			t.Errorf("Begin after Close = %d, want -1", got)
		}
		m.Pause(l) // not playing yet
		m.Play(l)
		m.Play(l)
		time.Sleep(time.Second)
		m.Pause(l)
		m.Play(l)
		m.Play(l)
		time.Sleep(time.Second)
		checkTimes(t, out, 0)
	})
}
