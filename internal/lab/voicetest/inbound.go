package voicetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

const (
	discoveryLength = 74
	keepAliveLength = 8
	maxDatagram     = 2048
	samplesPerFrame = 960
	// A client may send packetRate packets a second, slightly more than sound
	// has, and packetBurst at once, because a busy machine or a bad network
	// delays packets.
	packetRate  = 55
	packetBurst = 5 * packetRate
	nonceWindow = 1 << 12 // how far a nonce may lag behind the highest
)

// inbound is the state of a participant's incoming packets.
type inbound struct {
	started   bool
	seq       uint16
	timestamp uint32
	highest   uint32                   // nonce
	nonces    [nonceWindow / 64]uint64 // which of the last ones were used, by their lower bits
	allowance *rate.Limiter            // of packets; nil before the first
	flooding  bool                     // the last packet exceeded the rate
	silences  int                      // silence frames in a row
	early     []early                  // sound that overtook its Speaking
	arrivals  []Arrival
}

// early is a packet that waits for Speaking, because UDP may be faster than a
// WebSocket.
type early struct {
	packet []byte
	from   netip.AddrPort
}

const (
	maxEarly  = 50          // more are dropped
	maxAhead  = time.Second // how far sound may overtake Speaking
	minSilent = 4           // @discordjs/voice loses one of its five
)

// An Arrival is a packet from a client as the server received it. Its payload
// is still encrypted end to end, unless that is off.
type Arrival struct {
	At        time.Time
	Seq       uint16
	Timestamp uint32
	Payload   []byte
}

// datagram is a packet to send.
type datagram struct {
	to   netip.AddrPort
	data []byte
}

// readUDP handles the packets of all participants until the server ends.
func (s *Server) readUDP() {
	buf := make([]byte, maxDatagram)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			return // The socket was closed.
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		s.mu.Lock()
		s.unsent = append(s.unsent, s.receivePacket(buf[:n], from)...)
		s.mu.Unlock()
		s.flush()
	}
}

// flush sends due packets. Callers that created some call it after they release
// the lock; one caller at a time sends, so that the order is kept.
func (s *Server) flush() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	out := s.unsent
	s.unsent = nil
	s.mu.Unlock()
	for _, d := range out {
		_, _ = s.udp.WriteToUDPAddrPort(d.data, d.to) // The packet may be lost.
	}
}

// receivePacket handles one packet and returns the packets to send for it.
func (s *Server) receivePacket(packet []byte, from netip.AddrPort) []datagram {
	switch {
	case len(packet) == discoveryLength && binary.BigEndian.Uint16(packet) == 1:
		return s.discover(packet, from)
	case len(packet) == keepAliveLength:
		return s.keepAlive(packet, from)
	case len(packet) < rtpHeader || packet[0]>>6 != 2:
		s.fault("UDP: %d bytes that are no RTP from %s", len(packet), from)
	case packet[1] >= 200 && packet[1] <= 207: // RTCP, which the server ignores
	default:
		return s.receiveSound(packet, from)
	}
	return nil
}

// discover sends a client the address of its packets.
func (s *Server) discover(packet []byte, from netip.AddrPort) []datagram {
	p := s.ssrcs[binary.BigEndian.Uint32(packet[4:])]
	switch {
	case binary.BigEndian.Uint16(packet[2:]) != 70 || p == nil:
		s.fault("UDP: discovery with length %d and ssrc %d", binary.BigEndian.Uint16(packet[2:]), binary.BigEndian.Uint32(packet[4:]))
		return nil
	case s.deafUDP > 0:
		s.deafUDP--
		return nil
	case p.silent:
		return nil
	}
	p.addr = from
	answer := make([]byte, discoveryLength)
	binary.BigEndian.PutUint16(answer, 2)
	binary.BigEndian.PutUint16(answer[2:], 70)
	copy(answer[4:], packet[4:8])
	copy(answer[8:72], from.Addr().String())
	binary.BigEndian.PutUint16(answer[72:], from.Port())
	s.touch()
	return []datagram{{from, answer}}
}

// keepAlive returns the reply that keeps a client's router mapping open.
func (s *Server) keepAlive(packet []byte, from netip.AddrPort) []datagram {
	for _, p := range s.ssrcs {
		if p.addr == from {
			if p.silent {
				return nil
			}
			p.stats.KeepAlives++
			s.touch()
		}
	}
	return []datagram{{from, bytes.Clone(packet)}}
}

