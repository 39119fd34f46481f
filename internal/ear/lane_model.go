package ear

import (
	"math/bits"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// ModelRate is what a [Judge] hears, in samples per second.
	ModelRate = 16000
	// ModelWindow is how much it judges at a time, in samples: 32 ms.
	ModelWindow = 512

	// The probabilities at which a model's voice begins and goes on; they count as
	// startAt and sustainAt.
	modelStartAt   = 0.5
	modelSustainAt = 0.35
	// modelSureAt is what nearly all voices reach at their onset, and few growls,
	// blows and instruments.
	modelSureAt = 0.8
	// modelFade is how far the probability falls below its highest before the voice
	// has ended: a room that rings on keeps it up for long. peakFor is how many frames
	// the highest is remembered.
	modelFade = 0.7
	peakFor   = 40
	// onsetAt is how loud, in dB above the floor, the sound before a voice must be to
	// belong to it.
	onsetAt = 6.0

	// gateAt, in dB above the floor, is how loud it must be for the model to be
	// asked. Voice begins well above it.
	gateAt = 3.0
	// gateHold is how many frames the model goes on after the last that was loud
	// enough: longer than the pauses between words.
	gateHold = 25
	// gateBefore is how many frames before the first that was loud enough the model
	// hears first: 200 ms hold the soft beginning of a word.
	gateBefore = 10

	// A model notices the end of a voice 100 ms late. Where somebody speaks clearAt
	// dB above the floor, a fall below the gate is the end already; in a noisier
	// room soft sounds would be lost with it. clearFor is how many frames ago that
	// loudness may be.
	clearAt  = 30.0
	clearFor = 25
)

// Judge is a trained model that listens to one speaker.
type Judge interface {
	// Judge returns how likely the next 32 ms at 16 kHz, within -1 and 1, hold a
	// voice, 0 to 1. It keeps no reference to window.
	Judge(window *[ModelWindow]float32) (float64, error)
	// Reset has it forget what it heard.
	Reset()
}

// Model is the [Detector] that asks a trained model. What is no louder than the
// room never reaches the model, so that a silent lane costs no more than with
// [Energy]. If the model fails, energy judges from then on.
type Model struct {
	judge  Judge // nil once it failed
	failed func(error)
	energy *Energy
	open   int     // frames until the gate closes
	clear  int     // frames until a clear voice is forgotten
	voice  float64 // the newest answer, by the lane's thresholds
	newest float64 // the newest answer
	peak   float64 // the highest
	fading int     // frames until that is forgotten
	loud   uint64  // which of the newest frames were loud enough for an onset, the newest lowest

	kept    [gateBefore]audio.Frame // ring of the newest frames the model did not hear
	unheard int                     // how many frames it did not hear

	resampler *audio.Resampler
	sound     []int16 // of one frame, at ModelRate
	window    [ModelWindow]float32
	filled    int // samples of window
}

// NewModel returns a detector that asks judge, which belongs to it from now on.
// failed is called once, by the goroutine that asks the detector, if judge fails;
// it must return at once.
func NewModel(judge Judge, failed func(error)) (*Model, error) {
	r, err := audio.NewResampler(audio.SampleRate, ModelRate)
	if err != nil {
		return nil, err
	}
	return &Model{
		judge: judge, failed: failed, energy: NewEnergy(), resampler: r,
		sound: make([]int16, 0, audio.FrameSamples),
	}, nil
}

// Process judges the next frame.
func (m *Model) Process(f *audio.Frame) float64 {
	byEnergy := m.energy.Process(f)
	m.loud <<= 1
	if m.energy.above >= onsetAt {
		m.loud |= 1
	}
	if m.judge == nil {
		return byEnergy
	}
	if !m.passGate(f) {
		return 0
	}
	err := m.hearKept()
	if err == nil {
		err = m.hearFrame(f)
	}
	if err != nil {
		m.judge = nil
		m.failed(err)
		return byEnergy
	}
	if m.hasFaded() || m.clear > 0 && m.energy.above < gateAt {
		return 0
	}
	return m.voice
}

// hasFaded reports whether the newest answer is far below the highest of late.
func (m *Model) hasFaded() bool {
	m.fading--
	if m.newest >= m.peak || m.fading <= 0 {
		m.peak, m.fading = m.newest, peakFor
	}
	return m.newest < modelFade*m.peak
}

// surely is the lane's threshold for modelSureAt.
func (m *Model) surely() float64 {
	if m.judge == nil {
		return startAt
	}
	return mapProbability(modelSureAt)
}

func (m *Model) soundBefore(n int) int {
	if m.judge == nil {
		return 0
	}
	return min(bits.TrailingZeros64(^(m.loud >> n)), mostBefore)
}

// passGate reports whether the model is to hear a frame. One that it is not to
// hear is kept.
func (m *Model) passGate(f *audio.Frame) bool {
	m.clear = max(m.clear-1, 0)
	if m.energy.above >= clearAt {
		m.clear = clearFor
	}
	if m.energy.above >= gateAt || m.voice >= sustainAt {
		m.open = gateHold
	}
	if m.open > 0 {
		m.open--
		return true
	}
	m.voice, m.newest, m.peak = 0, 0, 0
	m.kept[m.unheard%gateBefore] = *f
	m.unheard++
	return false
}

// hearKept has the model hear what came before the gate opened.
func (m *Model) hearKept() error {
	n := min(m.unheard, gateBefore)
	if m.unheard > n { // something is missing: what was before it is another matter
		m.judge.Reset()
		m.resampler.Reset()
		m.filled = 0
	}
	first := m.unheard - n
	m.unheard = 0
	for i := range n {
		if err := m.hearFrame(&m.kept[(first+i)%gateBefore]); err != nil {
			return err
		}
	}
	return nil
}

// hearFrame has the model hear a frame, which completes a window or none.
func (m *Model) hearFrame(f *audio.Frame) error {
	m.sound = m.resampler.Process(m.sound[:0], f[:])
	for _, s := range m.sound {
		m.window[m.filled] = float32(s) / fullScale
		if m.filled++; m.filled < ModelWindow {
			continue
		}
		m.filled = 0
		p, err := m.judge.Judge(&m.window)
		if err != nil {
			return err
		}
		m.voice, m.newest = mapProbability(p), p
	}
	return nil
}

// mapProbability returns a model's probability by the lane's thresholds.
func mapProbability(p float64) float64 {
	switch {
	case p >= modelStartAt:
		return startAt + (1-startAt)*(p-modelStartAt)/(1-modelStartAt)
	case p >= modelSustainAt:
		return sustainAt + (startAt-sustainAt)*(p-modelSustainAt)/(modelStartAt-modelSustainAt)
	}
	return sustainAt * p / modelSustainAt
}
