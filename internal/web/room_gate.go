package web

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/packetio"
	"golang.org/x/time/rate"
)

// Limits of a guest's connection. Our page stays far below: it sends one sound source with 50 packets a
// second, and reports about received packets.
const (
	maxSources   = 4  // sound sources with authentic packets
	maxReported  = 32 // sources in authentic reports, including our own
	maxChannels  = 4  // data channels besides our own
	maxPaths     = 24 // addresses with the guest's password, and candidates
	maxUnnamed   = 8  // sources that the offer does not name
	sourceBuffer = 64 << 10
	reportBuffer = 16 << 10
	// Packets above a rate that are tolerated: a burst, because a stalled network delivers packets all at
	// once, and some per second.
	toleratedBurst, toleratedRate = 500, 20
)

// packetKind is the protocol of a packet, from its first bytes (RFC 7983, RFC 5761).
type packetKind int

const (
	packetCheck   packetKind = iota // STUN
	packetData                      // DTLS: the handshake, and messages
	packetSound                     // RTP
	packetReport                    // RTCP
	packetUnknown                   // unknown protocol
	packetKinds
)

// packetRates are the limits per kind: packets per second, and burst.
var packetRates = [packetKinds]struct {
	rate  rate.Limit
	burst int
}{
	packetCheck: {60, 300}, packetData: {300, 600}, packetSound: {150, 300}, packetReport: {25, 50}, packetUnknown: {1, 10},
}

const byteRate, byteBurst = 256 << 10, 512 << 10

// connLimiter limits what a guest's connection brings before a library processes it, because libraries allocate
// state for each source, address and channel that a peer names. Authentic packets above the limits, and
// floods from the guest's known address, end the guest. Packets from other addresses are only dropped, so
// that a stranger who guesses a port cannot end a guest.
type connLimiter struct {
	end func(why string)

	shut   atomic.Bool                    // drops all packets
	remote atomic.Pointer[netip.AddrPort] // the guest's known address; nil before

	mu        sync.Mutex // guards the fields below
	named     []uint32   // sources in the offer
	unnamed   []uint32   // additional accepted sources
	sources   int
	reported  int
	channels  int
	addresses int
	kinds     [packetKinds]*rate.Limiter
	others    *rate.Limiter // packets from other addresses
	bytes     *rate.Limiter
	tolerance *rate.Limiter
}

func newConnLimiter(sources []uint32, end func(why string)) *connLimiter {
	g := &connLimiter{
		end: end, named: sources, others: rate.NewLimiter(200, 400),
		bytes: rate.NewLimiter(byteRate, byteBurst), tolerance: rate.NewLimiter(toleratedRate, toleratedBurst),
	}
	for k, r := range packetRates {
		g.kinds[k] = rate.NewLimiter(r.rate, r.burst)
	}
	return g
}

// exceed ends the guest and closes the gate.
func (g *connLimiter) exceed() {
	if g.shut.CompareAndSwap(false, true) {
		g.end(reasonFlood)
	}
}

// found sets the guest's known address.
func (g *connLimiter) found(at netip.AddrPort) { g.remote.Store(&at) }

