// Package opus encodes frames to Opus payloads and decodes them: 48 kHz, mono, 20 ms. It uses the system's
// libopus, loaded at run time. Without libopus it still decodes, in pure Go, but cannot encode.
//
//	lib, err := opus.Load()
//	enc, err := opus.NewEncoder(lib, nil)
//	payload, err := enc.Encode(nil, &frame)
//
// The package starts no goroutine and has no state outside the values it returns.
package opus

import (
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

var (
	// ErrNoLibrary means that libopus could not be loaded or is too old.
	ErrNoLibrary = errors.New("libopus is missing")
	// ErrPayload means that the bytes are not a valid Opus payload.
	ErrPayload = errors.New("not an Opus payload")
	// ErrDuration means that the duration of a payload is not 20 ms.
	ErrDuration = errors.New("payload is not 20 ms long")
	// ErrOptions means that an option is out of range.
	ErrOptions = errors.New("options out of range")
)

// MaxPayload is the maximum size of a payload in bytes.
const MaxPayload = 1500

// Encoder encodes the frames of one stream, in order. It is not safe for concurrent use.
type Encoder interface {
	// Encode appends the payload of f to dst and returns dst. With EncoderOptions.DTX, a payload of at most 2
	// bytes need not be sent.
	Encode(dst []byte, f *audio.Frame) ([]byte, error)
	// Reset resets the encoder to its initial state.
	Reset() error
}

// Decoder decodes the payloads of one stream, in order. It is not safe for concurrent use.
type Decoder interface {
	// Decode decodes payload into dst. On an error, which wraps ErrPayload or ErrDuration, dst is undefined
	// and the decoder is ready for the next payload.
	Decode(dst *audio.Frame, payload []byte) error
	// Conceal stores an estimate of a lost frame in dst. next is the payload after the lost frame, or empty;
	// if it contains a copy of the lost frame, Conceal uses that. next still has to be decoded afterwards.
	Conceal(dst *audio.Frame, next []byte) error
	// Reset resets the decoder to its initial state.
	Reset() error
}

// EncoderOptions configure an [Encoder]. The zero value suits speech over the internet.
type EncoderOptions struct {
	// Bitrate is in bits per second, from 6000 to 256000. The default is 32000, at which payloads contain
	// copies against packet loss.
	Bitrate int
	// Loss is the expected packet loss in percent, up to 100. The higher it is, the larger the share of a
	// payload used for a copy of the preceding frame. The default is 10; if negative, no loss is expected and
	// payloads contain no copies.
	Loss int
	// Complexity trades processor time for quality, from 1 to 10. The default is 4, because more is hardly
	// audible in speech and costs half as much again.
	Complexity int
	// DTX makes the encoder send almost nothing during silence.
	DTX bool
	// Audio preserves the sound as it is. If false, the encoder favours intelligible speech over fidelity.
	Audio bool
}

const (
	defaultBitrate    = 32000
	defaultLoss       = 10
	defaultComplexity = 4
)

func (o *EncoderOptions) withDefaults() (EncoderOptions, error) {
	var opts EncoderOptions
	if o != nil {
		opts = *o
	}
	if opts.Bitrate == 0 {
		opts.Bitrate = defaultBitrate
	}
	switch {
	case opts.Loss == 0:
		opts.Loss = defaultLoss
	case opts.Loss < 0:
		opts.Loss = 0
	}
	if opts.Complexity == 0 {
		opts.Complexity = defaultComplexity
	}
	if opts.Bitrate < 6000 || opts.Bitrate > 256000 || opts.Loss > 100 || opts.Complexity < 1 || opts.Complexity > 10 {
		return opts, ErrOptions
	}
	return opts, nil
}

// NewDecoder returns a decoder that uses lib or, if lib is nil, a decoder in pure Go.
func NewDecoder(lib *Library) (Decoder, error) {
	if lib == nil {
		return newGoDecoder(), nil
	}
	return lib.newDecoder()
}

// NewEncoder returns an encoder that uses lib; opts may be nil. If lib is nil, the error wraps [ErrNoLibrary]
// and says what to install. If an option is out of range, it wraps [ErrOptions].
func NewEncoder(lib *Library, opts *EncoderOptions) (Encoder, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if lib == nil {
		return nil, missing()
	}
	return lib.newEncoder(o)
}
