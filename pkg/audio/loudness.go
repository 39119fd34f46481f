package audio

import (
	"math"
	"sync"
	"time"
)

const (
	defaultTarget  = -20 // LUFS
	defaultMaxGain = 18  // dB
	// loudnessBlocksPerSecond is how often the gain moves.
	loudnessBlocksPerSecond = 100
	// Within a sentence the gain moves at most by so much a second, in dB: too slow to
	// be heard. In the first two seconds of a voice of which nothing was known it may
	// move haste times as fast.
	riseRate, fallRate, haste = 6, 18, 3
	// memory is how many blocks of speech are remembered of a voice: a minute's.
	memory = 60 * blocksPerSecond
	// ownWeight is how much more a sentence counts for itself than as much of what its
	// voice said before.
	ownWeight = 4
)

// VoiceLevel is what is known of how loud a voice speaks. The zero value knows nothing.
// It is safe for concurrent use.
type VoiceLevel struct {
	mu     sync.Mutex // guards the field below
	blocks []float64  // of the last sentences, as Meter gives them
}

// Speech returns how much of the voice is known, pauses aside.
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

// LoudnessOptions configure a [Loudness]. The zero value works.
type LoudnessOptions struct {
	// Target is the loudness wanted, in LUFS, below 0. If zero, -20.
	Target float64
	// MaxGain bounds amplification and attenuation, in dB. If zero, 18.
	MaxGain float64
}

// Loudness brings one sentence of a voice, mono at [SampleRate], to the loudness of the
// others. Its gain follows from what is known of the voice, and from what was
// measured of the sentence itself, which may be ahead of what is processed. It begins
// with what is right by then and moves slowly afterwards. What would be too loud is
// bent by [Limit]; nothing clips. It adds no delay.
type Loudness struct {
	voice        *VoiceLevel
	target, most float64 // LUFS, dB
	known        float64 // loudness of the voice before this sentence
	knownBlocks  int
	meter        *Meter
	blocks       []float64 // of this sentence
	settled      bool      // the gain was chosen by what is known, and moves from there
	want         float64   // gain in dB
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

// decibel returns the factor of an amplitude.
func decibel(db float64) float64 { return math.Pow(10, db/20) }

// Measure learns from the sentence's next samples, each of them once.
func (l *Loudness) Measure(samples []int16) {
	l.blocks = l.meter.Measure(l.blocks, samples)
	l.blocks = append(l.blocks[:0], l.blocks[max(0, len(l.blocks)-memory):]...)
	l.aim()
}

// aim chooses the gain by all that is known.
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
	l.want = min(max(l.target-level, -l.most), l.most)
	if !l.settled {
		l.gain, l.factor, l.step = l.want, float32(decibel(l.want)), 0
	}
}

// Measured returns how much of the sentence was measured, pauses aside.
func (l *Loudness) Measured() time.Duration {
	_, count := Gated(l.blocks)
	return time.Duration(count) * time.Second / blocksPerSecond
}

// Process appends src at the loudness wanted to dst and returns it. It keeps no
// reference to src, which may be dst's own, and allocates only if dst lacks
// room.
func (l *Loudness) Process(dst, src []int16) []int16 {
	const block = SampleRate / loudnessBlocksPerSecond
	for len(src) > 0 {
		l.settled = true
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
			l.gain += min(max(l.want-l.gain, -fallRate*pace), riseRate*pace)
			l.step = (float32(decibel(l.gain)) - l.factor) / block
		}
	}
	return dst
}

// Gain returns the gain now, as a factor.
func (l *Loudness) Gain() float64 { return float64(l.factor) }

// End adds what was measured of the sentence to what is known of its voice, be it too
// short for the recommendation.
func (l *Loudness) End() {
	if begins := l.meter.Beginning(); begins > 0 {
		l.blocks = append(l.blocks, begins)
	}
	l.voice.add(l.blocks)
	l.blocks = nil
}
