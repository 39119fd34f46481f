// Package audio defines audio as Glyphoxa moves it: the [Frame] that lanes, mixer and transports exchange,
// samples as bytes, conversion between sample rates, loudness, trimming of silence around sentences, and WAV
// files.
//
//	r, err := audio.NewResampler(16000, audio.SampleRate)
//	var framer audio.Framer
//	framer.Push(r.Process(nil, samples))
//
// The package imports only the standard library, starts no goroutine and contains no codec. All samples are
// signed 16-bit. Values of its types are not safe for concurrent use unless documented otherwise.
package audio

import "time"

// The format of a [Frame].
const (
	// SampleRate is the sample rate in hertz.
	SampleRate = 48000
	// FrameDuration is the duration of a frame.
	FrameDuration = 20 * time.Millisecond
	// FrameSamples is the number of samples in one frame.
	FrameSamples = SampleRate / int(time.Second/FrameDuration)
)

// Frame is 20 ms of mono audio at 48 kHz. The zero value is silence.
type Frame [FrameSamples]int16

// Duration returns the duration of n samples at rate samples per second.
func Duration(n, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	whole, rest := n/rate, n%rate
	return time.Duration(whole)*time.Second + time.Duration(rest)*time.Second/time.Duration(rate)
}

// Framer splits a stream of 48 kHz samples into frames. The zero value is ready to use.
type Framer struct {
	buf   []int16
	start int // number of samples in buf already returned
}

// Push appends a copy of samples.
func (f *Framer) Push(samples []int16) {
	if f.start > 0 {
		n := copy(f.buf, f.buf[f.start:])
		f.buf, f.start = f.buf[:n], 0
	}
	f.buf = append(f.buf, samples...)
}

// Next moves the oldest complete frame into dst and reports whether there was one.
func (f *Framer) Next(dst *Frame) bool {
	if len(f.buf)-f.start < FrameSamples {
		return false
	}
	f.start += copy(dst[:], f.buf[f.start:])
	return true
}

// Flush moves the remaining samples into dst, padded with silence, and reports whether there were any.
func (f *Framer) Flush(dst *Frame) bool {
	if f.start == len(f.buf) {
		return false
	}
	n := copy(dst[:], f.buf[f.start:])
	clear(dst[n:])
	f.start += n
	return true
}
