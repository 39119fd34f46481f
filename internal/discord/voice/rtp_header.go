package voice

// This part builds and reads the datagrams of a Discord voice connection: RTP
// packets with Opus in them, encrypted as Discord's "rtpsize" modes demand, the
// discovery of one's own address, and keep-alives.
//
// It does no I/O. Whatever comes from outside may be any bytes: reading never
// panics and never reads past them.

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	// PayloadType marks a packet as Opus. Video has others.
	PayloadType = 0x78
	// FrameSamples is how far the timestamp goes in a frame of 20 ms at 48 kHz.
	FrameSamples = 960
	// Silence is the Opus frame of 20 ms without sound. Five of them end a talk
	// spurt.
	Silence = "\xf8\xff\xfe"

	fixedSize     = 12 // of a header without CSRC and extension
	version       = 2
	paddingBit    = 0x20
	extensionBit  = 0x10
	markerBit     = 0x80
	maxCSRC       = 15
	extensionHead = 4 // profile and length, which stay in the clear
)

var (
	// ErrNotRTP is returned for a datagram that is no RTP packet, which RTCP is not either.
	ErrNotRTP = errors.New("not an RTP packet")
	// ErrShort is returned for a packet that ends before what its header promises.
	ErrShort = errors.New("RTP packet is cut off")
	// ErrPadding is returned for padding that is longer than what it pads, or of no length.
	ErrPadding = errors.New("padding of an RTP packet is impossible")
)

// Header is what an RTP packet says about its payload. Its slices alias the
// packet that it was read from.
type Header struct {
	// PayloadType has 7 bits.
	PayloadType uint8
	Marker      bool
	Sequence    uint16
	Timestamp   uint32
	SSRC        uint32
	// CSRC are the contributing sources, four bytes each, 15 at most.
	CSRC []byte
	// Extended tells that there is an extension, which may be empty.
	Extended bool
	// Profile is the extension's.
	Profile uint16
	// Extension is the extension's body, a multiple of four bytes, which is encrypted.
	Extension []byte
	// Padding is how many bytes follow the payload, the count itself among them.
	Padding uint8
}

// clearSize is the length of the part that is not encrypted.
func (h *Header) clearSize() int {
	n := fixedSize + len(h.CSRC)
	if h.Extended {
		n += extensionHead
	}
	return n
}

// append appends the part of the header that is not encrypted.
func (h *Header) append(dst []byte) ([]byte, error) {
	if len(h.CSRC)%4 != 0 || len(h.CSRC) > 4*maxCSRC {
		return nil, fmt.Errorf("CSRC of an RTP packet has %d bytes, want a multiple of 4, 60 at most", len(h.CSRC))
	}
	if len(h.Extension)%4 != 0 || len(h.Extension)/4 > 0xffff || len(h.Extension) > 0 && !h.Extended {
		return nil, fmt.Errorf("extension of an RTP packet has %d bytes, want a multiple of 4, and Extended", len(h.Extension))
	}
	first, second := byte(version<<6)|byte(len(h.CSRC)/4), h.PayloadType&^markerBit
	if h.Padding > 0 {
		first |= paddingBit
	}
	if h.Extended {
		first |= extensionBit
	}
	if h.Marker {
		second |= markerBit
	}
	dst = append(dst, first, second)
	dst = binary.BigEndian.AppendUint16(dst, h.Sequence)
	dst = binary.BigEndian.AppendUint32(dst, h.Timestamp)
	dst = binary.BigEndian.AppendUint32(dst, h.SSRC)
	dst = append(dst, h.CSRC...)
	if h.Extended {
		dst = binary.BigEndian.AppendUint16(dst, h.Profile)
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(h.Extension)/4))
	}
	return dst, nil
}

// Parse reads the part of a packet's header that is not encrypted, so that its
// sender can be looked up before the packet is opened. Padding and the
// extension's body are not known yet.
func Parse(packet []byte) (Header, error) {
	h, _, err := parse(packet)
	return h, err
}

// parse is Parse, and returns how many words of extension are encrypted.
func parse(packet []byte) (Header, int, error) {
	if len(packet) < fixedSize || packet[0]>>6 != version || isRTCP(packet[1]) {
		return Header{}, 0, ErrNotRTP
	}
	h := Header{
		PayloadType: packet[1] &^ markerBit,
		Marker:      packet[1]&markerBit != 0,
		Sequence:    binary.BigEndian.Uint16(packet[2:]),
		Timestamp:   binary.BigEndian.Uint32(packet[4:]),
		SSRC:        binary.BigEndian.Uint32(packet[8:]),
		Extended:    packet[0]&extensionBit != 0,
	}
	rest := packet[fixedSize:]
	if n := 4 * int(packet[0]&0xf); n > len(rest) {
		return Header{}, 0, ErrShort
	} else if n > 0 {
		h.CSRC, rest = rest[:n:n], rest[n:]
	}
	if !h.Extended {
		return h, 0, nil
	}
	if len(rest) < extensionHead {
		return Header{}, 0, ErrShort
	}
	h.Profile = binary.BigEndian.Uint16(rest)
	return h, int(binary.BigEndian.Uint16(rest[2:])), nil
}

// isRTCP reports whether the second byte is that of a report about a stream
// (RFC 5761), which comes to the same port.
func isRTCP(second byte) bool { return second >= 192 && second <= 223 }

// strip reads what of the header was encrypted off the decrypted body: padding
// first, then the extension. It returns the payload.
func (h *Header) strip(body []byte, padded bool, words int) ([]byte, error) {
	if padded {
		if len(body) == 0 {
			return nil, ErrPadding
		}
		n := body[len(body)-1]
		if n == 0 || int(n) > len(body) {
			return nil, ErrPadding
		}
		h.Padding, body = n, body[:len(body)-int(n)]
	}
	if n := 4 * words; n > len(body) {
		return nil, ErrShort
	} else if n > 0 {
		h.Extension, body = body[:n:n], body[n:]
	}
	return body, nil
}
