package opus

import (
	"fmt"

	pion "github.com/pion/opus"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// maxConcealed is the maximum number of consecutive concealed frames; after that, silence follows.
const maxConcealed = 5

// goDecoder decodes without libopus. It does not use the redundant copies in payloads; it conceals a lost
// frame by repeating the last period while fading out.
type goDecoder struct {
	dec  pion.Decoder
	last audio.Frame
	lost int // consecutive concealed frames
}

func newGoDecoder() *goDecoder {
	d := &goDecoder{}
	d.renew()
	return d
}

func (d *goDecoder) renew() {
	d.dec = pion.NewDecoder()
	if err := d.dec.Init(audio.SampleRate, 1); err != nil {
		panic(err) // cannot fail for 48 kHz mono
	}
}

func (d *goDecoder) Decode(dst *audio.Frame, payload []byte) (err error) {
	if err := validate(payload); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			d.renew() // its state is unknown after a panic
			err = fmt.Errorf("decoding Opus: %w: %v", ErrPayload, r)
		}
	}()
	n, err := d.dec.DecodeToInt16(payload, d.last[:])
	if err != nil {
		return fmt.Errorf("decoding Opus: %w: %v", ErrPayload, err)
	}
	if n != audio.FrameSamples {
		return fmt.Errorf("decoding Opus: %w: %d samples", ErrPayload, n)
	}
	*dst = d.last
	d.lost = 0
	return nil
}

func (d *goDecoder) Conceal(dst *audio.Frame, _ []byte) error {
	if d.lost++; d.lost > maxConcealed {
		d.last = audio.Frame{}
	} else {
		d.last = prolong(&d.last, maxConcealed-d.lost+1)
	}
	*dst = d.last
	return nil
}

// prolong returns the frame after f if its last period repeats, faded so that it ends after steps frames.
func prolong(f *audio.Frame, steps int) audio.Frame {
	var out audio.Frame
	lag := period(f)
	for i := range out {
		fade := 1 - float32(i)/float32(len(out)*steps)
		out[i] = int16(fade * float32(f[len(f)-lag+i%lag]))
	}
	return out
}

// period returns the lag in samples at which the end of f is most similar to itself, from 75 to 400 Hz.
func period(f *audio.Frame) int {
	const (
		least, most = audio.SampleRate / 400, audio.SampleRate / 75
		window      = len(f) - most
		step        = 4 // of the coarse search
	)
	best, at := float32(0), most
	for lag := least; lag <= most; lag += step {
		var cross, power float32
		for i := len(f) - window; i < len(f); i += step {
			now, then := float32(f[i]), float32(f[i-lag])
			cross += now * then
			power += then * then
		}
		if cross > 0 && cross*cross > best*power {
			best, at = cross*cross/power, lag
		}
	}
	return at
}

func (d *goDecoder) Reset() error {
	d.renew()
	d.last, d.lost = audio.Frame{}, 0
	return nil
}
