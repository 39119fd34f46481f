package ear_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// fakeJudge gives scripted answers and records the windows it received.
type fakeJudge struct {
	answer  float64
	err     error
	windows [][ear.ModelWindow]float32
	resets  []int // windows heard before each reset
}

func (j *fakeJudge) Judge(w *[ear.ModelWindow]float32) (float64, error) {
	j.windows = append(j.windows, *w)
	return j.answer, j.err
}

func (j *fakeJudge) Reset() { j.resets = append(j.resets, len(j.windows)) }

// asking returns a detector that uses j, and the failures it reported.
func asking(t *testing.T, j *fakeJudge) (*ear.Model, *[]error) {
	t.Helper()
	var told []error
	m, err := ear.NewModel(j, func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	return m, &told
}

// judgeAll returns d's verdict for each frame of a sound.
func judgeAll(d ear.Detector, c clip) []float64 {
	var all []float64
	for _, f := range frames(c) {
		all = append(all, d.Process(&f))
	}
	return all
}

// Sound that is no louder than the room is not passed to the model.
func TestModelIsNotAskedAboutSilence(t *testing.T) {
	for name, c := range map[string]clip{
		"nothing": silence(10 * time.Second),
		"room":    noise(10*time.Second, -62, 1),
		"hiss":    noise(10*time.Second, -58, 4),
		"hum":     hum(10*time.Second, -30),
	} {
		j := &fakeJudge{answer: 1}
		m, _ := asking(t, j)
		if got := slices.Max(judgeAll(m, c)); got != 0 || len(j.windows) != 0 {
			t.Errorf("%s: the answer is %v after %d windows, want nobody asked", name, got, len(j.windows))
		}
	}
}

// The model receives the 200 ms before sound that is loud enough, from a clean state, and
// everything until half a second after that sound.
func TestModelHearsWhatLedToTheSound(t *testing.T) {
	const quiet, loud = 2 * time.Second, time.Second
	j := &fakeJudge{}
	m, _ := asking(t, j)
	judgeAll(m, join(noise(quiet, -65, 1), noise(loud, -20, 2), noise(quiet, -65, 3)))
	heard := time.Duration(len(j.windows)) * 32 * laneTick
	if want := 200*laneTick + loud + 500*laneTick; heard < want-64*laneTick || heard > want+100*laneTick {
		t.Errorf("the model heard %v, want about %v", heard, want)
	}
	if !slices.Equal(j.resets, []int{0}) {
		t.Errorf("it was started anew after %v windows, want once, before the first", j.resets)
	}
	loudness := func(w [ear.ModelWindow]float32) (sum float32) {
		for _, v := range w {
			sum += v * v
		}
		return sum / ear.ModelWindow
	}
	for i, w := range j.windows[:8] {
		if got, want := loudness(w) > 1e-4, i >= 6; got != want { // 6.25 windows are 200 ms
			t.Errorf("window %d is loud: %v, want %v", i, got, want)
		}
	}
}

// The model hears straight across a gap that is shorter than the sound kept.
func TestModelHearsAcrossShortPauses(t *testing.T) {
	j := &fakeJudge{}
	m, _ := asking(t, j)
	sound := join(silence(time.Second), noise(500*laneTick, -20, 1), silence(600*laneTick), noise(500*laneTick, -20, 2), silence(600*laneTick))
	judgeAll(m, sound)
	if len(j.resets) != 1 {
		t.Errorf("it was started anew %d times, want once", len(j.resets))
	}
	if got, want := time.Duration(len(j.windows))*32*laneTick, 200*laneTick+500*laneTick+600*laneTick+500*laneTick+500*laneTick; got < want-64*laneTick || got > want+64*laneTick {
		t.Errorf("the model heard %v, want all %v", got, want)
	}
}

// The model's thresholds map to the lane's.
func TestModelThresholds(t *testing.T) {
	for _, tt := range []struct {
		p               float64
		starts, sustain bool
	}{
		{0, false, false}, {0.34, false, false}, {0.35, false, true}, {0.49, false, true},
		{0.5, true, true}, {0.51, true, true}, {1, true, true},
	} {
		m, _ := asking(t, &fakeJudge{answer: tt.p})
		answers := judgeAll(m, noise(200*laneTick, -20, 1))
		got := answers[len(answers)-1]
		if got < 0 || got > 1 || got >= 0.6 != tt.starts || got >= 0.4 != tt.sustain {
			t.Errorf("a probability of %v is %v, want it to start: %v, to sustain: %v", tt.p, got, tt.starts, tt.sustain)
		}
	}
}

// While the model hears a voice, the gate stays open even for soft sound.
func TestModelKeepsTheGateOpen(t *testing.T) {
	j := &fakeJudge{answer: 0.9}
	m, _ := asking(t, j)
	if got := judgeAll(m, join(noise(time.Second, -38, 1), noise(3*time.Second, -50, 2))); got[len(got)-1] < 0.6 {
		t.Errorf("the answer is %v, want the model's", got[len(got)-1])
	}
}

// In a quiet room a voice ends as soon as the sound does, without waiting for the model.
func TestClearVoiceEndsAtOnce(t *testing.T) {
	j := &fakeJudge{answer: 0.9}
	m, _ := asking(t, j)
	got := judgeAll(m, join(noise(2*time.Second, -65, 1), noise(time.Second, -20, 2), noise(200*laneTick, -65, 3)))
	if got[149] < 0.6 || got[152] != 0 {
		t.Errorf("the last frames of the voice and the first after it are %v, want an end", got[148:154])
	}
	// If the voice is less clear, the model decides.
	m, _ = asking(t, &fakeJudge{answer: 0.9})
	got = judgeAll(m, join(noise(2*time.Second, -40, 1), noise(time.Second, -20, 2), noise(200*laneTick, -40, 3)))
	if got[149] < 0.6 || got[152] < 0.6 {
		t.Errorf("the last frames of the voice and the first after it are %v, want the model's answer", got[148:154])
	}
}

// A failing model is reported once. Then energy decides, as if it had been in use from
// the start.
func TestFailedModelGivesWayToEnergy(t *testing.T) {
	broken := errors.New("broken")
	sound := room(join(silence(time.Second), laneVoice(120, 2*time.Second, -14), silence(time.Second)))
	j := &fakeJudge{answer: 0.9}
	m, told := asking(t, j)
	e := ear.NewEnergy()
	const fails = 100 // the frame, in the middle of the voice, at which the model fails
	for i, f := range frames(sound) {
		if i == fails {
			j.err = broken
		}
		got, want := m.Process(&f), e.Process(&f)
		if i > fails+1 && got != want {
			t.Fatalf("frame %d is %v, want energy's %v", i, got, want)
		}
	}
	if len(*told) != 1 || !errors.Is((*told)[0], broken) {
		t.Errorf("told %v, want once that it is broken", *told)
	}
	if n := len(j.windows); n > fails {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestModelAllocatesNothing(t *testing.T) {
	j := &countingJudge{}
	m, err := ear.NewModel(j, nil)
	if err != nil {
		t.Fatal(err)
	}
	sound, i := frames(room(join(laneVoice(120, 3*time.Second, -14), silence(2*time.Second)))), 0
	next := func() {
		m.Process(&sound[i%len(sound)])
		i++
	}
	for range 500 {
		next()
	}
	if got := testing.AllocsPerRun(1000, next); got != 0 || j.n == 0 {
		t.Errorf("%v allocations a frame, with %d windows asked, want 0", got, j.n)
	}
}

type countingJudge struct{ n int }

func (j *countingJudge) Judge(*[ear.ModelWindow]float32) (float64, error) {
	j.n++
	return 0.2, nil
}

func (*countingJudge) Reset() {}
