package simulate

import (
	"math/rand/v2"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
)

// noise returns white noise of length d with its root mean square at level, in
// dBFS.
func noise(d time.Duration, level float64) []int16 {
	return rig.Noise(d, level, rand.New(rand.NewPCG(1, 7)))
}

const coughLength = 280 * time.Millisecond

// cough returns a burst of noise with a hard onset.
func cough() []int16 { return rig.Decay(noise(coughLength, -14), 3) }

// mixSounds adds a background to a sound; the result is as long as the sound.
func mixSounds(sound, background []int16) []int16 {
	out := make([]int16, len(sound))
	for i, s := range sound {
		out[i] = int16(max(-32768, min(32767, int32(s)+int32(background[i%len(background)]))))
	}
	return out
}
