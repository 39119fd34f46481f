package opus_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []audio.Frame
		opts *opus.EncoderOptions
		snr  float64 // minimum in dB
	}{
		{"tone_440", tone(440, 50), nil, 22},
		{"tone_1000", tone(1000, 50), nil, 22},
		{"tone_1000_at_96k", tone(1000, 50), &opus.EncoderOptions{Bitrate: 96000}, 28},
		{"vowels", vowels(100), nil, 11},
		{"vowels_at_96k", vowels(100), &opus.EncoderOptions{Bitrate: 96000, Loss: -1}, 15},
		{"vowels_at_12k", vowels(100), &opus.EncoderOptions{Bitrate: 12000, Complexity: 1}, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			payloads := encode(t, encoder(t, tt.opts), tt.in)
			for name, d := range decoders(t) {
				got := snr(flat(tt.in), flat(decode(t, d, payloads)))
				t.Logf("%s: %.1f dB, %d bytes a frame", name, got, bytes(payloads)/len(payloads))
				if got < tt.snr {
					t.Errorf("%s: SNR = %.1f dB, want %.0f", name, got, tt.snr)
				}
			}
		})
	}
}

// Every tenth frame is lost. The copy in the next payload must be much better than
// concealment, and concealment better than silence.
func TestConceal(t *testing.T) {
	in := vowels(300)
	payloads := encode(t, encoder(t, &opus.EncoderOptions{Loss: 20}), in)
	for _, name := range []string{"libopus", "go"} {
		t.Run(name, func(t *testing.T) {
			quality := func(fill func(d opus.Decoder, dst *audio.Frame, next []byte) error) float64 {
				d := decoders(t)[name]
				whole := decode(t, decoders(t)[name], payloads)
				out := make([]audio.Frame, len(payloads))
				var signal, wrong float64
				for i, p := range payloads {
					lost := i%10 == 9 && i+1 < len(payloads)
					if !lost {
						if err := d.Decode(&out[i], p); err != nil {
							t.Fatal(err)
						}
						continue
					}
					if err := fill(d, &out[i], payloads[i+1]); err != nil {
						t.Fatal(err)
					}
					var diff float64
					for n := range out[i] {
						e := float64(out[i][n]) - float64(whole[i][n])
						diff += e * e
					}
					signal += power(&whole[i])
					wrong += diff / float64(len(out[i]))
				}
				return 10 * math.Log10(signal/wrong)
			}
			guess := quality(func(d opus.Decoder, dst *audio.Frame, _ []byte) error { return d.Conceal(dst, nil) })
			copied := quality(func(d opus.Decoder, dst *audio.Frame, next []byte) error { return d.Conceal(dst, next) })
			t.Logf("guessed %.1f dB, from the copy %.1f dB", guess, copied)
			if name == "libopus" && copied < guess+3 {
				t.Errorf("from the copy %.1f dB, want 3 dB above the guess of %.1f", copied, guess)
			}
			if guess < 0.5 {
				t.Errorf("a guess, at %.1f dB, is hardly better than silence", guess)
			}
		})
	}
}

// Continuous loss fades to silence within a second.
func TestConcealFades(t *testing.T) {
	payloads := encode(t, encoder(t, nil), vowels(20))
	for name, d := range decoders(t) {
		t.Run(name, func(t *testing.T) {
			decode(t, d, payloads)
			var f audio.Frame
			for range 50 {
				if err := d.Conceal(&f, nil); err != nil {
					t.Fatal(err)
				}
			}
			if got := power(&f); got > 1000 { // -60 dBFS
				t.Errorf("mean square after 1 s = %.0f, want silence", got)
			}
		})
	}
}

func TestDTX(t *testing.T) {
	quiet := make([]audio.Frame, 100)
	for _, tt := range []struct {
		name      string
		dtx       bool
		min, most int // of the last 50 payloads, how many need not be sent
	}{{"on", true, 40, 50}, {"off", false, 0, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			payloads := encode(t, encoder(t, &opus.EncoderOptions{DTX: tt.dtx}), append(vowels(20), quiet...))
			got := 0
			for _, p := range payloads[len(payloads)-50:] {
				if len(p) <= 2 {
					got++
				}
			}
			if got < tt.min || got > tt.most {
				t.Errorf("%d of 50 payloads need not be sent, want %d to %d", got, tt.min, tt.most)
			}
		})
	}
}

