//go:build !((linux || darwin) && (amd64 || arm64) && !android && !faketime && !static)

package opus

// Library stands for libopus, which is not used on this system: there is
// never one.
type Library struct{}

// Load fails with an error that wraps [ErrNoLibrary].
func Load() (*Library, error) { return nil, missing() }

// Version returns nothing.
func (l *Library) Version() string { return "" }

func (l *Library) newEncoder(EncoderOptions) (Encoder, error) { return nil, missing() }

func (l *Library) newDecoder() (Decoder, error) { return newGoDecoder(), nil }
