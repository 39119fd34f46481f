package vad

import (
	"errors"
	"fmt"
	"runtime"
)

var (
	// ErrNoWebRTC means that no library with the detector could be loaded.
	ErrNoWebRTC = errors.New("WebRTC's voice detection is missing")
	// ErrMode means that a [WebRTCMode] does not exist.
	ErrMode = errors.New("no such mode of voice detection")
)

// WebRTCMode is how certain a [WebRTC] must be to classify a frame as voice.
type WebRTCMode int

// The modes, by WebRTC's names: each takes less noise for voice than the previous one, and misses more voice.
const (
	Quality WebRTCMode = iota
	LowBitrate
	Aggressive
	VeryAggressive
)

// String returns the name of m.
func (m WebRTCMode) String() string {
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

// NewWebRTC returns a detector in its initial state. The error wraps [ErrNoWebRTC], and says what to install,
// or wraps [ErrMode].
func NewWebRTC(mode WebRTCMode) (*WebRTC, error) {
	if mode < Quality || mode > VeryAggressive {
		return nil, fmt.Errorf("%w: %d", ErrMode, int(mode))
	}
	return open(names(), mode)
}

// webrtcMissing returns the error for a machine without the library; why describes the unusable library,
// if there is one.
func webrtcMissing(why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	return fmt.Errorf("%w%s: %s", ErrNoWebRTC, why, webrtcAdvice(runtime.GOOS))
}

// webrtcAdvice returns instructions for installing the library.
func webrtcAdvice(system string) string {
	if system == "linux" {
		return "apt-get install libwebrtc-audio-processing1, or install version 0.3 of webrtc-audio-processing in your system's way"
	}
	return "run Glyphoxa on Linux (amd64 or arm64) and install version 0.3 of webrtc-audio-processing"
}
