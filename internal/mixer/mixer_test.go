package mixer_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestPlaysALine(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(7)
		say(l, tone(ms(50), 100))
		say(l, tone(ms(30), 200))
		l.Close()
		m.Play(l)
		synctest.Wait()
		checkTimes(t, out, 0)
		select {
		case <-m.Ready():
		default:
			t.Error("Ready does not receive after the first frame")
		}
		time.Sleep(time.Second)
		checkTimes(t, out, 0, frame, 2*frame, 3*frame)
		want := slices.Concat(tone(ms(50), 100), tone(ms(30), 200))
		if !slices.Equal(out.sound(), want) {
			t.Error("the sound is not that of both sentences, one after the other")
		}
		checkNotes(t, m,
			told{7, mixer.Started, 0, 20 * time.Millisecond},
			told{7, mixer.SentenceEnded, 0, 50 * time.Millisecond},
			told{7, mixer.SentenceEnded, 1, 80 * time.Millisecond},
			told{7, mixer.Finished, 0, 80 * time.Millisecond})
	})
}

func TestLastFrameIsPadded(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		m.Play(l)
		say(l, tone(100, 9))
		synctest.Wait()
		want := append(tone(100, 9), make([]int16, audio.FrameSamples-100)...)
		if !slices.Equal(out.sound(), want) {
			t.Error("the frame is not the sentence and silence")
		}
	})
}

func TestIdleMixerSleeps(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		time.Sleep(24 * time.Hour)
		l := mixer.NewLine(1)
		m.Play(l)
		l.Begin()
		l.Append(tone(ms(20), 1))
		synctest.Wait()
		checkTimes(t, out, 24*time.Hour)
	})
}
