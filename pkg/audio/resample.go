package audio

import (
	"errors"
	"fmt"
	"math"
)

// ErrRate means that a sample rate is outside the range of 1 to 384 kHz.
var ErrRate = errors.New("sample rate out of range")

const (
	// baseTaps is the length of the filter in samples of the slower rate. It puts the transition band into
	// the last 9 % of the slower rate's band, below its Nyquist frequency.
	baseTaps = 56
	// kaiserBeta sets the stopband attenuation to about 80 dB.
	kaiserBeta = 7.9
	// transition is the width of the transition band that results from baseTaps and kaiserBeta, as a fraction
	// of the slower rate.
	transition = 5.1 / baseTaps
	// maxPhases limits the filter table. Ratios that need more phases interpolate between neighbours, with an
	// error below 16-bit noise.
	maxPhases = 1024
	// resampleBlock is the number of input samples filtered at a time.
	resampleBlock = 1024
)

// Resampler converts a stream of mono samples from one rate to another with a polyphase windowed-sinc filter.
// Aliases and images are attenuated by at least 70 dB; the passband reaches 41 % of the slower rate. The
// output is aligned with the input, so n input samples yield ceil(n*to/from) output samples after
// [Resampler.Flush], however the input is split. The Resampler delays half a filter, 28 samples of the slower
// rate, until more input or Flush.
type Resampler struct {
	up, down int // to and from divided by their greatest common divisor
	phases   int
	exact    bool // every output falls on a phase
	taps     int
	table    []float32 // (phases+1) rows of taps
	hist     []float32 // input still needed, oldest first
	have     int       // valid samples in hist
	pos      int       // first sample of hist that the next output needs
	frac     int       // fractional position after pos, in units of 1/up
	in, out  int64     // samples consumed and produced since the start
}

// NewResampler returns a converter between two rates in hertz. Building the filter takes up to a few
// milliseconds, so reuse a Resampler with [Resampler.Reset] instead of creating one per sentence.
func NewResampler(from, to int) (*Resampler, error) {
	for _, rate := range []int{from, to} {
		if rate < minWAVRate || rate > maxWAVRate {
			return nil, fmt.Errorf("resampling %d Hz to %d Hz: %w", from, to, ErrRate)
		}
	}
	div := gcd(from, to)
	r := &Resampler{up: to / div, down: from / div}
	if r.up == r.down {
		return r, nil
	}
	r.phases, r.exact = r.up, true
	if r.up > maxPhases {
		r.phases, r.exact = maxPhases, false
	}
	r.taps = baseTaps
	if from > to {
		r.taps = (baseTaps*from/to + 7) / 8 * 8
	}
	r.table = designFilter(r.phases, r.taps, min(1, float64(to)/float64(from)))
	r.hist = make([]float32, r.taps+resampleBlock)
	r.Reset()
	return r, nil
}

// Reset resets the resampler to its initial state.
func (r *Resampler) Reset() {
	r.pos, r.frac, r.in, r.out = 0, 0, 0, 0
	// Zeros before the first sample centre the filter on it.
	r.have = max(r.taps/2-1, 0)
	clear(r.hist[:r.have])
}

// Process appends the samples that src completes to dst and returns dst. It does not retain src and allocates
// only if dst lacks capacity.
func (r *Resampler) Process(dst, src []int16) []int16 {
	r.in += int64(len(src))
	if r.taps == 0 {
		r.out = r.in
		return append(dst, src...)
	}
	for len(src) > 0 {
		n := min(len(src), len(r.hist)-r.have)
		for i, s := range src[:n] {
			r.hist[r.have+i] = float32(s)
		}
		r.have += n
		src = src[n:]
		dst = r.filter(dst, math.MaxInt64)
	}
	return dst
}

// Flush appends the remaining samples of the stream to dst, resets r and returns dst.
func (r *Resampler) Flush(dst []int16) []int16 {
	total := (r.in*int64(r.up) + int64(r.down) - 1) / int64(r.down)
	for r.taps > 0 && r.out < total {
		n := min(r.taps, len(r.hist)-r.have)
		clear(r.hist[r.have : r.have+n])
		r.have += n
		dst = r.filter(dst, total)
	}
	r.Reset()
	return dst
}