// receiveSound checks a participant's packet and forwards it to the others.
func (s *Server) receiveSound(packet []byte, from netip.AddrPort) []datagram {
	ssrc := binary.BigEndian.Uint32(packet[8:])
	p := s.ssrcs[ssrc]
	if p == nil {
		return nil // of a session that has just ended
	}
	if p.silent {
		return nil
	}
	if !p.described {
		s.fault("UDP: user %s sends sound before it has keys", p.user)
		return nil
	}
	if packet[1]&0x7F != payloadOpus {
		s.fault("UDP: user %s sends payload type %d", p.user, packet[1]&0x7F)
		return nil
	}
	payload, nonce, ok := openPacket(p.open, packet)
	if !ok {
		s.fault("UDP: user %s sends a packet of %d bytes that does not open with %s", p.user, len(packet), p.stats.Mode)
		return nil
	}
	p.addr = from // A router may have changed the address.
	if !p.spoke {
		p.holdEarly(packet, from)
		return nil
	}
	seq, timestamp := binary.BigEndian.Uint16(packet[2:]), binary.BigEndian.Uint32(packet[4:])
	p.checkOrder(seq, timestamp, nonce)
	if !p.checkRate() {
		return nil
	}
	p.note(Arrival{time.Now(), seq, timestamp, payload})
	if p.muted {
		return nil
	}
	return p.room.forward(p, outgoing{kind: payloadOpus, marker: packet[1]&0x80 != 0, seq: seq, timestamp: timestamp, payload: payload})
}

// holdEarly holds sound until its Speaking arrives. Without one it is a fault,
// because Discord drops such sound.
func (p *participant) holdEarly(packet []byte, from netip.AddrPort) {
	in := &p.inbound
	if len(in.early) == 0 {
		p.s.after(maxAhead, func() {
			if len(in.early) > 0 {
				p.s.fault("UDP: user %s sends sound before Speaking, which Discord drops", p.user)
				in.early = nil
			}
		})
	}
	if len(in.early) < maxEarly {
		in.early = append(in.early, early{bytes.Clone(packet), from})
	}
}

// releaseEarly forwards the sound that waited for Speaking.
func (p *participant) releaseEarly() {
	waiting := p.inbound.early
	p.inbound.early = nil
	for _, e := range waiting {
		p.s.unsent = append(p.s.unsent, p.s.receiveSound(e.packet, e.from)...)
	}
}

// checkOrder records errors in a packet's numbers.
func (p *participant) checkOrder(seq uint16, timestamp, nonce uint32) {
	in := &p.inbound
	if in.usesAgain(nonce) {
		p.s.fault("UDP: user %s uses the nonce %d twice with one key, or long after %d", p.user, nonce, in.highest)
	}
	if in.started {
		if step := seq - in.seq; step == 0 || step >= 1<<15 {
			p.s.fault("UDP: user %s sends packet %d after %d", p.user, seq, in.seq)
		}
		// Some libraries restart at 0 when 32 bits overflow.
		full := timestamp == 0 && in.timestamp > math.MaxUint32-samplesPerFrame
		if step := timestamp - in.timestamp; !full && (step == 0 || step >= 1<<31 || step%samplesPerFrame != 0) {
			p.s.fault("UDP: user %s sends the timestamp %d after %d", p.user, timestamp, in.timestamp)
		}
	}
	in.started, in.seq, in.timestamp = true, seq, timestamp
}

// usesAgain records a nonce and reports whether it was used before; nonces too
// old to be known count as used.
func (in *inbound) usesAgain(nonce uint32) bool {
	word, bit := nonce/64%uint32(len(in.nonces)), uint64(1)<<(nonce%64)
	ahead := nonce - in.highest
	switch {
	case !in.started:
	case ahead != 0 && ahead < 1<<31:
		for n := in.highest + 1; n != nonce && n-in.highest <= nonceWindow; n++ {
			in.nonces[n/64%uint32(len(in.nonces))] &^= 1 << (n % 64)
		}
	case in.highest-nonce >= nonceWindow || in.nonces[word]&bit != 0:
		return true
	default:
		in.nonces[word] |= bit
		return false
	}
	in.highest = nonce
	in.nonces[word] |= bit
	return false
}

// checkRate reports whether a packet may be sent now, and records a fault each
// time a client starts to send faster than sound.
func (p *participant) checkRate() bool {
	in := &p.inbound
	if in.allowance == nil {
		in.allowance = rate.NewLimiter(packetRate, packetBurst)
	}
	may := in.allowance.Allow()
	if !may && !in.flooding {
		p.s.fault("UDP: user %s sends more than %d packets a second, with %d at once", p.user, packetRate, packetBurst)
	}
	in.flooding = !may
	return may
}

// note stores an arrival.
func (p *participant) note(a Arrival) {
	if bytes.Equal(a.Payload, silence) {
		p.inbound.silences++
	} else {
		p.inbound.silences = 0
	}
	p.stats.Packets++
	p.inbound.arrivals = append(p.inbound.arrivals, a)
	if over := len(p.inbound.arrivals) - p.s.opts.Arrivals; over > 0 {
		p.inbound.arrivals = p.inbound.arrivals[over:]
	}
	p.s.touch()
}

// checkSilence records a spurt that ended without five frames of silence.
func (p *participant) checkSilence() {
	if p.flags == 0 && p.inbound.started && p.inbound.silences < minSilent && p.s.ssrcs[p.ssrc] == p && !p.silent {
		p.s.fault("UDP: user %s ends speaking with %d silence frames, want five", p.user, p.inbound.silences)
	}
}
