package mixer_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// slide is a fade of v over 5 ms, as the mixer fades: falling, or rising.
func slide(v int16, rising bool) []int16 {
	n := ms(5)
	s := make([]int16, n)
	for i := range s {
		step := n - i
		if rising {
			step = i + 1
		}
		s[i] = int16(int(v) * step / (n + 1))
	}
	return s
}

// pad returns the parts as one, padded with silence to whole frames.
func pad(parts ...[]int16) []int16 {
	s := slices.Concat(parts...)
	rest := (audio.FrameSamples - len(s)%audio.FrameSamples) % audio.FrameSamples
	return append(s, make([]int16, rest)...)
}

func checkSound(t *testing.T, out *recorder, want []int16) {
	t.Helper()
	got := out.sound()
	if slices.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("sound of %d samples, want %d; they differ from sample %d", len(got), len(want), at)
}

func TestStopFades(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(1000), 1000))
		m.Play(l)
		time.Sleep(30 * time.Millisecond)
		m.Stop(l)
		time.Sleep(time.Second)
		checkTimes(t, out, 0, frame, 2*frame)
		checkSound(t, out, pad(tone(ms(40), 1000), slide(1000, false)))
		checkNotes(t, m)
		if got := l.Ended(); got != 0 {
			t.Errorf("Ended = %d, want 0", got)
		}
		if err := l.AwaitRoom(t.Context(), 0); !errors.Is(err, mixer.ErrStopped) {
			t.Errorf("Room = %v, want ErrStopped", err)
		}
	})
}

// TestPartlyTellsWhereALineWasStopped stops lines at several positions within a sentence.
func TestPartlyTellsWhereALineWasStopped(t *testing.T) {
	const frames = 25 // until Stop, in sentences of 400 ms
	for _, row := range []struct {
		name            string
		write           func(l *mixer.Line)
		played, written int // in milliseconds
		whole           bool
	}{
		{"in_one_that_is_written", func(l *mixer.Line) { say(l, tone(ms(400), 1)); say(l, tone(ms(400), 2)); say(l, tone(ms(400), 3)) }, 100, 400, true},
		{"in_one_that_is_being_written", func(l *mixer.Line) { say(l, tone(ms(400), 1)); l.Begin(); l.Append(tone(ms(300), 2)) }, 100, 300, false},
		{"between_two", func(l *mixer.Line) { say(l, tone(ms(500), 1)); l.Begin() }, 0, 0, false},
		{"where_there_is_no_other", func(l *mixer.Line) { say(l, tone(ms(400), 1)) }, 0, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, m *mixer.Mixer, _ *recorder) {
				l := mixer.NewLine(1)
				row.write(l)
				m.Play(l)
				time.Sleep(frames*frame - frame/2)
				if played, written, whole := l.PartlyPlayed(); played != 0 || written != 0 || whole {
					t.Errorf("before it was stopped: %v of %v, %t", played, written, whole)
				}
				m.Stop(l)
				want := [2]time.Duration{time.Duration(row.played) * time.Millisecond, time.Duration(row.written) * time.Millisecond}
				if played, written, whole := l.PartlyPlayed(); played != want[0] || written != want[1] || whole != row.whole {
					t.Errorf("%v of %v, %t; want %v, %t", played, written, whole, want, row.whole)
				}
			})
		})
	}
}

func TestPausedLineGoesOnWhereItWas(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(40), 1000))
		say(l, tone(ms(60), 2000))
		l.Close()
		m.Play(l)
		time.Sleep(50 * time.Millisecond) // within the second sentence's first frame
		m.Pause(l)
		time.Sleep(time.Second)
		checkNotes(t, m,
			told{1, mixer.Started, 0, 20 * time.Millisecond},
			told{1, mixer.SentenceEnded, 0, 40 * time.Millisecond})
		m.Play(l)
		time.Sleep(time.Second)
		rest := slices.Concat(slide(2000, true), tone(ms(35), 2000))
		checkSound(t, out, slices.Concat(
			pad(tone(ms(40), 1000), tone(ms(20), 2000), slide(2000, false)), rest))
		checkNotes(t, m,
			told{1, mixer.Started, 0, 80 * time.Millisecond},
			told{1, mixer.SentenceEnded, 1, 100 * time.Millisecond},
			told{1, mixer.Finished, 0, 100 * time.Millisecond})
	})
}

