package opus_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

func BenchmarkEncode(b *testing.B) {
	e, in := encoder(b, nil), vowels(50)
	var payload []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var err error
		if payload, err = e.Encode(payload[:0], &in[i%len(in)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	payloads := encode(b, encoder(b, nil), vowels(50))
	for name, d := range decoders(b) {
		b.Run(name, func(b *testing.B) {
			var f audio.Frame
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := d.Decode(&f, payloads[i%len(payloads)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	e, in := encoder(t, nil), vowels(50)
	payloads := encode(t, e, in)
	payload := make([]byte, 0, 1500)
	i := 0
	check := func(name string, f func() error) {
		t.Helper()
		var err error
		step := func() {
			if e := f(); e != nil {
				err = e
			}
			i++
		}
		for range 100 {
			step()
		}
		if got := testing.AllocsPerRun(500, step); got != 0 || err != nil {
			t.Errorf("%s: %v allocations a frame, want 0; %v", name, got, err)
		}
	}
	check("encode", func() (err error) {
		payload, err = e.Encode(payload[:0], &in[i%len(in)])
		return err
	})
	d := decoders(t)["libopus"]
	var f audio.Frame
	check("decode", func() error {
		return d.Decode(&f, payloads[i%len(payloads)])
	})
	check("conceal", func() error {
		return d.Conceal(&f, payloads[i%len(payloads)])
	})
}