// filter appends all complete output samples, up to limit in total, and drops the input no longer needed.
func (r *Resampler) filter(dst []int16, limit int64) []int16 {
	for r.pos+r.taps <= r.have && r.out < limit {
		x := r.hist[r.pos : r.pos+r.taps]
		if r.down == 1 && r.frac+1 < r.up && r.out+1 < limit { // the next output needs the same input
			a, b := dotTwo(x, r.row(r.frac), r.row(r.frac+1))
			dst = append(dst, saturate(a), saturate(b))
			r.advance(2)
			continue
		}
		dst = append(dst, r.sample(x))
		r.advance(1)
	}
	done := min(r.pos, r.have)
	r.have = copy(r.hist, r.hist[done:r.have])
	r.pos -= done
	return dst
}

// advance moves the position forward by n outputs.
func (r *Resampler) advance(n int) {
	r.out += int64(n)
	r.frac += n * r.down
	r.pos += r.frac / r.up
	r.frac %= r.up
}

// sample returns one output sample from the input window x.
func (r *Resampler) sample(x []float32) int16 {
	if r.exact {
		return saturate(dot(x, r.row(r.frac)))
	}
	scaled := int64(r.frac) * int64(r.phases)
	phase := int(scaled / int64(r.up))
	weight := float32(scaled%int64(r.up)) / float32(r.up)
	a, b := dot(x, r.row(phase)), dot(x, r.row(phase+1))
	return saturate(a + weight*(b-a))
}

func (r *Resampler) row(phase int) []float32 {
	return r.table[phase*r.taps : (phase+1)*r.taps]
}

// dot returns the dot product of x and h, whose equal length is a multiple of 8. Separate sums let the
// processor overlap them.
func dot(x, h []float32) float32 {
	var a, b, c, d float32
	for len(h) >= 8 && len(x) >= 8 {
		a += x[0]*h[0] + x[4]*h[4]
		b += x[1]*h[1] + x[5]*h[5]
		c += x[2]*h[2] + x[6]*h[6]
		d += x[3]*h[3] + x[7]*h[7]
		x, h = x[8:], h[8:]
	}
	return a + b + c + d
}

// dotTwo returns the dot products of x with h and k, bit-identical to dot.
func dotTwo(x, h, k []float32) (float32, float32) {
	var a, b, c, d, e, f, g, i float32
	for len(h) >= 8 && len(k) >= 8 && len(x) >= 8 {
		a += x[0]*h[0] + x[4]*h[4]
		e += x[0]*k[0] + x[4]*k[4]
		b += x[1]*h[1] + x[5]*h[5]
		f += x[1]*k[1] + x[5]*k[5]
		c += x[2]*h[2] + x[6]*h[6]
		g += x[2]*k[2] + x[6]*k[6]
		d += x[3]*h[3] + x[7]*h[7]
		i += x[3]*k[3] + x[7]*k[7]
		x, h, k = x[8:], h[8:], k[8:]
	}
	return a + b + c + d, e + f + g + i
}

func saturate(v float32) int16 {
	switch {
	case v >= math.MaxInt16:
		return math.MaxInt16
	case v <= math.MinInt16:
		return math.MinInt16
	case v < 0:
		return int16(v - 0.5)
	}
	return int16(v + 0.5)
}

// designFilter returns phases+1 rows of taps coefficients; row p interpolates at p/phases between the two
// middle samples. ratio is the slower rate divided by the input rate. Each row sums to 1, so that a constant
// signal is preserved.
func designFilter(phases, taps int, ratio float64) []float32 {
	cutoff := ratio * (0.5 - transition/2) // in cycles per input sample
	half := float64(taps) / 2
	norm := bessel0(kaiserBeta)
	table := make([]float32, (phases+1)*taps)
	row := make([]float64, taps)
	for p := range phases + 1 {
		var sum float64
		for i := range row {
			t := float64(i-taps/2+1) - float64(p)/float64(phases)
			row[i] = 0
			if edge := t / half; edge > -1 && edge < 1 {
				row[i] = sinc(2*cutoff*t) * bessel0(kaiserBeta*math.Sqrt(1-edge*edge)) / norm
			}
			sum += row[i]
		}
		for i, c := range row {
			table[p*taps+i] = float32(c / sum)
		}
	}
	return table
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// bessel0 returns the modified Bessel function of the first kind of order zero.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-12*sum; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
