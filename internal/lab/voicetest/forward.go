package voicetest

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"time"
)

// A Wire alters packets on their way to a participant. The zero value forwards
// them unchanged.
type Wire struct {
	// Padding is the RTP padding to add, at most 255 bytes.
	Padding int
	// Extension is the length of an added RTP header extension, in words.
	Extension int
	// EmptyExtension adds an extension without words.
	EmptyExtension bool
	// Sources is the number of added contributing sources (CSRC), at most 15.
	Sources int
	// Loss, Duplicate and Reorder are the shares of packets that are lost, sent
	// twice, and sent after the next one. The same seed gives the same choices.
	Loss, Duplicate, Reorder float64
	// Jitter delays each packet by a random time below it, so that packets
	// overtake each other.
	Jitter time.Duration
	// LoseSilence is how many of the silence frames at the end of a spurt are
	// lost, from the first.
	LoseSilence int
	// Reports adds RTCP, which every client receives and must distinguish from
	// sound.
	Reports bool
}

// outbound holds the numbers of a participant's packets as others see them,
// because the server itself may add some.
type outbound struct {
	seq       uint16
	timestamp uint32
	shift     uint16 // how many the server added, which shifts the numbers of later ones
}

// forward seals a participant's packet for each other participant.
func (r *room) forward(from *participant, o outgoing) []datagram {
	o.ssrc = from.outSSRC
	o.seq += from.rtp.shift
	o.timestamp += samplesPerFrame * uint32(from.rtp.shift)
	from.rtp.seq, from.rtp.timestamp = o.seq, o.timestamp
	var out []datagram
	for _, to := range r.order {
		if to == from {
			continue
		}
		out = to.deliver(out, o)
		if from.video {
			v := outgoing{kind: payloadH264, marker: true, seq: o.seq, timestamp: o.timestamp, ssrc: o.ssrc + videoOffset, payload: make([]byte, 600)}
			_, _ = rand.Read(v.payload) // cannot fail
			out = to.deliver(out, v)
		}
	}
	return out
}

// videoOffset is the distance from an ssrc to its video ssrc. Audio ssrcs are
// never that large.
const videoOffset = 1 << 20

// deliver seals a packet for a participant and applies the wire.
func (p *participant) deliver(out []datagram, o outgoing) []datagram {
	if p.silent || !p.addr.IsValid() {
		return out
	}
	w := p.room.wire
	if p.wire != nil {
		w = *p.wire
	}
	o.padding, o.extension, o.empty, o.sources = w.Padding, w.Extension, w.EmptyExtension, w.Sources
	p.nonce++
	d := datagram{p.addr, sealPacket(p.seal, p.nonce, o)}
	if p.s.dice.Float64() < w.Loss || p.losesSilence(o, w.LoseSilence) {
		p.stats.Lost++
		return out
	}
	if w.Jitter > 0 {
		p.stats.Forwarded++
		p.s.after(time.Duration(p.s.dice.Int64N(int64(w.Jitter))), func() { p.s.unsent = append(p.s.unsent, d) })
		return out
	}
	behind, waits := p.held[o.ssrc]
	if !waits && p.s.dice.Float64() < w.Reorder {
		if p.held == nil {
			p.held = map[uint32]datagram{}
		}
		p.held[o.ssrc] = d
		return out
	}
	out = append(out, d)
	if p.s.dice.Float64() < w.Duplicate {
		out = append(out, d)
	}
	if waits {
		out = append(out, behind)
		delete(p.held, o.ssrc)
	}
	if w.Reports && p.nonce%10 == 0 {
		out = append(out, p.report())
	}
	p.stats.Forwarded++
	return out
}

// losesSilence reports whether a packet is one of the first n consecutive
// silence frames.
func (p *participant) losesSilence(o outgoing, n int) bool {
	if p.silences == nil {
		p.silences = map[uint32]int{}
	}
	if !bytes.Equal(o.payload, silence) {
		p.silences[o.ssrc] = 0
		return false
	}
	p.silences[o.ssrc]++
	return p.silences[o.ssrc] <= n
}

// report returns a receiver report, sealed as Discord seals those, with the
// first eight bytes in the clear.
func (p *participant) report() datagram {
	p.nonce++
	packet := []byte{0x81, 201, 0, 7}
	packet = binary.BigEndian.AppendUint32(packet, p.ssrc)
	full := make([]byte, p.seal.NonceSize())
	binary.BigEndian.PutUint32(full, p.nonce)
	packet = p.seal.Seal(packet, full, make([]byte, 24), packet)
	return datagram{p.addr, binary.BigEndian.AppendUint32(packet, p.nonce)}
}
