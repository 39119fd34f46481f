package ear

import "github.com/MrWong99/glyphoxa/pkg/audio"

// Detector judges the frames of one speaker in order, 20 ms each. Silence that the transport left out is
// passed as zeros. A detector belongs to its lane.
type Detector interface {
	// Process returns how likely the frame is voice, 0 to 1. From 0.6 it starts voicing; from 0.4 it sustains
	// it.
	Process(*audio.Frame) float64
}

// lateOnsetDetector is a [Detector] that notices a voice late but with high certainty.
type lateOnsetDetector interface {
	Detector
	// sureThreshold returns the value that one frame must reach for a normal onset to start voicing.
	sureThreshold() float64
	// soundBefore returns how many frames before the newest n were loud enough to belong to their onset, at
	// most maxLateFrames.
	soundBefore(n int) int
}

const (
	startAt   = 0.6
	sustainAt = 0.4
	// onset is the number of voiced frames that start voicing. Fewer could be a click: one under 60 ms
	// touches both halves of at most three frames.
	onset = 4
	// unsureOnset is the number of voiced frames that start voicing if none of them is sure.
	unsureOnset = 15
	// maxLateFrames is the maximum number of frames by which a detector notices a voice late.
	maxLateFrames = 8
	// release is the number of frames without voice that end voicing. A plosive is shorter.
	release = 5
)

// change is how a frame changed voicing.
type change uint8

const (
	same change = iota
	started
	stopped
)

// voiceSmoother smooths a detector's results for single frames.
type voiceSmoother struct {
	on     bool
	voiced int // voiced frames since the onset, or towards one
	span   int // frames since the first of the onset
	missed int // consecutive frames without voice
	sure   bool
	heard  bool
}

// judgeFrame handles the next frame, with likelihood p. From surely on, the frame is certainly voice.
// Afterwards v.heard reports whether it was voice.
func (v *voiceSmoother) judgeFrame(p, surely float64) change {
	threshold := startAt
	if v.on {
		threshold = sustainAt
	}
	v.heard = p >= threshold
	switch {
	case v.heard:
		v.voiced++
		v.missed = 0
		v.sure = v.sure || p >= surely
	case v.voiced > 0:
		v.missed++
	default:
		return same
	}
	v.span++
	switch {
	case v.on && v.missed >= release:
		*v = voiceSmoother{}
		return stopped
	case v.on:
		return same
	case v.voiced >= onset && v.sure, v.voiced >= unsureOnset:
		v.on = true
		return started
	case v.missed > 1:
		*v = voiceSmoother{}
	}
	return same
}

// mayStart reports whether an onset may be under way.
func (v *voiceSmoother) mayStart() bool { return !v.on && v.voiced > 0 }

// dropOnset drops an onset under way.
func (v *voiceSmoother) dropOnset() {
	if !v.on {
		*v = voiceSmoother{}
	}
}
