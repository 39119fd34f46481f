package vad

import (
	_ "embed" // for the model
	"errors"
	"fmt"
	"runtime"
)

const (
	// SileroRate is the model's sample rate in hertz.
	SileroRate = 16000
	// WindowSamples is the number of samples per window: 32 ms.
	WindowSamples = 512

	// contextSamples is the number of samples of the preceding window that are passed again with each window.
	contextSamples = 64
	// stateSize is the size of the model's state: two layers of 128 for one speaker.
	stateSize = 2 * 128
)

var (
	// ErrNoOnnxruntime means that no onnxruntime library that can run the model could be loaded.
	ErrNoOnnxruntime = errors.New("onnxruntime is missing")
	// ErrClosed means that the [Silero] has been closed.
	ErrClosed = errors.New("the session of the voice model is closed")
	// ErrNoAnswer means that the model did not return a probability.
	ErrNoAnswer = errors.New("the voice model's answer is no probability")
)

// model is Silero's voice detection model for 8 and 16 kHz. NOTICE describes its origin.
//
//go:embed silero_vad.onnx
var model []byte

// onnxMissing returns the error for a machine without the library; why describes the unusable library,
// if there is one.
func onnxMissing(why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	return fmt.Errorf("%w%s: %s", ErrNoOnnxruntime, why, onnxAdvice(runtime.GOOS))
}

// onnxAdvice returns instructions for installing the library.
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
