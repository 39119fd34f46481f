package ear

import (
	"math"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// Speech is judged from 250 Hz, above mains hum, to 4 kHz.
	decimation = 6
	bandRate   = audio.SampleRate / decimation
	bandLen    = audio.FrameSamples / decimation
	highPass   = 250.0

	// Levels are in dBFS, rates in dB per frame.
	firstFloor   = -60.0
	lowestFloor  = -75.0
	fullScale    = 32768.0
	snrOfSurety  = 15.0 // dB above the floor that are certainly voice
	fallRate     = 0.3  // fraction of the distance
	noiseRate    = 0.4  // 20 dB/s
	speechRate   = 0.06 // 3 dB/s
	steadyWithin = 4.0  // range in dB that speech exceeds within 600 ms

	// recent is how many frames back the floor looks. 600 ms contain a dip between syllables.
	recent = 30
	// voicedAt is the periodicity from which a frame counts as pitched. Noise stays below 0.35.
	voicedAt = 0.5
	// unsure is the maximum result for a loud frame without pitch. It can sustain voicing, but not start it.
	unsure = 0.5
)

// Energy is the [Detector] for transports that send continuously. It tracks the noise floor, so that it works
// at any microphone level. Voicing starts only on a pitched sound, so that noise, clicks and hum do not start
// it; neither does a whisper.
type Energy struct {
	filter [2]biquad
	band   [bandLen]float32
	pitch  pitch
	floor  float64
	levels [recent]float64 // ring of the newest levels
	at     int
	noise  float64 // average share of loud frames that have no pitch
	above  float64 // level of the newest frame above the floor, in dB
}

// NewEnergy returns a detector that has not adapted to its microphone yet.
func NewEnergy() *Energy {
	e := &Energy{floor: firstFloor}
	// The two halves of a fourth-order Butterworth filter.
	e.filter[0] = newHighPass(highPass/bandRate, 0.54119610)
	e.filter[1] = newHighPass(highPass/bandRate, 1.3065630)
	for i := range e.levels {
		e.levels[i] = firstFloor
	}
	return e
}

// Process returns how likely the next frame is voice.
func (e *Energy) Process(f *audio.Frame) float64 {
	e.filterBand(f)
	// Both halves must be loud, because otherwise a click between two frames would count in both.
	level := min(loudness(e.band[:bandLen/2]), loudness(e.band[bandLen/2:]))
	e.pitch.addFrame(&e.band)
	e.above = level - e.floor
	if level < -90 { // digital silence says nothing about the room
		return 0
	}
	p := min(max(e.above/snrOfSurety, 0), 1)
	if p >= sustainAt { // below that, it is not voice, whatever its pitch
		unvoiced := 0.0
		if e.pitch.strength() < voicedAt {
			p = min(p, unsure)
			unvoiced = 1
		}
		e.noise += 0.1 * (unvoiced - e.noise)
	}
	e.followFloor(level)
	return p
}

// followFloor lowers the floor fast. It raises the floor to the lowest recent level: quickly if the sound is
// noise, that is steady or without pitch, otherwise slowly.
func (e *Energy) followFloor(level float64) {
	e.levels[e.at] = level
	e.at = (e.at + 1) % recent
	low, high := level, level
	for _, l := range e.levels {
		low, high = min(low, l), max(high, l)
	}
	switch {
	case level < e.floor:
		e.floor = max(e.floor+fallRate*(level-e.floor), lowestFloor)
	case e.noise > 0.8 || high-low < steadyWithin:
		e.floor += min(noiseRate, max(low-e.floor, 0))
	default:
		e.floor += min(speechRate, max(low-e.floor, 0))
	}
}

// filterBand stores the frame's speech band in e.band.
func (e *Energy) filterBand(f *audio.Frame) {
	for i := range e.band {
		var sum int32
		for _, s := range f[decimation*i : decimation*i+decimation] {
			sum += int32(s)
		}
		e.band[i] = e.filter[1].next(e.filter[0].next(float32(sum) / decimation))
	}
}

// loudness returns the level of x in dBFS.
func loudness(x []float32) float64 {
	var sum float32
	for _, v := range x {
		sum += v * v
	}
	return 10 * math.Log10(float64(sum)/float64(len(x))/(fullScale*fullScale)+1e-12)
}

// biquad is a second-order filter.
type biquad struct {
	b0, b1, b2, a1, a2 float32
	s1, s2             float32
}

// newHighPass returns a high-pass filter at freq in cycles per sample.
func newHighPass(freq, q float64) biquad {
	w := 2 * math.Pi * freq
	alpha, cos := math.Sin(w)/(2*q), math.Cos(w)
	a0 := 1 + alpha
	return biquad{
		b0: float32((1 + cos) / 2 / a0), b1: float32(-(1 + cos) / a0), b2: float32((1 + cos) / 2 / a0),
		a1: float32(-2 * cos / a0), a2: float32((1 - alpha) / a0),
	}
}

func (b *biquad) next(x float32) float32 {
	y := b.b0*x + b.s1
	b.s1 = b.b1*x - b.a1*y + b.s2
	b.s2 = b.b2*x - b.a2*y
	if y < 1e-6 && y > -1e-6 {
		y = 0 // subnormal numbers are slow
		if b.s1 < 1e-6 && b.s1 > -1e-6 && b.s2 < 1e-6 && b.s2 > -1e-6 {
			b.s1, b.s2 = 0, 0
		}
	}
	return y
}
