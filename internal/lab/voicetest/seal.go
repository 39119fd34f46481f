package voicetest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

const (
	rtpHeader   = 12
	trailer     = 4 // the nonce's counter at a packet's end
	payloadOpus = 120
	payloadH264 = 101
)

// silence is the Opus frame that ends a spurt. It is never encrypted end to
// end.
var silence = []byte{0xF8, 0xFF, 0xFE}

// newKeys creates a session's key for a mode, which must be one of the two.
func newKeys(mode string) (key []byte, open, seal cipher.AEAD) {
	key = make([]byte, 32)
	_, _ = rand.Read(key) // cannot fail
	var aead cipher.AEAD
	var err error
	if mode == XChaCha20 {
		aead, err = chacha20poly1305.NewX(key)
	} else {
		var block cipher.Block
		if block, err = aes.NewCipher(key); err == nil {
			aead, err = cipher.NewGCM(block)
		}
	}
	if err != nil {
		panic(err) // The key has the right length.
	}
	return key, aead, aead
}

// clearLength returns the length of a packet's unencrypted part: the header,
// the contributing sources, and the first four bytes of an extension.
func clearLength(packet []byte) int {
	n := rtpHeader + 4*int(packet[0]&0x0F)
	if packet[0]&0x10 != 0 {
		n += 4
	}
	return n
}

// openPacket returns a packet's payload without extension and padding, and the
// nonce's counter. It reports false for a packet that was not sealed with this
// key.
func openPacket(aead cipher.AEAD, packet []byte) (payload []byte, nonce uint32, ok bool) {
	if len(packet) < rtpHeader {
		return nil, 0, false
	}
	clear := clearLength(packet)
	if len(packet) < clear+aead.Overhead()+trailer {
		return nil, 0, false
	}
	end := len(packet) - trailer
	full := make([]byte, aead.NonceSize())
	copy(full, packet[end:])
	plain, err := aead.Open(nil, full, packet[clear:end], packet[:clear])
	if err != nil {
		return nil, 0, false
	}
	if packet[0]&0x10 != 0 {
		words := 4 * int(binary.BigEndian.Uint16(packet[clear-2:]))
		if words > len(plain) {
			return nil, 0, false
		}
		plain = plain[words:]
	}
	if packet[0]&0x20 != 0 {
		if len(plain) == 0 || plain[len(plain)-1] == 0 || int(plain[len(plain)-1]) > len(plain) {
			return nil, 0, false
		}
		plain = plain[:len(plain)-int(plain[len(plain)-1])]
	}
	return plain, binary.BigEndian.Uint32(packet[end:]), true
}

// outgoing is a packet to seal.
type outgoing struct {
	kind      byte // the payload type
	marker    bool
	seq       uint16
	timestamp uint32
	ssrc      uint32
	payload   []byte
	padding   int  // bytes, at most 255
	sources   int  // contributing sources
	extension int  // words of four bytes; 0 means none
	empty     bool // an extension without words
}

// sealPacket seals a packet with a nonce's counter.
func sealPacket(aead cipher.AEAD, counter uint32, o outgoing) []byte {
	packet := make([]byte, rtpHeader, rtpHeader+8+4*o.sources+4*o.extension+len(o.payload)+o.padding+aead.Overhead()+trailer)
	packet[0], packet[1] = 0x80, o.kind
	if o.marker {
		packet[1] |= 0x80
	}
	binary.BigEndian.PutUint16(packet[2:], o.seq)
	binary.BigEndian.PutUint32(packet[4:], o.timestamp)
	binary.BigEndian.PutUint32(packet[8:], o.ssrc)
	packet[0] |= byte(o.sources)
	for i := range o.sources {
		packet = binary.BigEndian.AppendUint32(packet, uint32(i))
	}
	if o.extension > 0 || o.empty {
		packet[0] |= 0x10
		packet = append(packet, 0xBE, 0xDE)
		packet = binary.BigEndian.AppendUint16(packet, uint16(o.extension))
	}
	plain := make([]byte, 4*o.extension, 4*o.extension+len(o.payload)+o.padding)
	for i := range plain {
		plain[i] = 0x10 // an element with an id, and two bytes of it
	}
	plain = append(plain, o.payload...)
	if o.padding > 0 {
		packet[0] |= 0x20
		plain = append(append(plain, make([]byte, o.padding-1)...), byte(o.padding))
	}
	full := make([]byte, aead.NonceSize())
	binary.BigEndian.PutUint32(full, counter)
	packet = aead.Seal(packet, full, plain, packet)
	return binary.BigEndian.AppendUint32(packet, counter)
}
