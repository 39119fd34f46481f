package ear

import "github.com/MrWong99/glyphoxa/pkg/audio"

// Detector judges the frames of one speaker in order, 20 ms each; silence the
// transport left out comes as zeros. It belongs to the lane.
type Detector interface {
	// Process returns how likely the frame is voice, 0 to 1: from 0.6 on it
	// starts voicing, from 0.4 on it sustains it.
	Process(*audio.Frame) float64
}

// trained is a [Detector] that notices a voice late, and is seldom unsure of one.
type trained interface {
	Detector
	// surely is how likely voice must be once to start voicing at once.
	surely() float64
	// soundBefore returns how many frames before the newest n sounded as the
	// newest does, at most mostBefore.
	soundBefore(n int) int
}

const (
	startAt   = 0.6
	sustainAt = 0.4
	// onset is how many frames of voice start voicing. With less, a click
	// would: one under 60 ms touches both halves of at most three frames.
	onset = 4
	// unsurely is how many frames of voice start voicing if none of them is sure.
	unsurely = 15
	// mostBefore is how many frames late a detector notices a voice.
	mostBefore = 8
	// release is how many frames without voice end voicing: a plosive is
	// shorter.
	release = 5
)

// change is what a frame did to voicing.
type change uint8

const (
	same change = iota
	started
	stopped
)

// voicing steadies a detector's judgement of single frames.
type voicing struct {
	on     bool
	voiced int // frames of voice since the onset, or towards it
	span   int // frames since the onset's first
	missed int // frames without voice in a row
	sure   bool
	heard  bool
}

// judgeFrame takes in the next frame; from surely on it is sure to be voice.
// Afterwards heard says whether it was voice.
func (v *voicing) judgeFrame(p, surely float64) change {
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
		*v = voicing{}
		return stopped
	case v.on:
		return same
	case v.voiced >= onset && v.sure, v.voiced >= unsurely:
		v.on = true
		return started
	case v.missed > 1:
		*v = voicing{}
	}
	return same
}

// mayStart reports whether an onset may be under way.
func (v *voicing) mayStart() bool { return !v.on && v.voiced > 0 }

// dropOnset drops an onset under way.
func (v *voicing) dropOnset() {
	if !v.on {
		*v = voicing{}
	}
}