var badPayloads = []struct {
	name    string
	payload []byte
	want    error
}{
	{"nothing", nil, opus.ErrPayload},
	{"ten_ms", []byte{0x10 << 3, 1, 2, 3}, opus.ErrDuration},
	{"sixty_ms", []byte{3 << 3, 1, 2, 3}, opus.ErrDuration},
	{"two_of_twenty_ms", []byte{1<<3 | 1, 1, 2}, opus.ErrDuration},
	{"no_count", []byte{31<<3 | 3}, opus.ErrPayload},
	{"no_frames", []byte{31<<3 | 3, 0}, opus.ErrDuration},
	{"padding_beyond_the_end", []byte{31<<3 | 3, 0x41, 0xff, 0xff}, opus.ErrPayload},
	{"uneven_halves", []byte{0x12<<3 | 1, 1, 2, 3}, opus.ErrPayload},
	{"second_length_beyond_the_end", []byte{0x12<<3 | 2, 200, 1, 2}, opus.ErrPayload},
	{"too_long", make([]byte, opus.MaxPayload+1), opus.ErrPayload},
}

// Malformed payloads are refused, and the next valid one decodes.
func TestBadPayloads(t *testing.T) {
	good := encode(t, encoder(t, nil), vowels(5))
	for _, tt := range badPayloads {
		for name, d := range decoders(t) {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				var f audio.Frame
				if err := d.Decode(&f, tt.payload); !errors.Is(err, tt.want) {
					t.Errorf("Decode = %v, want %v", err, tt.want)
				}
				if err := d.Conceal(&f, tt.payload); err != nil {
					t.Errorf("Conceal = %v", err)
				}
				decode(t, d, good)
			})
		}
	}
}

func TestResetMakesLikeNew(t *testing.T) {
	in := vowels(10)
	e := encoder(t, nil)
	first := encode(t, e, in)
	if err := e.Reset(); err != nil {
		t.Fatal(err)
	}
	again := encode(t, e, in)
	for i := range first {
		if string(first[i]) != string(again[i]) {
			t.Fatalf("payload %d differs after Reset", i)
		}
	}
	for name, d := range decoders(t) {
		want := decode(t, d, first)
		if err := d.Reset(); err != nil {
			t.Fatal(err)
		}
		got := decode(t, d, first)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: frame %d differs after Reset", name, i)
			}
		}
	}
}

func TestMissingLibrary(t *testing.T) {
	if _, err := opus.NewEncoder(nil, nil); !errors.Is(err, opus.ErrNoLibrary) || !strings.Contains(err.Error(), "install") {
		t.Errorf("NewEncoder = %v, want ErrNoLibrary and what to install", err)
	}
	d, err := opus.NewDecoder(nil)
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	if err := d.Decode(&f, []byte{0xf8, 0xff, 0xfe}); err != nil || power(&f) > 1 {
		t.Errorf("silence decoded to power %.0f, %v", power(&f), err)
	}
}

func TestOptions(t *testing.T) {
	lib := library(t)
	for _, tt := range []struct {
		name string
		opts opus.EncoderOptions
		want error
	}{
		{"defaults", opus.EncoderOptions{}, nil},
		{"bitrate_too_low", opus.EncoderOptions{Bitrate: 5999}, opus.ErrOptions},
		{"bitrate_too_high", opus.EncoderOptions{Bitrate: 256001}, opus.ErrOptions},
		{"loss_over_all", opus.EncoderOptions{Loss: 101}, opus.ErrOptions},
		{"complexity_too_high", opus.EncoderOptions{Complexity: 11}, opus.ErrOptions},
		{"greatest", opus.EncoderOptions{Bitrate: 256000, Loss: 100, Complexity: 10, DTX: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := opus.NewEncoder(lib, &tt.opts)
			if !errors.Is(err, tt.want) {
				t.Fatalf("NewEncoder = %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			r := rand.New(rand.NewPCG(1, 2))
			loud := generate(5, func(int) float64 { return 2*r.Float64() - 1 })
			if n := bytes(encode(t, e, loud)); n > 5*opus.MaxPayload {
				t.Errorf("%d bytes for 5 frames of noise", n)
			}
		})
	}
}

// Streams share no state, so a table may run each in its own goroutine.
func TestStreamsAreIndependent(t *testing.T) {
	in := vowels(30)
	want := encode(t, encoder(t, nil), in)
	got := make(chan [][]byte)
	for range 4 {
		e := encoder(t, nil)
		go func() { // ends after its single send, which is received below
			var all [][]byte
			for i := range in {
				p, err := e.Encode(nil, &in[i])
				if err != nil {
					p = []byte(err.Error())
				}
				all = append(all, p)
			}
			got <- all
		}()
	}
	for range 4 {
		for i, p := range <-got {
			if string(p) != string(want[i]) {
				t.Errorf("payload %d differs from that of a stream alone", i)
			}
		}
	}
}
