package vendor

import (
	"cmp"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Rate is the sample rate in hertz at which audio is sent to every provider. Speech models are trained on it,
// and a higher rate only costs bandwidth.
const Rate = 16000

// Source returns the sample rate of o.
func Source(o stt.Options) int { return cmp.Or(o.SampleRate, audio.SampleRate) }

// Limit returns the maximum number of queued samples for o.
func Limit(o stt.Options) int { return Source(o) * int(stt.MaxQueued.Seconds()) }

// Converter resamples audio to [Rate]. It is not safe for concurrent use.
type Converter struct {
	resampler *audio.Resampler
	buf       []int16
}

// NewConverter returns a converter for the sample rate of o. The error wraps [stt.ErrRejected] and
// [audio.ErrRate].
func NewConverter(o stt.Options) (*Converter, error) {
	r, err := audio.NewResampler(Source(o), Rate)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", stt.ErrRejected, err)
	}
	return &Converter{resampler: r}, nil
}

// Convert returns the converted samples that are complete so far; the slice is valid until the next call. If
// end is set, it also flushes the samples held back, and starts over.
func (c *Converter) Convert(samples []int16, end bool) []int16 {
	c.buf = c.resampler.Process(c.buf[:0], samples)
	if end {
		c.buf = c.resampler.Flush(c.buf)
	}
	return c.buf
}
