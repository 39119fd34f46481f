package audio

// The knee and the ceiling of [Limit] in sample units.
const (
	limitKnee    = 23000 // about 3 dB below full scale
	limitCeiling = 32600
)

// Limit brings a sample of any size, such as the sum of several voices or an amplified one, into range
// without the harshness of clipping. Below about 70 % of full scale it changes nothing; above, it approaches
// a ceiling just below full scale. It is monotonic and odd, stateless, and adds no delay. NaN becomes 0.
func Limit(v float32) int16 {
	switch {
	case v > limitKnee:
		return int16(bend(v) + 0.5)
	case v < -limitKnee:
		return -int16(bend(-v) + 0.5)
	case v != v:
		return 0
	}
	return saturate(v)
}

// bend maps the range from the knee to infinity to the range from the knee to the ceiling, with slope 1 at
// the knee.
func bend(v float32) float32 {
	const room = limitCeiling - limitKnee
	over := v - limitKnee
	if over > 1e9 { // also infinity, for which the formula yields NaN
		return limitCeiling
	}
	return limitKnee + room*over/(room+over)
}
