package audio_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFrameIsTwentyMilliseconds(t *testing.T) {
	if audio.FrameSamples != 960 {
		t.Errorf("FrameSamples = %d, want 960", audio.FrameSamples)
	}
	for _, tt := range []struct {
		name    string
		n, rate int
		want    time.Duration
	}{
		{"frame", audio.FrameSamples, audio.SampleRate, audio.FrameDuration},
		{"second", 22050, 22050, time.Second},
		{"no_rate", 5, 0, 0},
		{"a_day_at_48k", 86400 * 48000, 48000, 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := audio.Duration(tt.n, tt.rate); got != tt.want {
				t.Errorf("Duration(%d, %d) = %v, want %v", tt.n, tt.rate, got, tt.want)
			}
		})
	}
}

// The frames contain the samples in order, padded once at the end.
func TestFramer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			framer    audio.Framer
			frame     audio.Frame
			want, got []int16
		)
		for range rapid.IntRange(0, 6).Draw(t, "pushes") {
			piece := rapid.SliceOfN(rapid.Int16(), 0, 2500).Draw(t, "piece")
			framer.Push(piece)
			want = append(want, piece...)
			if rapid.Bool().Draw(t, "drain") {
				for framer.Next(&frame) {
					got = append(got, frame[:]...)
				}
			}
		}
		for framer.Next(&frame) {
			got = append(got, frame[:]...)
		}
		if framer.Flush(&frame) {
			got = append(got, frame[:]...)
		}
		if framer.Flush(&frame) {
			t.Fatal("second Flush yields a frame")
		}
		pad := (audio.FrameSamples - len(want)%audio.FrameSamples) % audio.FrameSamples
		want = append(want, make([]int16, pad)...)
		if !slices.Equal(got, want) {
			t.Fatalf("got %d samples, want the %d pushed and padded", len(got), len(want))
		}
	})
}

func readSamples(t *testing.T, r io.Reader, block int) []int16 {
	t.Helper()
	s := audio.NewS16LEReader(r)
	var all []int16
	buf := make([]int16, block)
	for {
		n, err := s.Read(buf)
		all = append(all, buf[:n]...)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("Read: %v", err)
		}
		if n == 0 {
			t.Fatal("Read returned nothing and no error")
		}
	}
}

func TestS16LEReader(t *testing.T) {
	want := []int16{1, -2, 300, -32768, 32767, 0, 7}
	data := audio.AppendS16LE(nil, want)
	for _, tt := range []struct {
		name string
		r    io.Reader
	}{
		{"whole", bytes.NewReader(data)},
		{"byte_by_byte", iotest.OneByteReader(bytes.NewReader(data))},
		{"error_with_data", iotest.DataErrReader(bytes.NewReader(data))},
		{"odd_byte_at_the_end", bytes.NewReader(append(slices.Clone(data), 9))},
		{"odd_pieces", io.MultiReader(bytes.NewReader(data[:3]), bytes.NewReader(data[3:4]), bytes.NewReader(data[4:]))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readSamples(t, tt.r, 4); !slices.Equal(got, want) {
				t.Errorf("samples = %v, want %v", got, want)
			}
		})
	}
}

func TestS16LEReaderGrows(t *testing.T) {
	want := []int16{1, 2, 3, 4, 5}
	s := audio.NewS16LEReader(iotest.OneByteReader(io.MultiReader(bytes.NewReader(audio.AppendS16LE(nil, want)))))
	var got []int16
	for size := 1; ; size *= 2 {
		buf := make([]int16, size)
		n, err := s.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("samples = %v, want %v", got, want)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestS16LEReaderGivesUpOnAnIdleReader(t *testing.T) {
	if _, err := audio.NewS16LEReader(idleReader{}).Read(make([]int16, 1)); err != io.ErrNoProgress {
		t.Errorf("err = %v, want io.ErrNoProgress", err)
	}
}
