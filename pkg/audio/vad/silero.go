package vad

import (
	_ "embed" // for the model
	"errors"
	"fmt"
	"runtime"
)

const (
	// SileroRate is what the model hears, in samples per second.
	SileroRate = 16000
	// WindowSamples is how much it judges at a time: 32 ms.
	WindowSamples = 512

	// contextSamples of the window before are heard again with each.
	contextSamples = 64
	// stateSize is what the model remembers from window to window: two layers
	// of 128 for one speaker.
	stateSize = 2 * 128
)

var (
	// ErrNoOnnxruntime means that no library of onnxruntime could be loaded that
	// computes the model.
	ErrNoOnnxruntime = errors.New("onnxruntime is missing")
	// ErrClosed means a [Silero] that was closed.
	ErrClosed = errors.New("the session of the voice model is closed")
	// ErrNoAnswer means that the model answered with no probability.
	ErrNoAnswer = errors.New("the voice model's answer is no probability")
)

// model is Silero's voice detection for 8 and 16 kHz. NOTICE says where it comes
// from.
//
//go:embed silero_vad.onnx
var model []byte

// onnxMissing is the error for a machine without the library; why names what was
// found instead, if anything.
func onnxMissing(why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	return fmt.Errorf("%w%s: %s", ErrNoOnnxruntime, why, onnxAdvice(runtime.GOOS))
}

// onnxAdvice says how to get the library.
func onnxAdvice(system string) string {
	own := "or name its file in hearing.onnxruntime"
	switch system {
	case "linux":
		return "run make onnx, or install your system's package of onnxruntime 1.17 or later, " + own
	case "darwin":
		return "run make onnx or brew install onnxruntime, " + own
	case "windows":
		return "put the onnxruntime.dll of version 1.17 or later beside glyphoxa.exe, " + own
	}
	return "it can be used on Linux, macOS and Windows"
}
