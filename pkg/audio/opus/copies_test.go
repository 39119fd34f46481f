package opus_test

import (
	"math"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// An NPC's voice at its bit rate carries redundant copies: a lost frame is restored from
// the next payload, without more bytes.
func TestCopiesOfAnNPCsVoice(t *testing.T) {
	in := vowels(500)
	type result struct {
		bytes int
		took  time.Duration
		lossy float64 // dB
	}
	try := func(loss int) result {
		e := encoder(t, &opus.EncoderOptions{Bitrate: 64000, Audio: true, Loss: loss})
		start := time.Now()
		payloads := encode(t, e, in)
		r := result{took: time.Since(start)}
		for _, p := range payloads {
			r.bytes += len(p)
		}
		whole := decode(t, decoders(t)["libopus"], payloads)
		d := decoders(t)["libopus"]
		var signal, wrong float64
		for i, p := range payloads {
			var f audio.Frame
			lost := i%20 == 19 && i+1 < len(payloads)
			err := error(nil)
			if lost {
				err = d.Conceal(&f, payloads[i+1])
			} else {
				err = d.Decode(&f, p)
			}
			if err != nil {
				t.Fatal(err)
			}
			if lost {
				var diff float64
				for n := range f {
					e := float64(f[n]) - float64(whole[i][n])
					diff += e * e
				}
				signal, wrong = signal+power(&whole[i]), wrong+diff/float64(len(f))
			}
		}
		r.lossy = 10 * math.Log10(signal/wrong)
		return r
	}
	with, without := try(0), try(-1)
	t.Logf("with copies %d bytes in %v, lost frames at %.1f dB; without %d bytes in %v, at %.1f dB", with.bytes, with.took, with.lossy, without.bytes, without.took, without.lossy)
	if with.lossy < without.lossy+3 {
		t.Errorf("lost frames are filled at %.1f dB, want 3 dB above the %.1f of a guess", with.lossy, without.lossy)
	}
	if with.bytes > without.bytes*11/10 {
		t.Errorf("%d bytes with copies, %d without", with.bytes, without.bytes)
	}
}
