package audio

import (
	"fmt"
	"math"
)

const (
	defaultTarget  = -20 // dBFS
	defaultMaxGain = 12  // dB
	// loudnessBlocksPerSecond is how often sound is measured and the gain moves.
	loudnessBlocksPerSecond = 100
	// gate is the level below which a block is a pause, in dBFS, and quiet how
	// far below the voice's own level it is one.
	gate, quiet = -50, 20
	// The gain moves at most by so much a second, in dB: fast enough for the
	// first sentence, too slow to be heard.
	riseRate, fallRate = 6, 18
	// memory is how many blocks of speech the level is averaged over.
	memory = 150
)

// LoudnessOptions configure a [Loudness]. The zero value works.
type LoudnessOptions struct {
	// Target is the level of speech without its pauses, as root mean square in
	// dBFS, below 0. If zero, -20.
	Target float64
	// MaxGain bounds amplification and attenuation, in dB. If zero, 12.
	MaxGain float64
}

// Loudness brings one voice to the level of the others: it measures how loud
// the voice speaks, leaving out pauses, and moves its gain slowly towards what
// that calls for. What would be too loud is bent by [Limit]; nothing clips. It
// adds no delay, and its output does not depend on how the input is cut. What
// it learned about the voice is kept from sentence to sentence.
type Loudness struct {
	target  float64 // mean square of full scale 1
	most    float64 // greatest gain; its inverse is the least
	block   int     // samples
	rise    float64 // factors per block
	fall    float64
	level   float64 // mean square of the voice, 0 before it was heard
	heard   int     // blocks of speech so far, up to memory
	gain    float32 // at the current sample
	step    float32 // change of gain per sample in this block
	sum     float64 // of squares in this block
	samples int     // of this block
}

// NewLoudness returns a processor for sound at rate samples per second; opts
// may be nil. The error wraps [ErrRate].
func NewLoudness(rate int, opts *LoudnessOptions) (*Loudness, error) {
	if rate < minWAVRate || rate > maxWAVRate {
		return nil, fmt.Errorf("measuring loudness at %d Hz: %w", rate, ErrRate)
	}
	target, most := float64(defaultTarget), float64(defaultMaxGain)
	if opts != nil && opts.Target < 0 {
		target = opts.Target
	}
	if opts != nil && opts.MaxGain > 0 {
		most = opts.MaxGain
	}
	return &Loudness{
		target: decibel(2 * target), most: decibel(most), block: rate / loudnessBlocksPerSecond,
		rise: decibel(float64(riseRate) / loudnessBlocksPerSecond), fall: decibel(-float64(fallRate) / loudnessBlocksPerSecond),
		gain: 1,
	}, nil
}

// decibel returns the factor of an amplitude.
func decibel(db float64) float64 { return math.Pow(10, db/20) }

// Process appends src at the level wanted to dst and returns it. It keeps no
// reference to src, which may be dst's own, and allocates only if dst lacks
// room.
func (l *Loudness) Process(dst, src []int16) []int16 {
	for len(src) > 0 {
		n := min(len(src), l.block-l.samples)
		for _, s := range src[:n] {
			v := float32(s)
			l.sum += float64(v) * float64(v)
			l.gain += l.step
			dst = append(dst, Limit(v*l.gain))
		}
		src = src[n:]
		if l.samples += n; l.samples == l.block {
			l.measure()
		}
	}
	return dst
}

// Gain returns the gain now, as a factor.
func (l *Loudness) Gain() float64 { return float64(l.gain) }

// measure ends a block: it learns from it and plans the gain of the next.
func (l *Loudness) measure() {
	square := l.sum / float64(l.block) / (-math.MinInt16 * -math.MinInt16)
	l.sum, l.samples, l.step = 0, 0, 0
	if square < decibel(2*gate) || square < l.level*decibel(-2*quiet) {
		return // a pause says nothing, and changes nothing
	}
	l.heard = min(l.heard+1, memory)
	l.level += (square - l.level) / float64(l.heard)
	want := math.Sqrt(l.target / l.level)
	want = min(max(want, 1/l.most), l.most)
	now := float64(l.gain)
	want = min(max(want, now*l.fall), now*l.rise)
	l.step = float32((want - now) / float64(l.block))
}
