// Package webrtcvad tells voice from noise with the detector of WebRTC, which
// knows what speech looks like in six bands of the telephone's range. It loads
// a library of the system at run time; where there is none, [New] says so.
//
// It starts no goroutine and keeps nothing outside the values it returns. It does not
// implement the detector itself.
package webrtcvad

import (
	"errors"
	"fmt"
	"runtime"
)

var (
	// ErrNoLibrary means that no library with the detector could be loaded.
	ErrNoLibrary = errors.New("WebRTC's voice detection is missing")
	// ErrMode means a [Mode] that does not exist.
	ErrMode = errors.New("no such mode of voice detection")
)

// Mode is how sure a [Detector] must be before it calls a frame voice.
type Mode int

// The modes, in WebRTC's own words for them: each takes less noise for voice
// than the one before, and misses more voice.
const (
	Quality Mode = iota
	LowBitrate
	Aggressive
	VeryAggressive
)

// String returns the name of m.
func (m Mode) String() string {
	switch m {
	case Quality:
		return "quality"
	case LowBitrate:
		return "low bitrate"
	case Aggressive:
		return "aggressive"
	case VeryAggressive:
		return "very aggressive"
	}
	return fmt.Sprintf("Mode(%d)", int(m))
}

// New returns a detector that has heard nothing. The error wraps
// [ErrNoLibrary], and says what to install, or [ErrMode].
func New(mode Mode) (*Detector, error) {
	if mode < Quality || mode > VeryAggressive {
		return nil, fmt.Errorf("%w: %d", ErrMode, int(mode))
	}
	return open(names(), mode)
}

// missing is the error for a machine without the library; why names what was
// found instead, if anything.
func missing(why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	return fmt.Errorf("%w%s: %s", ErrNoLibrary, why, advice(runtime.GOOS))
}

// advice says how to get the library.
func advice(system string) string {
	if system == "linux" {
		return "apt-get install libwebrtc-audio-processing1, or install version 0.3 of webrtc-audio-processing in your system's way"
	}
	return "run Glyphoxa on Linux (amd64 or arm64) and install version 0.3 of webrtc-audio-processing"
}