// pass reports whether to pass a packet to the libraries.
func (g *connLimiter) pass(p []byte, from netip.AddrPort) bool {
	if g.shut.Load() {
		return false
	}
	now, kind := time.Now(), packetKindOf(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	remote := g.remote.Load()
	if remote == nil || *remote != canonical(from) {
		if !g.others.AllowN(now, 1) || !g.bytes.AllowN(now, len(p)) {
			return false
		}
		// A browser may send on another path than the library has selected. That is safe, because the layers
		// above only use packets from addresses that have sent the guest's password.
		return kind != packetUnknown && g.isKnown(p, kind, remote == nil)
	}
	if kind != packetUnknown && g.isKnown(p, kind, true) && g.kinds[kind].AllowN(now, 1) && g.bytes.AllowN(now, len(p)) {
		return true
	}
	if !g.tolerance.AllowN(now, 1) {
		g.exceed()
	}
	return false
}

// isKnown reports whether a sound packet's source is named in the offer, or is one of the first others:
// browsers need not name their source, and authenticity is only known from the packet's tag, which is checked
// above the gate. If more is false, no further source is accepted.
func (g *connLimiter) isKnown(p []byte, kind packetKind, more bool) bool {
	if kind != packetSound {
		return true
	}
	source := binary.BigEndian.Uint32(p[8:])
	if slices.Contains(g.named, source) || slices.Contains(g.unnamed, source) {
		return true
	}
	if !more || len(g.unnamed) >= maxUnnamed {
		return false
	}
	g.unnamed = append(g.unnamed, source)
	return true
}

// packetKindOf returns the kind of a packet.
func packetKindOf(p []byte) packetKind {
	switch {
	case len(p) == 0:
		return packetUnknown
	case p[0] < 4:
		return packetCheck
	case p[0] >= 20 && p[0] < 64:
		return packetData
	case p[0] < 128 || p[0] >= 192 || len(p) < 12:
		return packetUnknown
	case p[1] >= 192 && p[1] < 224:
		return packetReport
	}
	return packetSound
}

// count counts a resource used by authentic packets of the guest. It ends the guest and returns false if
// there are too many.
func (g *connLimiter) count(n *int, most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *n++; *n > most {
		g.exceed()
		return false
	}
	return true
}

// buffer returns the buffer for a source's packets. It is called for each source in authentic packets.
func (g *connLimiter) buffer(kind packetio.BufferPacketType, _ uint32) io.ReadWriteCloser {
	b := packetio.NewBuffer()
	n, most, size := &g.sources, maxSources, sourceBuffer
	if kind == packetio.RTCPBufferPacket {
		n, most, size = &g.reported, maxReported, reportBuffer
	}
	b.SetLimitSize(size)
	if !g.count(n, most) {
		_ = b.Close() // cannot fail without readers; it accepts no packets
	}
	return b
}

// allowAddress reports whether connectivity checks may be sent to an address, from a candidate of the offer or
// from a packet with the guest's password.
func (g *connLimiter) allowAddress(ip net.IP) bool {
	if ip.IsUnspecified() || ip.IsMulticast() {
		return false
	}
	return g.count(&g.addresses, maxPaths)
}

// allowChannel reports whether one more data channel besides our own is allowed.
func (g *connLimiter) allowChannel() bool { return g.count(&g.channels, maxChannels) }

// canonical returns an address in a comparable form.
func canonical(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// gatedNet opens the sockets of a guest.
type gatedNet struct {
	transport.Net
	gate *connLimiter
}

// ListenUDP implements [transport.Net].
func (n gatedNet) ListenUDP(network string, at *net.UDPAddr) (transport.UDPConn, error) {
	c, err := n.Net.ListenUDP(network, at)
	if err != nil {
		return nil, err
	}
	raw, ok := c.(*net.UDPConn)
	if !ok {
		_ = c.Close()
		return nil, net.UnknownNetworkError(network)
	}
	return gatedSocket{raw, n.gate}, nil
}

// gatedSocket is a guest's socket. Reads do not allocate.
type gatedSocket struct {
	*net.UDPConn
	gate *connLimiter
}

// ReadFromAddrPort implements [ice.AddrPortReaderWriter].
func (c gatedSocket) ReadFromAddrPort(p []byte) (int, netip.AddrPort, error) {
	for {
		n, from, err := c.ReadFromUDPAddrPort(p)
		if err != nil || c.gate.pass(p[:n], from) {
			return n, from, err
		}
	}
}

// WriteToAddrPort implements [ice.AddrPortReaderWriter].
func (c gatedSocket) WriteToAddrPort(p []byte, to netip.AddrPort) (int, error) {
	return c.WriteToUDPAddrPort(p, to)
}

// ReadFrom implements [net.PacketConn].
func (c gatedSocket) ReadFrom(p []byte) (int, net.Addr, error) {
	n, from, err := c.ReadFromAddrPort(p)
	return n, net.UDPAddrFromAddrPort(from), err
}

// gatedMux gives a guest its part of the UDP port shared by all guests.
type gatedMux struct {
	ice.UDPMux
	gate *connLimiter
}

// GetConn implements [ice.UDPMux].
func (m gatedMux) GetConn(ufrag string, at net.Addr) (net.PacketConn, error) {
	c, err := m.UDPMux.GetConn(ufrag, at)
	if err != nil {
		return nil, err
	}
	return gatedPart{c, m.gate}, nil
}

// gatedPart is a guest's part of the shared port.
type gatedPart struct {
	net.PacketConn
	gate *connLimiter
}

// ReadFrom implements [net.PacketConn].
func (c gatedPart) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(p)
		if err != nil {
			return n, from, err
		}
		udp, ok := from.(*net.UDPAddr)
		if ok && c.gate.pass(p[:n], udp.AddrPort()) {
			return n, from, nil
		}
	}
}