func TestPauseBetweenSentencesIsSilent(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(20), 1000))
		say(l, tone(ms(20), 2000))
		m.Play(l)
		synctest.Wait()
		m.Pause(l)
		time.Sleep(time.Second)
		m.Play(l)
		time.Sleep(time.Second)
		checkSound(t, out, slices.Concat(tone(ms(20), 1000), tone(ms(20), 2000)))
	})
}

func TestNextLineBeginsInTheFade(t *testing.T) {
	for _, tt := range []struct {
		name   string
		a, b   int16
		summed int16
	}{
		{name: "sum", a: 2410, b: 1000, summed: 3400},
		{name: "saturated", a: 32767, b: 32767, summed: 32767},
		{name: "saturated_below", a: -32768, b: -32768, summed: -32768},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
				a, b := mixer.NewLine(1), mixer.NewLine(2)
				say(a, tone(ms(1000), tt.a))
				say(b, tone(ms(20), tt.b))
				b.Close()
				m.Play(a)
				synctest.Wait()
				m.Play(b)
				time.Sleep(time.Second)
				checkTimes(t, out, 0, frame)
				second := out.all()[1].samples
				if got := second[0]; got != tt.summed {
					t.Errorf("first sample = %d, want %d", got, tt.summed)
				}
				if got := second[ms(5)]; got != tt.b {
					t.Errorf("sample after the fade = %d, want %d", got, tt.b)
				}
				checkNotes(t, m,
					told{2, mixer.Started, 0, 20 * time.Millisecond},
					told{2, mixer.SentenceEnded, 0, 20 * time.Millisecond},
					told{2, mixer.Finished, 0, 20 * time.Millisecond})
				if err := a.AwaitRoom(t.Context(), time.Hour); !errors.Is(err, mixer.ErrStopped) {
					t.Errorf("Room of the line cut off = %v, want ErrStopped", err)
				}
			})
		})
	}
}

func TestLateSound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gap   time.Duration // from the end of the frame until more sound is appended
		times []time.Duration
		notes []told
	}{
		{
			name: "breath", gap: 199 * time.Millisecond,
			times: []time.Duration{0, 219 * time.Millisecond},
			notes: []told{{1, mixer.Started, 0, frame}},
		},
		{
			name: "dry", gap: 201 * time.Millisecond,
			times: []time.Duration{0, 221 * time.Millisecond},
			notes: []told{{1, mixer.Started, 0, frame}, {1, mixer.Dry, 0, frame}, {1, mixer.Started, 0, 2 * frame}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
				l := mixer.NewLine(1)
				m.Play(l)
				l.Begin()
				l.Append(tone(ms(20), 1))
				time.Sleep(frame + tt.gap)
				l.Append(tone(ms(20), 1))
				synctest.Wait()
				checkTimes(t, out, tt.times...)
				checkNotes(t, m, tt.notes...)
			})
		})
	}
}

func TestDryBetweenSentencesIsToldAtOnce(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		m.Play(l)
		time.Sleep(time.Second)
		checkNotes(t, m) // nothing had been played, so the line cannot run dry
		say(l, tone(ms(20), 1))
		synctest.Wait()
		checkNotes(t, m,
			told{1, mixer.Started, 0, frame},
			told{1, mixer.SentenceEnded, 0, frame},
			told{1, mixer.Dry, 0, frame})
		time.Sleep(time.Second)
		l.Close()
		synctest.Wait()
		checkNotes(t, m, told{1, mixer.Finished, 0, frame})
	})
}

