package ear

import "math"

const (
	// Pitch is searched at 4 kHz, over 40 ms, from 70 to 500 Hz.
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

// addFrame adds a frame of the speech band.
func (p *pitch) addFrame(band *[bandLen]float32) {
	copy(p.x[:], p.x[pitchLen:])
	tail := p.x[pitchKept-pitchLen:]
	for i := range tail {
		tail[i] = (band[2*i] + band[2*i+1]) / 2
	}
}

// strength returns the maximum correlation, 0 to 1, of the last 40 ms with the sound one period earlier.
func (p *pitch) strength() float64 {
	now := p.x[mostLag:]
	power := float64(dotProduct(now, now))
	if power < float64(pitchWindow) {
		return 0 // only quantisation noise
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

// dotProduct returns the inner product of x and y, which have the same length, a multiple of 4. It uses
// separate sums so that the processor can compute them in parallel.
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
