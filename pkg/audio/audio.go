// Package audio holds sound as Glyphoxa moves it: the [Frame] every lane,
// mixer and transport exchanges, its samples as bytes, conversion between
// sample rates, loudness, silence around sentences, and WAV files.
//
// It imports only the standard library, starts no goroutine and knows no codec. All sound
// is signed 16-bit; values of its types belong to one goroutine at a time.
package audio

import "time"

// The format of a [Frame].
const (
	// SampleRate is in samples per second.
	SampleRate = 48000
	// FrameDuration is how long one frame sounds.
	FrameDuration = 20 * time.Millisecond
	// FrameSamples is the number of samples in one frame.
	FrameSamples = SampleRate / int(time.Second/FrameDuration)
)

// Frame is 20 ms of mono sound at 48 kHz. The zero value is silence.
type Frame [FrameSamples]int16

// Duration returns how long n samples sound at rate samples per second.
func Duration(n, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	whole, rest := n/rate, n%rate
	return time.Duration(whole)*time.Second + time.Duration(rest)*time.Second/time.Duration(rate)
}

// Framer cuts a run of 48 kHz samples into frames. The zero value is ready.
type Framer struct {
	buf   []int16
	start int // samples of buf already handed out
}

// Push appends samples; it copies them.
func (f *Framer) Push(samples []int16) {
	if f.start > 0 {
		n := copy(f.buf, f.buf[f.start:])
		f.buf, f.start = f.buf[:n], 0
	}
	f.buf = append(f.buf, samples...)
}

// Next moves the oldest whole frame into dst and reports whether there was one.
func (f *Framer) Next(dst *Frame) bool {
	if len(f.buf)-f.start < FrameSamples {
		return false
	}
	f.start += copy(dst[:], f.buf[f.start:])
	return true
}

// Flush moves what is left after [Framer.Next] into dst, padded with silence,
// and reports whether anything was left.
func (f *Framer) Flush(dst *Frame) bool {
	if f.start == len(f.buf) {
		return false
	}
	n := copy(dst[:], f.buf[f.start:])
	clear(dst[n:])
	f.start += n
	return true
}
