package audio

import (
	"encoding/binary"
	"io"
)

// AppendS16LE appends samples to dst as little-endian bytes.
func AppendS16LE(dst []byte, samples []int16) []byte {
	for _, s := range samples {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(s))
	}
	return dst
}

// S16LEReader reads little-endian 16-bit samples from a byte stream, regardless of how the stream is split.
type S16LEReader struct {
	r   io.Reader
	buf []byte
	odd int // 1 if buf[0] holds the first half of a sample
}

// NewS16LEReader returns a reader of the samples in r.
func NewS16LEReader(r io.Reader) *S16LEReader { return &S16LEReader{r: r} }

// Read reads at least one and at most len(dst) samples and returns their number. It returns as soon as it has
// some, without waiting to fill dst. At the end it returns 0 and the error of the underlying reader, usually
// io.EOF; it drops a single trailing byte.
func (s *S16LEReader) Read(dst []int16) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	if need := 2 * len(dst); cap(s.buf) < need {
		grown := make([]byte, need)
		copy(grown, s.buf[:s.odd])
		s.buf = grown
	}
	buf := s.buf[:2*len(dst)]
	for idle := 0; ; idle++ {
		n, err := s.r.Read(buf[s.odd:])
		have := s.odd + n
		if have >= 2 {
			return s.decode(dst, buf[:have]), nil // the next Read returns err again, if any
		}
		s.odd = have
		switch {
		case err != nil:
			return 0, err
		case n > 0:
			idle = 0
		case idle == maxIdleReads:
			return 0, io.ErrNoProgress
		}
	}
}

// maxIdleReads is the number of consecutive empty reads after which a reader counts as broken.
const maxIdleReads = 100

// decode stores the complete samples in data and keeps an odd byte for later.
func (s *S16LEReader) decode(dst []int16, data []byte) int {
	n := len(data) / 2
	for i := range n {
		dst[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	if s.odd = len(data) % 2; s.odd == 1 {
		s.buf[0] = data[len(data)-1]
	}
	return n
}
