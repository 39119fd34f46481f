//go:build !((linux || darwin) && (amd64 || arm64) && !android && !faketime && !static)

package opus

// Library stands for libopus, which is not available on this system.
type Library struct{}

// Load returns an error that wraps [ErrNoLibrary].
func Load() (*Library, error) { return nil, missing() }

// Version returns "".
func (l *Library) Version() string { return "" }

func (l *Library) newEncoder(EncoderOptions) (Encoder, error) { return nil, missing() }

func (l *Library) newDecoder() (Decoder, error) { return newGoDecoder(), nil }
