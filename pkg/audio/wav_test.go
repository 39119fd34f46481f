package audio_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// chunk is one part of a RIFF file; a size of -1 is filled in.
type chunk struct {
	id   string
	size int64
	body []byte
}

func riff(size uint32, chunks ...chunk) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), size)
	b = append(b, "WAVE"...)
	for _, c := range chunks {
		b = append(b, c.id...)
		if c.size < 0 {
			c.size = int64(len(c.body))
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(c.size))
		b = append(b, c.body...)
	}
	return b
}

func fmtChunk(tag, channels, rate, bits int, extra ...byte) chunk {
	le := binary.LittleEndian
	b := le.AppendUint16(nil, uint16(tag))
	b = le.AppendUint16(b, uint16(channels))
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(rate*channels*bits/8))
	b = le.AppendUint16(b, uint16(channels*bits/8))
	b = le.AppendUint16(b, uint16(bits))
	return chunk{"fmt ", -1, append(b, extra...)}
}

var (
	mono      = fmtChunk(1, 1, 22050, 16)
	threeMore = audio.AppendS16LE(nil, []int16{1, -2, 3})
)

var readRows = []struct {
	name  string
	in    []byte
	want  []int16
	chans int
	err   error
}{
	{"plain", riff(42, mono, chunk{"data", -1, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"stereo_drops_half_a_pair", riff(42, fmtChunk(1, 2, 48000, 16), chunk{"data", -1, threeMore}), []int16{1, -2}, 2, nil},
	{"extensible", riff(0, fmtChunk(0xfffe, 1, 48000, 16, 22, 0, 16, 0, 4, 0, 0, 0, 1, 0), chunk{"data", -1, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"other_chunks_first", riff(0, chunk{"LIST", 3, []byte("abc\x00")}, mono, chunk{"fact", -1, []byte("xxxx")}, chunk{"data", -1, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"chunk_after_the_sound", riff(0, mono, chunk{"data", -1, threeMore}, chunk{"LIST", -1, []byte("abcd")}), []int16{1, -2, 3}, 1, nil},
	{"streaming_length", riff(0xffffffff, mono, chunk{"data", 0xffffffff, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"espeak_length", riff(0x7ffff024, mono, chunk{"data", 0x7ffff000, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"no_length_anywhere", riff(0, mono, chunk{"data", 0, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"empty_sound", riff(36, mono, chunk{"data", 0, nil}), nil, 1, nil},
	{"shorter_than_declared", riff(1000, mono, chunk{"data", 900, threeMore}), []int16{1, -2, 3}, 1, nil},
	{"empty", nil, nil, 0, audio.ErrNotWAV},
	{"text", []byte("this is not sound at all"), nil, 0, audio.ErrNotWAV},
	{"cut_in_the_header", riff(42, mono)[:30], nil, 0, audio.ErrNotWAV},
	{"no_sound", riff(42, mono), nil, 0, audio.ErrNotWAV},
	{"sound_before_format", riff(42, chunk{"data", -1, threeMore}, mono), nil, 0, audio.ErrNotWAV},
	{"tiny_format", riff(42, chunk{"fmt ", 4, make([]byte, 4)}), nil, 0, audio.ErrNotWAV},
	{"huge_format", riff(42, chunk{"fmt ", 0xfffffff0, make([]byte, 64)}), nil, 0, audio.ErrNotWAV},
	{"huge_other_chunk", riff(42, chunk{"LIST", 0xfffffff0, make([]byte, 64)}), nil, 0, audio.ErrNotWAV},
	{"float", riff(42, fmtChunk(3, 1, 48000, 32), chunk{"data", -1, threeMore}), nil, 0, audio.ErrUnsupportedWAV},
	{"eight_bits", riff(42, fmtChunk(1, 1, 48000, 8), chunk{"data", -1, threeMore}), nil, 0, audio.ErrUnsupportedWAV},
	{"surround", riff(42, fmtChunk(1, 6, 48000, 16), chunk{"data", -1, threeMore}), nil, 0, audio.ErrUnsupportedWAV},
	{"no_channels", riff(42, fmtChunk(1, 0, 48000, 16), chunk{"data", -1, threeMore}), nil, 0, audio.ErrUnsupportedWAV},
	{"no_rate", riff(42, fmtChunk(1, 1, 0, 16), chunk{"data", -1, threeMore}), nil, 0, audio.ErrUnsupportedWAV},
}

func TestReadWAV(t *testing.T) {
	for _, tt := range readRows {
		t.Run(tt.name, func(t *testing.T) {
			got, err := audio.ReadWAV(bytes.NewReader(tt.in))
			if !errors.Is(err, tt.err) {
				t.Fatalf("err = %v, want %v", err, tt.err)
			}
			if !slices.Equal(got.Samples, tt.want) || got.Channels != tt.chans {
				t.Errorf("got %d channels %v, want %d channels %v", got.Channels, got.Samples, tt.chans, tt.want)
			}
		})
	}
}

func TestReadWAVKeepsTheReadersError(t *testing.T) {
	broken := errors.New("disk on fire")
	in := riff(42, mono, chunk{"data", 100, threeMore})
	for _, n := range []int{0, 20, len(in)} {
		r := io.MultiReader(bytes.NewReader(in[:n]), errReader{broken})
		if _, err := audio.ReadWAV(r); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: err = %v, want %v", n, err, broken)
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestMono(t *testing.T) {
	got := audio.WAV{Channels: 2, Samples: []int16{10, 20, 32767, 32767, -32768, -32768}}.Mono()
	if want := []int16{15, 32767, -32768}; !slices.Equal(got, want) {
		t.Errorf("Mono = %v, want %v", got, want)
	}
}

func FuzzReadWAV(f *testing.F) {
	for _, tt := range readRows {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		wav, err := audio.ReadWAV(bytes.NewReader(in))
		if err != nil {
			return
		}
		if 2*len(wav.Samples) > len(in) {
			t.Fatalf("%d samples from %d bytes", len(wav.Samples), len(in))
		}
		var out bytes.Buffer
		w, err := audio.NewWAVWriter(&out, wav.Rate, wav.Channels)
		if err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		if err := errors.Join(w.Write(wav.Samples), w.Close()); err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		again, err := audio.ReadWAV(&out)
		if err != nil || !slices.Equal(again.Samples, wav.Samples) || again.Rate != wav.Rate {
			t.Fatalf("round trip lost sound: %v", err)
		}
	})
}

func TestWAVFileIsWholeAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "night.wav")
	w, err := audio.CreateWAV(path, 16000, 1)
	if err != nil {
		t.Fatal(err)
	}
	second := sine(440, 16000)
	for n := range 3 {
		if err := w.Write(second); err != nil {
			t.Fatal(err)
		}
		if got, want := fileSamples(t, path), (n+1)*16000; got != want {
			t.Errorf("before Close the file declares %d samples, want %d", got, want)
		}
	}
	if err := w.Write(second[:100]); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatalf("Close: %v", err)
	}
	if got := fileSamples(t, path); got != 48100 {
		t.Errorf("closed file declares %d samples, want 48100", got)
	}
	if err := w.Write(second); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close = %v, want os.ErrClosed", err)
	}
}

// fileSamples returns the number of samples that the header of a file declares.
func fileSamples(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	format, err := audio.ReadWAVHeader(f)
	if err != nil {
		t.Fatal(err)
	}
	return int(format.Bytes / 2)
}

func TestWAVWriterStartsWhereTheFileStands(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("preface"); err != nil {
		t.Fatal(err)
	}
	w, err := audio.NewWAVWriter(f, 48000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write([]int16{1, 2, 3, 4}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(7, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got, err := audio.ReadWAV(f)
	if err != nil || !slices.Equal(got.Samples, []int16{1, 2, 3, 4}) {
		t.Errorf("ReadWAV = %v, %v", got.Samples, err)
	}
}

// fullDisk accepts room bytes and then fails.
type fullDisk struct{ room int }

var errFull = errors.New("disk is full")

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), d.room)
	d.room -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func TestWAVWriterReportsErrors(t *testing.T) {
	if _, err := audio.NewWAVWriter(&fullDisk{10}, 48000, 1); !errors.Is(err, errFull) {
		t.Errorf("NewWAVWriter = %v, want %v", err, errFull)
	}
	if _, err := audio.NewWAVWriter(io.Discard, 48000, 3); !errors.Is(err, audio.ErrUnsupportedWAV) {
		t.Errorf("NewWAVWriter with 3 channels = %v, want ErrUnsupportedWAV", err)
	}
	if _, err := audio.CreateWAV(filepath.Join(t.TempDir(), "no", "such"), 48000, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("CreateWAV = %v, want os.ErrNotExist", err)
	}
	w, err := audio.NewWAVWriter(&fullDisk{46}, 48000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write([]int16{1, 2, 3}); !errors.Is(err, errFull) {
			t.Errorf("Write = %v, want %v", err, errFull)
		}
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close = %v, want %v", err, errFull)
	}
	stereo, err := audio.NewWAVWriter(io.Discard, 48000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := stereo.Write(make([]int16, 3)); !errors.Is(err, audio.ErrUnsupportedWAV) {
		t.Errorf("Write of half a pair = %v, want ErrUnsupportedWAV", err)
	}
}
