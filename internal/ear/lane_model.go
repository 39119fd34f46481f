package ear

import (
	"math/bits"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// ModelRate is the sample rate of a [Judge].
	ModelRate = 16000
	// ModelWindow is the number of samples judged at a time: 32 ms.
	ModelWindow = 512

	// The probabilities at which a model's voice starts and is sustained. They are mapped to startAt and
	// sustainAt.
	modelStartAt   = 0.5
	modelSustainAt = 0.35
	// modelSureAt is a probability that nearly all voices reach at their onset, but few growls, breaths on
	// the microphone or instruments.
	modelSureAt = 0.8
	// A voice has ended when the probability falls below modelFade of its recent maximum, because
	// reverberation can keep it high for long. peakFor is how many frames the maximum is remembered.
	modelFade = 0.7
	peakFor   = 40
	// onsetAt is the level in dB above the floor from which sound before a voice belongs to its onset.
	onsetAt = 6.0

	// gateAt is the level in dB above the floor from which the model is asked. Voice starts well above it.
	gateAt = 3.0
	// gateHold is how many frames the model keeps listening after the last loud enough one. It is longer than
	// the pauses between words.
	gateHold = 25
	// gateBefore is how many frames before the first loud enough one the model gets as well. 200 ms include
	// the soft beginning of a word.
	gateBefore = 10

	// A model notices the end of a voice 100 ms late. If the voice was clearAt dB above the floor within the
	// last clearFor frames, a fall below the gate already ends it. In a noisier room this would cut off soft
	// sounds.
	clearAt  = 30.0
	clearFor = 25
)

// Judge is a trained model that judges one speaker's sound.
type Judge interface {
	// Judge returns the probability, 0 to 1, that the next 32 ms contain a voice. The samples are at 16 kHz,
	// within -1 and 1. It keeps no reference to window.
	Judge(window *[ModelWindow]float32) (float64, error)
	// Reset clears the model's state.
	Reset()
}

// Model is a [Detector] that asks a trained model. Sound no louder than the room does not reach the model, so
// that a silent lane costs no more than with [Energy]. If the model fails, Energy is used from then on.
type Model struct {
	judge          Judge // nil after it failed
	failed         func(error)
	energy         *Energy
	open           int     // frames until the gate closes
	clearVoiceLeft int     // frames until a clear voice is forgotten
	voice          float64 // the newest probability, mapped to the lane's thresholds
	newest         float64 // the newest probability
	peak           float64 // the recent maximum
	fading         int     // frames until peak is forgotten
	loud           uint64  // bit per frame, newest lowest: loud enough for an onset

	skippedFrames [gateBefore]audio.Frame // ring of the newest frames that the model did not get
	skipped       int                     // number of frames that it did not get

	resampler *audio.Resampler
	sound     []int16 // one frame at ModelRate
	window    [ModelWindow]float32
	filled    int // samples in window
}

// NewModel returns a detector that asks judge, which it takes ownership of. If judge fails, failed is called
// once, by the goroutine that calls Process. It must return at once.
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

// Process returns how likely the next frame is voice.
func (m *Model) Process(f *audio.Frame) float64 {
	byEnergy := m.energy.Process(f)
	m.loud <<= 1
	if m.energy.above >= onsetAt {
		m.loud |= 1
	}
	if m.judge == nil {
		return byEnergy
	}
	if !m.gateOpen(f) {
		return 0
	}
	err := m.processSkipped()
	if err == nil {
		err = m.processFrame(f)
	}
	if err != nil {
		m.judge = nil
		m.failed(err)
		return byEnergy
	}
	if m.hasFaded() || m.clearVoiceLeft > 0 && m.energy.above < gateAt {
		return 0
	}
	return m.voice
}

// hasFaded reports whether the newest probability is far below its recent maximum.
func (m *Model) hasFaded() bool {
	m.fading--
	if m.newest >= m.peak || m.fading <= 0 {
		m.peak, m.fading = m.newest, peakFor
	}
	return m.newest < modelFade*m.peak
}

// sureThreshold returns modelSureAt, mapped to the lane's thresholds.
func (m *Model) sureThreshold() float64 {
	if m.judge == nil {
		return startAt
	}
	return mapProbability(modelSureAt)
}

func (m *Model) soundBefore(n int) int {
	if m.judge == nil {
		return 0
	}
	return min(bits.TrailingZeros64(^(m.loud >> n)), maxLateFrames)
}

// gateOpen reports whether the model should get a frame. Other frames are kept.
func (m *Model) gateOpen(f *audio.Frame) bool {
	m.clearVoiceLeft = max(m.clearVoiceLeft-1, 0)
	if m.energy.above >= clearAt {
		m.clearVoiceLeft = clearFor
	}
	if m.energy.above >= gateAt || m.voice >= sustainAt {
		m.open = gateHold
	}
	if m.open > 0 {
		m.open--
		return true
	}
	m.voice, m.newest, m.peak = 0, 0, 0
	m.skippedFrames[m.skipped%gateBefore] = *f
	m.skipped++
	return false
}

// processSkipped passes the frames kept before the gate opened to the model.
func (m *Model) processSkipped() error {
	n := min(m.skipped, gateBefore)
	if m.skipped > n { // frames are missing, so the sound is not continuous
		m.judge.Reset()
		m.resampler.Reset()
		m.filled = 0
	}
	first := m.skipped - n
	m.skipped = 0
	for i := range n {
		if err := m.processFrame(&m.skippedFrames[(first+i)%gateBefore]); err != nil {
			return err
		}
	}
	return nil
}

// processFrame passes a frame to the model, which judges each complete window.
func (m *Model) processFrame(f *audio.Frame) error {
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

// mapProbability maps a model's probability to the lane's thresholds.
func mapProbability(p float64) float64 {
	switch {
	case p >= modelStartAt:
		return startAt + (1-startAt)*(p-modelStartAt)/(1-modelStartAt)
	case p >= modelSustainAt:
		return sustainAt + (startAt-sustainAt)*(p-modelSustainAt)/(modelStartAt-modelSustainAt)
	}
	return sustainAt * p / modelSustainAt
}
