package voice_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// e2eePair returns two bots in one group.
func e2eePair(t testing.TB) *channel {
	c := newChannel(t)
	c.join(21, 22)
	return c
}

// BenchmarkFrame measures a frame of 160 bytes on its way out (encrypt and seal) and in (open
// and decrypt).
func BenchmarkFrame(b *testing.B) {
	key := make([]byte, voice.KeySize)
	for _, mode := range []string{voice.AES256GCM, voice.XChaCha20Poly1305} {
		c := e2eePair(b)
		ours, theirs := c.bots[21], c.bots[22]
		sealer, err := voice.NewSealer(mode, key)
		if err != nil {
			b.Fatal(err)
		}
		opener, err := voice.NewOpener(mode, key)
		if err != nil {
			b.Fatal(err)
		}
		plain := make([]byte, 160)
		frame := make([]byte, ours.MaxEncryptedFrameSize(len(plain)))
		packet := make([]byte, 0, len(frame)+voice.Overhead)
		out := func(b *testing.B) []byte {
			n, err := ours.Encrypt(ssrc, plain, frame)
			if err != nil {
				b.Fatal(err)
			}
			sealed, err := sealer.Seal(packet, voice.Header{PayloadType: voice.PayloadType}, frame[:n])
			if err != nil {
				b.Fatal(err)
			}
			return sealed
		}
		b.Run("out/"+mode, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out(b)
			}
		})
		b.Run("out_and_in/"+mode, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, payload, err := opener.Open(out(b))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := theirs.Decrypt(name(21), payload, payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
