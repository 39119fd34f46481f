package voice_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// FuzzDecrypt decrypts any bytes: the bot refuses them and still decrypts valid frames.
func FuzzDecrypt(f *testing.F) {
	c := e2eePair(f)
	b := c.bots[21]
	sealed := c.encrypt(22, frames(22, 1))[0]
	f.Add(sealed)
	f.Add(append(bytes.Repeat([]byte{0}, 9), 0x80, 0x80, 0x80, 0x80, 0x0f, 17, 0xfa, 0xfa))
	f.Add(append(bytes.Repeat([]byte{1}, 20), 1, 2, 3, 0, 1, 3, 4, 17, 0xfa, 0xfa))
	f.Fuzz(func(t *testing.T, data []byte) {
		c.t = t
		before := b.Stats()
		for _, user := range []uint64{22, 23} {
			n, err := b.Decrypt(name(user), data, make([]byte, len(data)))
			if err != nil && n != 0 || n > len(data) {
				t.Fatalf("%d bytes and %v", n, err)
			}
			if err == nil && !bytes.Equal(data, sealed) && string(data) != "\xf8\xff\xfe" {
				t.Fatalf("%x decrypts", data)
			}
		}
		after := b.Stats()
		if got := after.Failed.Total() + after.Decrypted + after.PlainReceived - before.Failed.Total() - before.Decrypted - before.PlainReceived; got != 2 {
			t.Fatalf("%d of 2 frames are counted", got)
		}
		if p := after.Panics - before.Panics; p != 0 {
			t.Fatal("the library panicked")
		}
		if n := len(data); n > 0 { // as if the sender had the key
			plain := c.encrypt(22, [][]byte{data})[0]
			if n, err := b.Decrypt(name(22), plain, plain); err != nil || !bytes.Equal(plain[:n], data) {
				t.Fatalf("%x became %x, %v", data, plain[:n], err)
			}
		}
	})
}

// FuzzReceive sends a bot in a group any messages of the voice gateway, each an opcode, a
// length and that many bytes.
func FuzzReceive(f *testing.F) {
	c := newChannel(f)
	seed := func(m message) {
		f.Add(append(binary.BigEndian.AppendUint16([]byte{byte(m.Op)}, uint16(len(m.Data))), m.Data...))
	}
	c.onDeliver = seed
	c.join(21, 22, 23)
	c.leave(23)
	seed(message{Op: voice.OpPrepareTransition, Data: []byte(`{"transition_id":7,"protocol_version":0}`)})
	seed(message{Op: voice.OpProposals, Data: append([]byte{1, 33, 32}, make([]byte, 32)...)})
	f.Fuzz(func(t *testing.T, messages []byte) {
		synctest.Test(t, func(t *testing.T) {
			c := newChannel(t)
			c.join(21, 22)
			b := c.bots[21]
			for rest := messages; len(rest) > 3; {
				op, n := int(rest[0]), int(binary.BigEndian.Uint16(rest[1:3]))
				rest = rest[3:]
				n = min(n, len(rest))
				_ = b.Receive(op, rest[:n]) // most are invalid
				rest = rest[n:]
			}
			if n := b.Stats().Panics; n != 0 {
				t.Errorf("the library panicked %d times", n)
			}
			out := make([]byte, 200)
			if n, err := b.Encrypt(ssrc, bytes.Repeat([]byte("clear"), 20), out); err == nil && bytes.Contains(out[:n], []byte("clear")) && b.State().Version != 0 {
				t.Error("a frame leaves in the clear")
			}
		})
	})
}
