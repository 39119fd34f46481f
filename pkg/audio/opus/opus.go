// Package opus turns frames into Opus payloads and back: 48 kHz, mono, 20 ms.
// It uses the system's libopus, loaded at run time; where that is missing, it
// still decodes, in pure Go, but cannot encode.
//
// It starts no goroutine and keeps nothing outside the values it
// returns.
package opus

import (
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

var (
	// ErrNoLibrary means that libopus could not be loaded, or is too old.
	ErrNoLibrary = errors.New("libopus is missing")
	// ErrPayload means bytes that are no Opus payload.
	ErrPayload = errors.New("not an Opus payload")
	// ErrDuration means a payload of another duration than 20 ms.
	ErrDuration = errors.New("payload is not 20 ms long")
	// ErrOptions means options outside their ranges.
	ErrOptions = errors.New("options out of range")
)

// MaxPayload is in bytes: the largest payload that is encoded or decoded.
const MaxPayload = 1500

// Encoder makes payloads of the frames of one stream, in order. It belongs to
// one goroutine at a time.
type Encoder interface {
	// Encode appends the payload of f to dst and returns it. With
	// Options.DTX, a payload of at most 2 bytes need not be sent.
	Encode(dst []byte, f *audio.Frame) ([]byte, error)
	// Reset forgets the stream so far, as if newly made.
	Reset() error
}

// Decoder turns the payloads of one stream back into frames, in order. It
// belongs to one goroutine at a time.
type Decoder interface {
	// Decode stores the sound of payload in dst. On an error, which wraps
	// ErrPayload or ErrDuration, dst is undefined and the decoder ready for
	// the next payload.
	Decode(dst *audio.Frame, payload []byte) error
	// Conceal stores in dst a guess at a frame that was lost. next is the
	// payload after it, from whose copy of the lost frame it is made if there
	// is one; it may be empty, and has to be decoded afterwards all the same.
	Conceal(dst *audio.Frame, next []byte) error
	// Reset forgets the stream so far, as if newly made.
	Reset() error
}

// EncoderOptions adjust an [Encoder]. The zero value suits speech over the
// internet.
type EncoderOptions struct {
	// Bitrate is in bits per second, 6000 to 256000. If zero, 32000, at which
	// payloads carry copies against loss.
	Bitrate int
	// Loss is the share of packets expected to be lost, in percent, up to 100.
	// With more of it, more of a payload is a copy of the frame before. If
	// zero, 10; if negative, none, and payloads carry no copies.
	Loss int
	// Complexity trades processor time for quality, 1 to 10. If zero, 4:
	// more is hardly heard in speech and costs half as much again.
	Complexity int
	// DTX lets the encoder send next to nothing in silence.
	DTX bool
	// Audio keeps to the sound as it is. If false, the encoder makes speech
	// easier to understand, at the cost of how it sounds.
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

// NewDecoder returns a decoder of lib or, if lib is nil, one in pure Go.
func NewDecoder(lib *Library) (Decoder, error) {
	if lib == nil {
		return newGoDecoder(), nil
	}
	return lib.newDecoder()
}

// NewEncoder returns an encoder of lib. If lib is nil, the error wraps
// [ErrNoLibrary] and says what to install. It wraps [ErrOptions] if those are
// out of range.
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
