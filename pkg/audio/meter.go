package audio

import "math"

const (
	// blocksPerSecond is the rate at which [Meter] returns blocks of 400 ms.
	blocksPerSecond = 10
	// absoluteGate is the threshold in LUFS below which a block does not count, and relativeGate the
	// threshold in LU relative to the mean of the remaining blocks; both are from ITU-R BS.1770-4.
	absoluteGate, relativeGate = -70, -10
	// fullScale is the loudness of a K-weighted mean square of 1, in LUFS.
	fullScale = -0.691
)

// biquad is a second-order filter.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	x1, x2, y1, y2     float64
}

func (f *biquad) filter(x float64) float64 {
	y := f.b0*x + f.b1*f.x1 + f.b2*f.x2 - f.a1*f.y1 - f.a2*f.y2
	f.x2, f.x1, f.y2, f.y1 = f.x1, x, f.y1, y
	return y
}

// Meter measures the loudness of mono audio at [SampleRate] according to ITU-R BS.1770-4: K-weighted, in
// blocks of 400 ms that begin every 100 ms. [Gated] reduces the blocks to a single value.
type Meter struct {
	head, low biquad     // the two stages of K-weighting: head and high-pass
	last      [4]float64 // sums of squares of the latest pieces of 100 ms
	pieces    int        // number of complete pieces so far, up to 4
	sum       float64    // of the incomplete piece
	samples   int        // of the incomplete piece
}

// NewMeter returns a meter without measurements.
func NewMeter() *Meter {
	return &Meter{ // coefficients of the recommendation for 48 kHz
		head: biquad{b0: 1.53512485958697, b1: -2.69169618940638, b2: 1.19839281085285, a1: -1.69065929318241, a2: 0.73248077421585},
		low:  biquad{b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621},
	}
}

// Measure appends to dst the mean square of each block that samples complete, and returns dst.
func (m *Meter) Measure(dst []float64, samples []int16) []float64 {
	const piece = SampleRate / blocksPerSecond
	for _, s := range samples {
		v := m.low.filter(m.head.filter(float64(s) / -math.MinInt16))
		m.sum += v * v
		if m.samples++; m.samples < piece {
			continue
		}
		copy(m.last[:], m.last[1:])
		m.last[len(m.last)-1] = m.sum
		m.sum, m.samples = 0, 0
		if m.pieces++; m.pieces >= len(m.last) {
			m.pieces = len(m.last)
			dst = append(dst, (m.last[0]+m.last[1]+m.last[2]+m.last[3])/(4*piece))
		}
	}
	return dst
}

// Beginning returns the mean square of the complete pieces of 100 ms while there is no complete block, or 0
// if there is no piece or already a block.
func (m *Meter) Beginning() float64 {
	if m.pieces == 0 || m.pieces == len(m.last) {
		return 0
	}
	sum := 0.0
	for _, s := range m.last {
		sum += s
	}
	return sum / float64(m.pieces*SampleRate/blocksPerSecond)
}

// Gated returns the integrated loudness of the blocks returned by [Meter.Measure] in LUFS, and the number of
// blocks that count, that is, are not pauses. If none counts, the loudness is minus infinity.
func Gated(blocks []float64) (lufs float64, count int) {
	gate := power(absoluteGate)
	mean, _ := meanAbove(blocks, gate)
	mean, count = meanAbove(blocks, max(gate, mean*math.Pow(10, relativeGate/10.)))
	return fullScale + 10*math.Log10(mean), count
}

// power converts a loudness in LUFS to a mean square.
func power(lufs float64) float64 { return math.Pow(10, (lufs-fullScale)/10) }

func meanAbove(blocks []float64, gate float64) (mean float64, count int) {
	for _, b := range blocks {
		if b > gate {
			mean += b
			count++
		}
	}
	return mean / max(float64(count), 1), count
}