func TestSentenceEndIsToldWhenTheWriterTells(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		m.Play(l)
		l.Begin()
		l.Append(tone(ms(20), 1))
		time.Sleep(100 * time.Millisecond)
		checkNotes(t, m, told{1, mixer.Started, 0, frame})
		l.End()
		synctest.Wait()
		checkNotes(t, m, told{1, mixer.SentenceEnded, 0, frame}, told{1, mixer.Dry, 0, frame})
		if got := l.Ended(); got != 1 {
			t.Errorf("Ended = %d, want 1", got)
		}
	})
}

func TestEmptySentencePasses(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, nil)
		say(l, nil)
		l.Close()
		synctest.Wait()
		checkNotes(t, m)
		m.Play(l)
		synctest.Wait()
		checkNotes(t, m,
			told{1, mixer.SentenceEnded, 0, 0},
			told{1, mixer.SentenceEnded, 1, 0},
			told{1, mixer.Finished, 0, 0})
		checkTimes(t, out)
	})
}

func TestNextSentenceIsNotBrokenOff(t *testing.T) {
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		l := mixer.NewLine(1)
		say(l, tone(ms(10), 1))
		l.Begin()
		l.Append(tone(ms(5), 2)) // half of the 10 ms left in the frame
		m.Play(l)
		time.Sleep(100 * time.Millisecond)
		checkSound(t, out, pad(tone(ms(10), 1)))
		l.Append(tone(ms(15), 2))
		synctest.Wait()
		checkSound(t, out, slices.Concat(pad(tone(ms(10), 1)), tone(ms(20), 2)))
	})
}

func TestWithoutOutlet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mixer.New(nil, nil)
		run(t, m)
		l := mixer.NewLine(1)
		l.Begin()
		l.Append(tone(ms(5000), 1))
		synctest.Wait()
		checkNotes(t, m)
		m.Play(l)
		l.End()
		synctest.Wait()
		checkNotes(t, m,
			told{1, mixer.SentenceEnded, 0, 5 * time.Second},
			told{1, mixer.Dry, 0, 5 * time.Second})
		m.Pause(l)
		say(l, nil)
		synctest.Wait()
		checkNotes(t, m)
		m.Play(l)
		l.Close()
		synctest.Wait()
		checkNotes(t, m,
			told{1, mixer.SentenceEnded, 1, 5 * time.Second},
			told{1, mixer.Finished, 0, 5 * time.Second})
		if got := m.Stats().Frames; got != 0 {
			t.Errorf("%d frames, want none", got)
		}
	})
}

func TestOutletFails(t *testing.T) {
	broken := errors.New("broken pipe")
	bubble(t, nil, func(t *testing.T, m *mixer.Mixer, out *recorder) {
		out.write = func(_ context.Context, n int) error {
			if n == 1 {
				return broken
			}
			return nil
		}
		l := mixer.NewLine(1)
		say(l, tone(ms(60), 1))
		say(l, tone(ms(60), 2))
		m.Play(l)
		time.Sleep(frame)
		synctest.Wait()
		notes := m.DrainEvents(nil)
		if len(notes) != 5 || notes[1].Kind != mixer.Failed || !errors.Is(notes[1].Err, broken) {
			t.Fatalf("notes = %v, want started, failed (broken pipe), two sentences, dry", notes)
		}
		if notes[2].Kind != mixer.SentenceEnded || notes[3].Sentence != 1 || notes[4].Kind != mixer.Dry {
			t.Errorf("notes = %v, want both sentences and dry after the failure", notes)
		}
		say(l, tone(ms(60), 3))
		l.Close()
		synctest.Wait()
		checkNotes(t, m,
			told{1, mixer.SentenceEnded, 2, 180 * time.Millisecond},
			told{1, mixer.Finished, 0, 180 * time.Millisecond})
		next := mixer.NewLine(2)
		say(next, tone(ms(20), 4))
		m.Play(next)
		time.Sleep(time.Second)
		checkSound(t, out, slices.Concat(tone(ms(20), 1), tone(ms(20), 4)))
	})
}
