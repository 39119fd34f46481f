package voice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

const (
	// DiscoverySize is the length of an address discovery request and response.
	DiscoverySize = 74
	// KeepAliveSize is the length of a keep-alive and of its echo.
	KeepAliveSize = 8

	discoveryRequest = 1
	discoveryAnswer  = 2
	discoveryLength  = 70 // of the rest of the packet
	addressSize      = 64
)

// ErrNotDiscovery is returned for a datagram that is not an address discovery packet.
var ErrNotDiscovery = errors.New("not a packet of address discovery")

// Discovery asks a voice server for the sender's own address as seen there, or is the response.
type Discovery struct {
	SSRC uint32
	// Addr is the address in a response. A request has none.
	Addr netip.AddrPort
}

// Append appends the packet: a request without an address, a response with one.
func (d Discovery) Append(dst []byte) []byte {
	kind := uint16(discoveryRequest)
	var address [addressSize]byte
	if d.Addr.IsValid() {
		kind = discoveryAnswer
		// The longest address has 45 bytes without its zone, which has no meaning on other machines.
		copy(address[:], d.Addr.Addr().WithZone("").String())
	}
	dst = binary.BigEndian.AppendUint16(dst, kind)
	dst = binary.BigEndian.AppendUint16(dst, discoveryLength)
	dst = binary.BigEndian.AppendUint32(dst, d.SSRC)
	dst = append(dst, address[:]...)
	return binary.BigEndian.AppendUint16(dst, d.Addr.Port())
}

// ParseDiscovery parses a request or a response. It returns [ErrNotDiscovery] for other packets, and a
// different error for a response without a usable address.
func ParseDiscovery(packet []byte) (Discovery, error) {
	if len(packet) != DiscoverySize || binary.BigEndian.Uint16(packet[2:]) != discoveryLength {
		return Discovery{}, ErrNotDiscovery
	}
	d := Discovery{SSRC: binary.BigEndian.Uint32(packet[4:])}
	switch binary.BigEndian.Uint16(packet) {
	case discoveryRequest:
		return d, nil
	case discoveryAnswer:
	default:
		return Discovery{}, ErrNotDiscovery
	}
	text, _, _ := bytes.Cut(packet[8:8+addressSize], []byte{0})
	addr, err := netip.ParseAddr(string(text))
	if err != nil {
		return Discovery{}, fmt.Errorf("reading the discovered address: %w", err)
	}
	d.Addr = netip.AddrPortFrom(addr, binary.BigEndian.Uint16(packet[DiscoverySize-2:]))
	if d.Addr.Port() == 0 {
		return Discovery{}, errors.New("reading the discovered address: it has no port")
	}
	return d, nil
}

// AppendKeepAlive appends a keep-alive, which a server echoes.
func AppendKeepAlive(dst []byte, counter uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, counter)
	return append(dst, 0, 0, 0, 0)
}

// ParseKeepAlive returns the counter of a keep-alive and reports whether the
// packet is one.
func ParseKeepAlive(packet []byte) (counter uint32, ok bool) {
	if len(packet) != KeepAliveSize {
		return 0, false
	}
	return binary.LittleEndian.Uint32(packet), true
}
