package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Errors of reading and writing WAV.
var (
	// ErrNotWAV means that the data is not a RIFF/WAVE file, or is cut off before the samples.
	ErrNotWAV = errors.New("not a WAV file")
	// ErrUnsupportedWAV means that a WAV file is not 16-bit PCM with one or two channels at 1 to 384 kHz.
	ErrUnsupportedWAV = errors.New("unsupported WAV format")
	// ErrTooLong means that the audio exceeds the limit: 1 GiB in memory for [ReadWAV], 4 GiB in a file for
	// [WAVWriter].
	ErrTooLong = errors.New("sound is too long")
)

const (
	maxReadBytes = 1 << 30
	// maxHeaderBytes is the maximum size of other chunks before the samples.
	maxHeaderBytes = 16 << 20
	// openEnded is the size from which a declared size is not credible. Programs that write to a pipe declare
	// 0x7ffff000, 0xfffffff0 and the like, or 0 throughout.
	openEnded = 0x7ff00000

	minWAVRate, maxWAVRate = 1000, 384000
	formatPCM              = 1
	formatExtensible       = 0xfffe
)

// WAVFormat describes the samples of a WAV stream.
type WAVFormat struct {
	// Rate is the sample rate in hertz.
	Rate int
	// Channels is 1 or 2.
	Channels int
	// Bytes is the declared size of the samples, or -1 if the stream declares no credible size; the samples
	// then extend to the end of the stream.
	Bytes int64
}

// WAV is a complete WAV file in memory.
type WAV struct {
	Rate     int
	Channels int
	// Samples are interleaved if there are two channels.
	Samples []int16
}

// Mono returns a single channel: Samples itself, or the mean of both channels.
func (w WAV) Mono() []int16 {
	if w.Channels < 2 {
		return w.Samples
	}
	mono := make([]int16, len(w.Samples)/2)
	for i := range mono {
		mono[i] = int16((int(w.Samples[2*i]) + int(w.Samples[2*i+1])) / 2)
	}
	return mono
}

// ReadWAV reads a 16-bit PCM WAV stream to the end of its samples. Fewer samples than declared, as left by a
// killed writer, are not an error. Errors wrap [ErrNotWAV], [ErrUnsupportedWAV], [ErrTooLong] or r's own.
func ReadWAV(r io.Reader) (WAV, error) {
	format, err := ReadWAVHeader(r)
	if err != nil {
		return WAV{}, err
	}
	limit := int64(maxReadBytes)
	if format.Bytes >= 0 {
		limit = min(limit, format.Bytes)
	}
	wav := WAV{Rate: format.Rate, Channels: format.Channels}
	samples := NewS16LEReader(io.LimitReader(r, limit))
	var block [4096]int16
	for {
		n, err := samples.Read(block[:])
		wav.Samples = append(wav.Samples, block[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return WAV{}, fmt.Errorf("reading WAV samples: %w", err)
		}
	}
	if int64(2*len(wav.Samples)) == maxReadBytes && limit != format.Bytes {
		return WAV{}, fmt.Errorf("reading WAV samples: %w", ErrTooLong)
	}
	wav.Samples = wav.Samples[:len(wav.Samples)/wav.Channels*wav.Channels]
	return wav, nil
}

// ReadWAVHeader reads up to the first byte of the samples and no further, so the caller can stream the
// samples from r.
func ReadWAVHeader(r io.Reader) (WAVFormat, error) {
	var head [12]byte
	if err := readHead(r, head[:]); err != nil {
		return WAVFormat{}, err
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return WAVFormat{}, fmt.Errorf("reading WAV header: %w", ErrNotWAV)
	}
	var format WAVFormat
	for budget := int64(maxHeaderBytes); budget > 0; {
		var chunk [8]byte
		if err := readHead(r, chunk[:]); err != nil {
			return WAVFormat{}, err
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		budget -= size + 8
		switch string(chunk[:4]) {
		case "fmt ":
			if err := readFormat(r, size, &format); err != nil {
				return WAVFormat{}, err
			}
		case "data":
			if format.Rate == 0 {
				return WAVFormat{}, fmt.Errorf("reading WAV header: no format before the sound: %w", ErrNotWAV)
			}
			format.Bytes = size
			riff := binary.LittleEndian.Uint32(head[4:])
			if size >= openEnded || size == 0 && riff == 0 {
				format.Bytes = -1
			}
			return format, nil
		default:
			if err := skip(r, size+size%2, budget); err != nil {
				return WAVFormat{}, err
			}
		}
	}
	return WAVFormat{}, fmt.Errorf("reading WAV header: no sound in the first %d bytes: %w", maxHeaderBytes, ErrNotWAV)
}

// readFormat reads a fmt chunk of size bytes and its padding.
func readFormat(r io.Reader, size int64, format *WAVFormat) error {
	if size < 16 || size > 1024 {
		return fmt.Errorf("reading WAV header: format of %d bytes: %w", size, ErrNotWAV)
	}
	body := make([]byte, size+size%2)
	if err := readHead(r, body); err != nil {
		return err
	}
	tag := binary.LittleEndian.Uint16(body)
	if tag == formatExtensible && size >= 26 {
		tag = binary.LittleEndian.Uint16(body[24:])
	}
	channels := int(binary.LittleEndian.Uint16(body[2:]))
	rate := binary.LittleEndian.Uint32(body[4:])
	bits := binary.LittleEndian.Uint16(body[14:])
	if tag != formatPCM || bits != 16 || channels < 1 || channels > 2 || rate < minWAVRate || rate > maxWAVRate {
		return fmt.Errorf("%w: tag %d, %d bits, %d channels, %d Hz (want 16-bit PCM, mono or stereo, 1 to 384 kHz)",
			ErrUnsupportedWAV, tag, bits, channels, rate)
	}
	format.Rate, format.Channels = int(rate), channels
	return nil
}

// skip skips n bytes unless the budget is exhausted.
func skip(r io.Reader, n, budget int64) error {
	if budget <= 0 {
		return nil // the caller's loop ends and reports it
	}
	if m, err := io.CopyN(io.Discard, r, n); err != nil {
		return headErr(err, m)
	}
	return nil
}

// readHead fills b. If the stream ends early, it is not a WAV file.
func readHead(r io.Reader, b []byte) error {
	if n, err := io.ReadFull(r, b); err != nil {
		return headErr(err, int64(n))
	}
	return nil
}

func headErr(err error, n int64) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("reading WAV header: ends after %d bytes of a part: %w", n, ErrNotWAV)
	}
	return fmt.Errorf("reading WAV header: %w", err)
}
