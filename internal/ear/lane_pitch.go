package ear

import "math"

const (
	// Pitch is sought at 4 kHz, over 40 ms, from 70 to 500 Hz.
	pitchRate   = bandRate / 2
	pitchLen    = bandLen / 2
	pitchWindow = 2 * pitchLen
	leastLag    = pitchRate / 500
	mostLag     = pitchRate / 70
	pitchKept   = pitchWindow + mostLag
)

// pitch measures how periodic a voice is.
type pitch struct {
	x [pitchKept]float32
}

// addFrame takes in a frame of the speech band.
func (p *pitch) addFrame(band *[bandLen]float32) {
	copy(p.x[:], p.x[pitchLen:])
	tail := p.x[pitchKept-pitchLen:]
	for i := range tail {
		tail[i] = (band[2*i] + band[2*i+1]) / 2
	}
}

// strength returns the greatest correlation of the last 40 ms with themselves
// one period before, 0 to 1.
func (p *pitch) strength() float64 {
	now := p.x[mostLag:]
	power := float64(dotProduct(now, now))
	if power < float64(pitchWindow) {
		return 0 // no more than the last bit
	}
	// before is the power of the window one lag earlier.
	first := p.x[mostLag-leastLag:][:pitchWindow]
	before := float64(dotProduct(first, first))
	best := 0.0
	for lag := leastLag; lag <= mostLag; lag++ {
		then := p.x[mostLag-lag:][:pitchWindow]
		if lag > leastLag {
			gone := p.x[mostLag-lag+pitchWindow]
			before += float64(then[0]*then[0]) - float64(gone*gone)
		}
		if c := float64(dotProduct(now, then)); c > 0 && before > float64(pitchWindow) {
			best = max(best, c/math.Sqrt(power*before))
		}
	}
	return min(best, 1)
}

// dotProduct is the inner product of x and y, which are equally long, a multiple of
// 4. Separate sums let the processor overlap them.
func dotProduct(x, y []float32) float32 {
	var a, b, c, d float32
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	return a + b + c + d
}
