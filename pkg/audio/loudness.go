package audio

import (
	"math"
	"sync"
	"time"
)

const (
	defaultTarget  = -20 // LUFS
	defaultMaxGain = 18  // dB
	// loudnessBlocksPerSecond is the number of gain updates per second.
	loudnessBlocksPerSecond = 100
	// Maximum change of the gain within a sentence in dB per second: too slow to be heard. During the first
	// two seconds of an unknown voice it may change haste times as fast.
	riseRate, fallRate, haste = 6, 18, 3
	// memory is the number of blocks of speech remembered per voice: one minute.
	memory = 60 * blocksPerSecond
	// ownWeight is the weight of a sentence's own blocks relative to those of the voice's earlier sentences.
	ownWeight = 4
)

// VoiceLevel is the measured loudness of a voice. The zero value knows nothing. It is safe for concurrent
// use.
type VoiceLevel struct {
	mu     sync.Mutex // guards the field below
	blocks []float64  // of the latest sentences, as returned by Meter
}

// Speech returns the duration of the measured speech, without pauses.
func (v *VoiceLevel) Speech() time.Duration {
	_, count := v.gated()
	return time.Duration(count) * time.Second / blocksPerSecond
}

func (v *VoiceLevel) gated() (lufs float64, count int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return Gated(v.blocks)
}

func (v *VoiceLevel) add(blocks []float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.blocks = append(v.blocks, blocks...)
	v.blocks = append(v.blocks[:0], v.blocks[max(0, len(v.blocks)-memory):]...)
}

// LoudnessOptions configure a [Loudness]. The zero value is ready to use.
type LoudnessOptions struct {
	// Target is the target loudness in LUFS, below 0. The default is -20.
	Target float64
	// MaxGain is the maximum amplification and attenuation in dB. The default is 18.
	MaxGain float64
}

// Loudness brings one sentence of a voice, mono at [SampleRate], to the target loudness. The gain is derived
// from the known loudness of the voice and from measurements of the sentence itself, which may be ahead of
// processing. It starts with the best estimate so far and changes slowly from there. [Limit] bends peaks, so
// nothing clips. Loudness adds no delay.
type Loudness struct {
	voice        *VoiceLevel
	target, most float64 // LUFS, dB
	known        float64 // loudness of the voice before this sentence
	knownBlocks  int
	meter        *Meter
	blocks       []float64 // of this sentence
	started      bool      // processing has begun, so the gain changes slowly from now on
	targetGain   float64   // target gain in dB
	gain         float64   // in dB, at the end of this block
	factor, step float32   // gain at the current sample, and its change per sample
	samples      int       // of this block
}

// NewLoudness returns a processor for one sentence of voice; opts may be nil.
func NewLoudness(voice *VoiceLevel, opts *LoudnessOptions) *Loudness {
	l := &Loudness{voice: voice, target: defaultTarget, most: defaultMaxGain, meter: NewMeter(), factor: 1}
	if opts != nil && opts.Target < 0 {
		l.target = opts.Target
	}
	if opts != nil && opts.MaxGain > 0 {
		l.most = opts.MaxGain
	}
	l.known, l.knownBlocks = voice.gated()
	l.aim()
	return l
}

// decibel converts dB to an amplitude factor.
func decibel(db float64) float64 { return math.Pow(10, db/20) }

// Measure measures the next samples of the sentence. Each sample must be passed once.
func (l *Loudness) Measure(samples []int16) {
	l.blocks = l.meter.Measure(l.blocks, samples)
	l.blocks = append(l.blocks[:0], l.blocks[max(0, len(l.blocks)-memory):]...)
	l.aim()
}

// aim computes the target gain from all measurements.
func (l *Loudness) aim() {
	own, blocks := Gated(l.blocks)
	ours, theirs := float64(ownWeight*blocks), float64(l.knownBlocks)
	level := 0.0
	switch {
	case ours+theirs == 0:
		begins, count := Gated([]float64{l.meter.Beginning()})
		if count == 0 {
			return
		}
		level = begins
	case ours == 0:
		level = l.known
	case theirs == 0:
		level = own
	default:
		level = (ours*own + theirs*l.known) / (ours + theirs)
	}
	l.targetGain = min(max(l.target-level, -l.most), l.most)
	if !l.started {
		l.gain, l.factor, l.step = l.targetGain, float32(decibel(l.targetGain)), 0
	}
}

// Measured returns the duration of the measured speech of the sentence, without pauses.
func (l *Loudness) Measured() time.Duration {
	_, count := Gated(l.blocks)
	return time.Duration(count) * time.Second / blocksPerSecond
}

// Process appends src at the target loudness to dst and returns dst. It does not retain src, which may be
// dst's own memory, and allocates only if dst lacks capacity.
func (l *Loudness) Process(dst, src []int16) []int16 {
	const block = SampleRate / loudnessBlocksPerSecond
	for len(src) > 0 {
		l.started = true
		n := min(len(src), block-l.samples)
		for _, s := range src[:n] {
			l.factor += l.step
			dst = append(dst, Limit(float32(s)*l.factor))
		}
		src = src[n:]
		if l.samples += n; l.samples == block {
			l.samples = 0
			pace := 1. / loudnessBlocksPerSecond
			if l.knownBlocks == 0 && len(l.blocks) < 2*blocksPerSecond {
				pace *= haste
			}
			l.gain += min(max(l.targetGain-l.gain, -fallRate*pace), riseRate*pace)
			l.step = (float32(decibel(l.gain)) - l.factor) / block
		}
	}
	return dst
}

// Gain returns the current gain as a factor.
func (l *Loudness) Gain() float64 { return float64(l.factor) }

// End adds the sentence's measurements to those of its voice, even if the sentence is too short for a
// complete block.
func (l *Loudness) End() {
	if begins := l.meter.Beginning(); begins > 0 {
		l.blocks = append(l.blocks, begins)
	}
	l.voice.add(l.blocks)
	l.blocks = nil
}
