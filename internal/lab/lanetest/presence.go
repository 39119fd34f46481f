// Package lanetest provides a detector for tests of lanes and of code that
// hears through them.
package lanetest

import "github.com/MrWong99/glyphoxa/pkg/audio"

// quietest is the largest sample that still counts as digital silence, at -60
// dBFS: codecs end encoded silence with a few of these.
const quietest = 32

// Presence is the [lane.Detector] for transports that send only during speech:
// every frame that is not silent is voice. The zero value is ready.
type Presence struct{}

// Process returns 1 for a frame with any sound in it, else 0.
func (Presence) Process(f *audio.Frame) float64 {
	for _, s := range f {
		if s > quietest || s < -quietest {
			return 1
		}
	}
	return 0
}
