//go:build !((linux || darwin || windows) && (amd64 || arm64) && !android && !faketime && !static)

package silero

// Session stands for the model, which is not used on this system: there is never
// one.
type Session struct{}

// Open returns an error that wraps [ErrNoLibrary].
func Open(string) (*Session, error) { return nil, missing("") }

// Library returns nothing.
func (*Session) Library() string { return "" }

// Close does nothing.
func (*Session) Close() error { return nil }

// NewStream returns [ErrClosed].
func (*Session) NewStream() (*Stream, error) { return nil, ErrClosed }

// Stream stands for a speaker's sound.
type Stream struct{}

// Judge returns [ErrClosed].
func (*Stream) Judge(*[WindowSamples]float32) (float64, error) { return 0, ErrClosed }

// Reset does nothing.
func (*Stream) Reset() {}
