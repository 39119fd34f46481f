package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestRecordingKeepsTheTimeBetween: a --wav file keeps the pauses between answers, but limits a
// long wait. A frame slightly late or early adds no silence.
func TestRecordingKeepsTheTimeBetween(t *testing.T) {
	const ms = time.Millisecond
	frames := func(n int, ahead time.Duration) (at []time.Duration) {
		for i := range n {
			at = append(at, max(0, time.Duration(i)*audio.FrameDuration-ahead))
		}
		return at
	}
	for _, tt := range []struct {
		name  string
		ahead time.Duration
		wait  time.Duration // from the end of an answer of 400 ms to the next
		late  time.Duration // delay of a frame in the middle
		want  time.Duration // silence between the two
	}{
		{"at_once", 0, 0, 0, 0},
		{"a_while", 0, 1500 * ms, 0, 1500 * ms},
		{"with_a_lead", lead, 1500 * ms, 0, 1500 * ms},
		{"a_late_frame", 0, 1500 * ms, 70 * ms, 1500 * ms},
		{"as_long_as_is_kept", 0, longestSilence, 0, longestSilence},
		{"an_hour", lead, time.Hour, 0, longestSilence},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "out.wav")
				w, err := createWAV(path)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute) // the time before the first answer is not recorded
				loud := slices.Repeat([]int16{9000}, audio.FrameSamples)
				for range 2 {
					began := time.Now()
					for i, at := range frames(20, tt.ahead) {
						if i >= 10 {
							at += tt.late
						}
						time.Sleep(time.Until(began.Add(at)))
						if err := w.Write(t.Context(), loud); err != nil {
							t.Fatal(err)
						}
					}
					time.Sleep(time.Until(began.Add(400*ms + tt.late + tt.wait)))
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				wav, err := audio.ReadWAV(f)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.Concat(slices.Repeat(loud, 20), make([]int16, int(tt.want.Seconds()*audio.SampleRate)), slices.Repeat(loud, 20))
				if got := wav.Mono(); !slices.Equal(got, want) {
					t.Errorf("the file lasts %v, want %v: silence of %v between two answers",
						audio.Duration(len(got), audio.SampleRate), audio.Duration(len(want), audio.SampleRate), tt.want)
				}
			})
		})
	}
}
