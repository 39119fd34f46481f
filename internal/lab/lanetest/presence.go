// Package lanetest holds a detector for tests of lanes and of what hears through
// them.
package lanetest

import "github.com/MrWong99/glyphoxa/pkg/audio"

// quietest is the greatest sample that is still digital silence, at -60 dBFS:
// codecs end a silence they encode with a few of these.
const quietest = 32

// Presence is the [lane.Detector] for transports that send only while one speaks:
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
