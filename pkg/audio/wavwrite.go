package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

const (
	wavHeaderBytes = 44
	maxWAVBytes    = math.MaxUint32 - wavHeaderBytes
	// unknownBytes is the size declared for a stream whose header cannot be patched.
	unknownBytes = math.MaxUint32 - wavHeaderBytes
)

// WAVWriter writes 16-bit PCM as a WAV file. It updates the sizes in the header about once per second of
// audio, so that a killed process leaves a playable file whose sizes lack at most the last second.
type WAVWriter struct {
	w       io.Writer
	seek    io.WriteSeeker // nil if the header cannot be patched
	start   int64          // offset of the header in seek
	close   func() error
	rate    int
	chans   int
	written int64 // bytes of samples
	patched int64 // value of written that the header declares
	buf     []byte
	closed  bool
	err     error // sticky
}

// NewWAVWriter starts a WAV stream on w. If w can seek, the header is patched in place; otherwise, as for a
// pipe, it declares the maximum size. Close does not close w.
func NewWAVWriter(w io.Writer, rate, channels int) (*WAVWriter, error) {
	if channels < 1 || channels > 2 || rate < minWAVRate || rate > maxWAVRate {
		return nil, fmt.Errorf("%w: %d channels at %d Hz", ErrUnsupportedWAV, channels, rate)
	}
	v := &WAVWriter{w: w, rate: rate, chans: channels, close: func() error { return nil }}
	declared := int64(unknownBytes)
	if ws, ok := w.(io.WriteSeeker); ok {
		if start, err := ws.Seek(0, io.SeekCurrent); err == nil {
			v.seek, v.start, declared = ws, start, 0
		}
	}
	if _, err := w.Write(v.header(declared)); err != nil {
		return nil, fmt.Errorf("writing WAV header: %w", err)
	}
	return v, nil
}

// CreateWAV creates or truncates the file path and starts a WAV stream in it. Close closes the file.
func CreateWAV(path string, rate, channels int) (*WAVWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("creating WAV file: %w", err)
	}
	v, err := NewWAVWriter(f, rate, channels)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	v.close = f.Close
	return v, nil
}

// Write appends samples, interleaved if there are two channels. It fails with [ErrTooLong] before the file
// exceeds its format, and with os.ErrClosed after Close. After any other write error the state of the file is
// unknown, and every later call returns that error.
func (v *WAVWriter) Write(samples []int16) error {
	switch {
	case v.err != nil:
		return v.err
	case v.closed:
		return fmt.Errorf("writing WAV samples: %w", os.ErrClosed)
	case len(samples)%v.chans != 0:
		return fmt.Errorf("writing WAV samples: %d samples in %d channels: %w", len(samples), v.chans, ErrUnsupportedWAV)
	case v.written+2*int64(len(samples)) > maxWAVBytes:
		return fmt.Errorf("writing WAV samples: %w", ErrTooLong)
	}
	v.buf = AppendS16LE(v.buf[:0], samples)
	n, err := v.w.Write(v.buf)
	v.written += int64(n)
	if err != nil {
		v.err = fmt.Errorf("writing WAV samples: %w", err)
		return v.err
	}
	if second := int64(2 * v.rate * v.chans); v.patched == 0 || v.written-v.patched >= second {
		return v.patch()
	}
	return nil
}

// Close patches the header a last time. Further calls do nothing.
func (v *WAVWriter) Close() error {
	if v.closed {
		return nil
	}
	v.closed = true
	patchErr := v.err
	if patchErr == nil {
		patchErr = v.patch()
	}
	return errors.Join(patchErr, v.close())
}

// patch updates the header for the samples written so far and seeks back to the end.
func (v *WAVWriter) patch() error {
	if v.seek == nil || v.patched == v.written {
		return nil
	}
	_, err := v.seek.Seek(v.start, io.SeekStart)
	if err == nil {
		_, err = v.w.Write(v.header(v.written))
	}
	if err == nil {
		_, err = v.seek.Seek(v.start+wavHeaderBytes+v.written, io.SeekStart)
	}
	if err != nil {
		v.err = fmt.Errorf("patching WAV header: %w", err)
		return v.err
	}
	v.patched = v.written
	return nil
}

// header returns the 44 bytes before n bytes of samples.
func (v *WAVWriter) header(n int64) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, wavHeaderBytes)
	b = append(b, "RIFF"...)
	b = le.AppendUint32(b, uint32(n+wavHeaderBytes-8))
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, formatPCM)
	b = le.AppendUint16(b, uint16(v.chans))
	b = le.AppendUint32(b, uint32(v.rate))
	b = le.AppendUint32(b, uint32(2*v.rate*v.chans))
	b = le.AppendUint16(b, uint16(2*v.chans))
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	return le.AppendUint32(b, uint32(n))
}
