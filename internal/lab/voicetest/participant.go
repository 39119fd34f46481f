package voicetest

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// participant is one session of a user with the server, guarded by Server.mu.
type participant struct {
	s         *Server
	room      *room
	admission *admission
	user      string
	ssrc      uint32 // its own, for sending
	dave      int    // the highest version it supports
	described bool   // it has its keys, and is in the room

	// the gateway
	conn      *conn // nil while it is away
	away      time.Time
	forgotten bool // cannot be resumed
	seq       uint16
	numbered  bool // a message with a number was sent
	log       []numbered
	withheld  []int // opcodes that are dropped

	// its sent packets
	open    cipher.AEAD
	addr    netip.AddrPort
	flags   int  // of its last Speaking
	spoke   bool // it sent one
	inbound inbound
	muted   bool // may not speak
	silent  bool // its UDP is down in both directions

	// packets to it
	seal     cipher.AEAD
	nonce    uint32
	wire     *Wire // nil means the room's
	held     map[uint32]datagram
	silences map[uint32]int // in a row, by ssrc
	outSSRC  uint32         // its ssrc for the others
	video    bool
	rtp      outbound

	stats Client
}

// numbered is a message that a resume may request again.
type numbered struct {
	seq uint16
	message
}

// send sends a numbered message; s.mu must be held.
func (p *participant) send(op int, d any) {
	if p.withholds(op) {
		return
	}
	seq := p.next()
	p.keep(seq, message{data: mustJSON(map[string]any{"op": op, "d": d, "seq": seq})})
}

// sendBinary sends a binary message with its number.
func (p *participant) sendBinary(op int, payload []byte) {
	if p.withholds(op) {
		return
	}
	seq := p.next()
	data := append(binary.BigEndian.AppendUint16(nil, seq), byte(op))
	p.keep(seq, message{binary: true, data: append(data, payload...)})
}

// plain sends a message without a number, which a resume does not repeat.
func (p *participant) plain(op int, d any) {
	if p.conn != nil {
		p.conn.put(message{data: mustJSON(map[string]any{"op": op, "d": d})})
	}
}

func (p *participant) withholds(op int) bool { return slices.Contains(p.withheld, op) }

func (p *participant) next() uint16 {
	p.seq++
	p.numbered = true
	return p.seq
}

func (p *participant) keep(seq uint16, m message) {
	p.log = append(p.log, numbered{seq, m})
	if over := len(p.log) - max(0, p.s.opts.Replay); over > 0 {
		p.log = slices.Delete(p.log, 0, over)
	}
	if p.conn != nil {
		p.conn.put(m)
	}
}

// sentBefore reports whether the client can have seen a number, also after the
// numbers wrapped.
func (p *participant) sentBefore(seq int) bool {
	return p.numbered && seq >= 0 && seq <= 65535 && p.seq-uint16(seq) < 1<<15
}

// resume continues a session on a new connection.
func (p *participant) resume(c *conn, ack *int) {
	var missed []numbered
	if p.numbered {
		after := p.s.opts.FirstSequence - 1
		if ack != nil && *ack != -1 {
			after = uint16(*ack)
		}
		count := int(p.seq - after)
		if count > len(p.log) {
			c.leave(CloseSessionInvalid, "Session is no longer valid.") // too many messages were missed
			return
		}
		missed = p.log[len(p.log)-count:]
	}
	if p.conn != nil {
		p.conn.p = nil
		p.conn.leave(CloseSessionInvalid, "The session went on elsewhere.")
	}
	c.p, p.conn = p, c
	p.stats.Resumed++
	if !p.s.opts.ReplayFirst {
		p.plain(opResumed, nil)
	}
	for _, m := range missed {
		c.put(m.message)
	}
	if p.s.opts.ReplayFirst {
		p.plain(opResumed, nil)
	}
}

// describe answers select protocol with the keys, and adds the participant to
// the room.
func (p *participant) describe(c *conn, sel selection) {
	switch {
	case p.described:
		c.blame(CloseBadRequest, "protocol selected twice")
		return
	case !slices.Contains(p.s.opts.Modes, sel.Data.Mode):
		c.blame(CloseUnknownMode, fmt.Sprintf("encryption mode %q, which was not offered", sel.Data.Mode))
		return
	case p.addr.IsValid() && (sel.Data.Address != p.addr.Addr().String() || sel.Data.Port != p.addr.Port()):
		p.s.fault("gateway: user %s says it is at %s:%d, and was discovered at %s", p.user, sel.Data.Address, sel.Data.Port, p.addr)
	case !p.addr.IsValid():
		p.s.fault("gateway: user %s selects a protocol before it was discovered", p.user)
	}
	key, open, seal := newKeys(sel.Data.Mode)
	p.open, p.seal, p.described = open, seal, true
	p.stats.Mode = sel.Data.Mode
	numbers := make([]int, len(key)) // a []byte would be encoded as text
	for i, b := range key {
		numbers[i] = int(b)
	}
	p.send(opDescription, map[string]any{
		"mode": sel.Data.Mode, "secret_key": numbers, "dave_protocol_version": p.room.group.version(p.dave),
		"audio_codec": "opus", "video_codec": "H264", "media_session_id": secret("media"),
	})
	p.room.enter(p)
}

// speak handles a participant's Speaking, and passes it to the others.
func (p *participant) speak(flags int) {
	if flags == 0 && p.flags != 0 {
		p.s.after(300*time.Millisecond, p.checkSilence) // UDP may lag
	}
	p.flags, p.spoke = flags, true
	p.stats.Spoke++
	tell := func() {
		for _, o := range p.room.others(p) {
			o.send(opSpeaking, map[string]any{"user_id": p.user, "ssrc": p.outSSRC, "speaking": flags})
		}
	}
	if p.s.late > 0 {
		p.s.after(p.s.late, tell)
	} else {
		tell()
	}
	p.releaseEarly()
	p.s.touch()
}

// lose records that the connection ended, with the client's code or 0.
func (p *participant) lose(code int) {
	p.conn, p.away = nil, time.Now()
	if !resumable(code) {
		p.gone()
	}
}

// end closes the connection of an ended session.
func (p *participant) end(code int, reason string) {
	if p.conn != nil {
		p.conn.leave(code, reason)
		p.conn.p = nil
		p.conn = nil
	}
	p.gone()
}

// gone deletes the session.
func (p *participant) gone() {
	delete(p.s.ssrcs, p.ssrc)
	p.room.leave(p)
	p.s.touch()
}

// pass handles timeouts; s.mu must be held.
func (p *participant) pass(now time.Time) {
	if c := p.conn; c != nil && !c.leaving && now.Sub(c.beat) > p.s.opts.Heartbeat*3/2 {
		p.s.fault("gateway: user %s: heartbeats stopped", p.user)
		p.end(CloseSessionTimedOut, "Session timed out.")
	} else if c == nil && now.Sub(p.away) > p.s.opts.Away {
		p.gone()
	}
}

// splitAddress splits a literal address.
func splitAddress(at string) (string, int) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		panic(err) // It is a listener's address.
	}
	n, _ := strconv.Atoi(port) // of a listener, too
	return host, n
}
