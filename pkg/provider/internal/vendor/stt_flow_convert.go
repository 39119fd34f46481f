package vendor

import (
	"cmp"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Rate is what sound is sent to every provider at, in samples per second:
// speech models are trained on it, and more only costs bandwidth.
const Rate = 16000

// Source returns the sample rate of o.
func Source(o stt.Options) int { return cmp.Or(o.SampleRate, audio.SampleRate) }

// Limit returns how many samples of o may wait.
func Limit(o stt.Options) int { return Source(o) * int(stt.MaxQueued.Seconds()) }

// Converter brings sound to [Rate]. It belongs to one goroutine.
type Converter struct {
	resampler *audio.Resampler
	buf       []int16
}

// NewConverter returns a converter for the sound of o. The error wraps
// [stt.ErrRejected] and [audio.ErrRate].
func NewConverter(o stt.Options) (*Converter, error) {
	r, err := audio.NewResampler(Source(o), Rate)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", stt.ErrRejected, err)
	}
	return &Converter{resampler: r}, nil
}

// Convert returns what samples complete, until the next call. With end it also
// returns what the converter held back, and begins anew.
func (c *Converter) Convert(samples []int16, end bool) []int16 {
	c.buf = c.resampler.Process(c.buf[:0], samples)
	if end {
		c.buf = c.resampler.Flush(c.buf)
	}
	return c.buf
}
