//go:build !((linux || darwin || windows) && (amd64 || arm64) && !android && !faketime && !static)

package vad

// Silero stands for the model, which is not available on this system.
type Silero struct{}

// OpenSilero returns an error that wraps [ErrNoOnnxruntime].
func OpenSilero(string) (*Silero, error) { return nil, onnxMissing("") }

// Library returns "".
func (*Silero) Library() string { return "" }

// Close does nothing.
func (*Silero) Close() error { return nil }

// NewStream returns [ErrClosed].
func (*Silero) NewStream() (*SileroStream, error) { return nil, ErrClosed }

// SileroStream stands for the stream of a speaker.
type SileroStream struct{}

// Judge returns [ErrClosed].
func (*SileroStream) Judge(*[WindowSamples]float32) (float64, error) { return 0, ErrClosed }

// Reset does nothing.
func (*SileroStream) Reset() {}
