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

// What the connection of one guest may bring. A page of ours stays far below: it sends one
// source of sound with 50 packets a second, and answers to what it receives.
const (
	maxSources   = 4  // sources of sound whose packets were authentic
	maxReported  = 32 // sources that authentic reports are about; ours are among them
	maxChannels  = 4  // data channels besides ours
	maxPaths     = 24 // addresses that ask with the guest's password, and candidates
	maxUnnamed   = 8  // sources that the offer does not name and that are tried
	sourceBuffer = 64 << 10
	reportBuffer = 16 << 10
	// tolerated are the packets above a rate that a guest may send: some in a burst, because a
	// network that stalled brings all at once, and some each second.
	toleratedBurst, toleratedRate = 500, 20
)

// packetKind is what a packet is for, by its first bytes (RFC 7983, RFC 5761).
type packetKind int

const (
	packetCheck   packetKind = iota // STUN
	packetData                      // DTLS: the handshake, and messages
	packetSound                     // RTP
	packetReport                    // RTCP
	packetUnknown                   // nothing of ours
	packetKinds
)

// packetRates are the packets a second of each kind, and in a burst.
var packetRates = [packetKinds]struct {
	rate  rate.Limit
	burst int
}{
	packetCheck: {60, 300}, packetData: {300, 600}, packetSound: {150, 300}, packetReport: {25, 50}, packetUnknown: {1, 10},
}

const byteRate, byteBurst = 256 << 10, 512 << 10

// gate bounds what a guest's connection brings before a library reads it, because libraries
// keep something for each source, address and channel that a peer names. What authentic packets
// exceed, and floods from the address at which the guest was found, end the guest. Packets from
// elsewhere are only dropped, so that a stranger who guesses a port ends nobody.
type gate struct {
	end func(why string)

	shut   atomic.Bool                    // nothing comes through any more
	remote atomic.Pointer[netip.AddrPort] // where the guest was found; nil before

	mu        sync.Mutex // guards the fields below
	named     []uint32   // sources that the offer names
	unnamed   []uint32   // further ones that are tried
	sources   int
	reported  int
	channels  int
	addresses int
	kinds     [packetKinds]*rate.Limiter
	others    *rate.Limiter // packets from elsewhere
	bytes     *rate.Limiter
	tolerance *rate.Limiter
}

func newGate(sources []uint32, end func(why string)) *gate {
	g := &gate{
		end: end, named: sources, others: rate.NewLimiter(200, 400),
		bytes: rate.NewLimiter(byteRate, byteBurst), tolerance: rate.NewLimiter(toleratedRate, toleratedBurst),
	}
	for k, r := range packetRates {
		g.kinds[k] = rate.NewLimiter(r.rate, r.burst)
	}
	return g
}

// exceed ends the guest. Nothing comes through from then on.
func (g *gate) exceed() {
	if g.shut.CompareAndSwap(false, true) {
		g.end(reasonFlood)
	}
}

// found notes where the guest is.
func (g *gate) found(at netip.AddrPort) { g.remote.Store(&at) }

// pass reports whether a packet reaches the libraries.
func (g *gate) pass(p []byte, from netip.AddrPort) bool {
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
		// A browser may send over another way than the library has chosen, so that what passes
		// from elsewhere is checked above: only from where the guest's password came it is used.
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

// isKnown reports whether a packet of sound is of a source that the offer names, or of one of
// the first others: a browser need not name its source, and what is authentic is told by the
// packet's tag alone, which is checked above the gate. If more is false, no further one counts.
func (g *gate) isKnown(p []byte, kind packetKind, more bool) bool {
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

// packetKindOf is what a packet is for.
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

// count adds one to what authentic packets of the guest have brought, and ends the guest if
// that is too much.
func (g *gate) count(n *int, most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *n++; *n > most {
		g.exceed()
		return false
	}
	return true
}

// buffer is where the packets of a source wait. It is called for each source that authentic
// packets name.
func (g *gate) buffer(kind packetio.BufferPacketType, _ uint32) io.ReadWriteCloser {
	b := packetio.NewBuffer()
	n, most, size := &g.sources, maxSources, sourceBuffer
	if kind == packetio.RTCPBufferPacket {
		n, most, size = &g.reported, maxReported, reportBuffer
	}
	b.SetLimitSize(size)
	if !g.count(n, most) {
		_ = b.Close() // of a buffer without readers never fails; it takes nothing
	}
	return b
}

// keepAddress reports whether checks may go to an address: of a candidate of the offer, or from
// where packets with the guest's password came.
func (g *gate) keepAddress(ip net.IP) bool {
	if ip.IsUnspecified() || ip.IsMulticast() {
		return false
	}
	return g.count(&g.addresses, maxPaths)
}

// keepChannel reports whether one more data channel that is not ours may be looked at.
func (g *gate) keepChannel() bool { return g.count(&g.channels, maxChannels) }

// canonical is an address in the form in which all are compared.
func canonical(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// gatedNet opens the sockets of one guest.
type gatedNet struct {
	transport.Net
	gate *gate
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

// gatedSocket is a guest's socket. It is read without an allocation a packet.
type gatedSocket struct {
	*net.UDPConn
	gate *gate
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

// gatedMux gives one guest its part of the port that all guests share.
type gatedMux struct {
	ice.UDPMux
	gate *gate
}

// GetConn implements [ice.UDPMux].
func (m gatedMux) GetConn(ufrag string, at net.Addr) (net.PacketConn, error) {
	c, err := m.UDPMux.GetConn(ufrag, at)
	if err != nil {
		return nil, err
	}
	return gatedPart{c, m.gate}, nil
}

// gatedPart is a guest's part of a port.
type gatedPart struct {
	net.PacketConn
	gate *gate
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
