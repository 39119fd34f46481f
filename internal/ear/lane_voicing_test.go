package ear_test

import (
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// tellingJudge gives its answers in turn for loud windows, repeating the last one, and 0
// for other windows.
type tellingJudge struct {
	answers []float64
	heard   int // loud windows
}

func (j *tellingJudge) Judge(w *[ear.ModelWindow]float32) (float64, error) {
	sum := float32(0)
	for _, v := range w {
		sum += v * v
	}
	if sum < 1e-4*ear.ModelWindow {
		return 0, nil
	}
	j.heard++
	return j.answers[min(j.heard, len(j.answers))-1], nil
}

func (*tellingJudge) Reset() {}

// answered plays a loud second in a quiet room, from 1 s on, to a model with these
// answers.
func answered(t *testing.T, answers ...[]float64) *table {
	t.Helper()
	m, err := ear.NewModel(&tellingJudge{answers: slices.Concat(answers...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newTable(m, nil)
	b.play(join(noise(time.Second, -65, 1), noise(time.Second, -20, 2), noise(2*time.Second, -65, 3)))
	return b
}

// A growl or a bump, which the model never judges with confidence, starts no utterance
// unless it lasts as long as only a voice does.
func TestUnsureVoiceStartsLate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []float64
		starts  int
	}{
		{"sure at once", slices.Repeat([]float64{0.95}, 6), 1},
		{"sure in between", []float64{0.6, 0.7, 0.9, 0.6, 0.6, 0.6}, 1},
		{"unsure, short", slices.Repeat([]float64{0.75}, 7), 0},
		{"unsure, long", slices.Repeat([]float64{0.75}, 14), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := answered(t, tt.answers, []float64{0})
			if got := b.count(ear.VoiceStarted); got != tt.starts {
				t.Errorf("%d utterances, want %d: %s", got, tt.starts, b.story())
			}
		})
	}
}

// Reverberation is not voice, even if the model still considers it possible.
func TestFadingVoiceHasEnded(t *testing.T) {
	for _, tt := range []struct {
		after float64
		ends  time.Duration
	}{{0.9, 2 * time.Second}, {0.75, 2 * time.Second}, {0.55, 1500 * laneTick}} {
		b := answered(t, slices.Repeat([]float64{0.98}, 15), []float64{tt.after})
		i := slices.IndexFunc(b.events, func(e ear.LaneEvent) bool { return e.Kind == ear.VoiceStopped })
		if i < 0 {
			t.Fatalf("after %v it goes on: %s", tt.after, b.story())
		}
		if stopped := b.events[i].At.Sub(epoch); stopped < tt.ends || stopped > tt.ends+200*laneTick {
			t.Errorf("after %v it stopped at %v, want soon after %v", tt.after, stopped, tt.ends)
		}
	}
}

// If the model recognises a voice late, the utterance begins where the sound began, as
// far back as the model may be late.
func TestOnsetIsWhereTheSoundBegan(t *testing.T) {
	for _, tt := range []struct {
		late     int // in windows
		from, to time.Duration
	}{{0, 960 * laneTick, 1020 * laneTick}, {4, 960 * laneTick, 1020 * laneTick}, {12, 1180 * laneTick, 1280 * laneTick}} {
		b := answered(t, make([]float64, tt.late), []float64{0.95})
		if got := b.events[0].At.Sub(epoch); b.events[0].Kind != ear.VoiceStarted || got < tt.from || got > tt.to {
			t.Errorf("noticed %d windows late, it begins at %v, want between %v and %v", tt.late, got, tt.from, tt.to)
		}
		if n := b.count(ear.VoiceStarted); n != 1 {
			t.Errorf("heard %s, want one utterance", b.story())
		}
	}
}
