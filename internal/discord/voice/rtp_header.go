package voice

// This file builds and parses the datagrams of a Discord voice connection: RTP packets with Opus payloads,
// encrypted with Discord's "rtpsize" modes, address discovery, and keep-alives.
//
// It does no I/O and accepts arbitrary bytes: parsing never panics and never reads out of bounds.

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	// PayloadType is the RTP payload type of Opus. Video has other types.
	PayloadType = 0x78
	// FrameSamples is the increment of the timestamp for a frame of 20 ms at 48 kHz.
	FrameSamples = 960
	// Silence is an Opus frame of 20 ms of silence. Five of them end a talk spurt.
	Silence = "\xf8\xff\xfe"

	fixedSize     = 12 // header without CSRC and extension
	version       = 2
	paddingBit    = 0x20
	extensionBit  = 0x10
	markerBit     = 0x80
	maxCSRC       = 15
	extensionHead = 4 // profile and length, which are not encrypted
)

var (
	// ErrNotRTP is returned for a datagram that is not an RTP packet, for example RTCP.
	ErrNotRTP = errors.New("not an RTP packet")
	// ErrShort is returned for a packet that is shorter than its header announces.
	ErrShort = errors.New("RTP packet is cut off")
	// ErrPadding is returned for padding longer than its packet, or of length zero.
	ErrPadding = errors.New("padding of an RTP packet is impossible")
)

// Header is the header of an RTP packet. Its slices alias the parsed packet.
type Header struct {
	// PayloadType has 7 bits.
	PayloadType uint8
	Marker      bool
	Sequence    uint16
	Timestamp   uint32
	SSRC        uint32
	// CSRC holds the contributing sources, four bytes each, at most 15.
	CSRC []byte
	// Extended reports whether there is an extension, which may be empty.
	Extended bool
	// Profile is the extension's profile.
	Profile uint16
	// Extension is the extension's body, a multiple of four bytes. It is encrypted.
	Extension []byte
	// Padding is the number of bytes after the payload, including the count itself.
	Padding uint8
}

// clearSize returns the length of the unencrypted part.
func (h *Header) clearSize() int {
	n := fixedSize + len(h.CSRC)
	if h.Extended {
		n += extensionHead
	}
	return n
}

// append appends the unencrypted part of the header.
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

// Parse parses the unencrypted part of a packet's header, so that its sender can be looked up before the
// packet is decrypted. Padding and the extension's body are not set.
func Parse(packet []byte) (Header, error) {
	h, _, err := parse(packet)
	return h, err
}

// parse is like Parse, and also returns the number of encrypted extension words.
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

// isRTCP reports whether the second byte is that of an RTCP packet (RFC 5761), which arrives at the same
// port.
func isRTCP(second byte) bool { return second >= 192 && second <= 223 }

// strip removes the encrypted parts of the header from the decrypted body: first the padding, then the
// extension. It returns the payload.
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
