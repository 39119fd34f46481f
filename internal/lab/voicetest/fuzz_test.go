package voicetest

import (
	"net/netip"
	"testing"
	"time"
)

// prepare brings a participant to the point where it has keys, so that input
// reaches deep into the code.
func prepare(f *testing.F) (*Server, *conn) {
	s, err := newServer(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	return s, admitFuzz(s)
}

// admitFuzz returns the connection of a participant with all permissions.
func admitFuzz(s *Server) *conn {
	a := &admission{Join: Join{Guild: "1", Channel: "2", User: "3", Session: "s"}, token: "t"}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admissions = map[string]*admission{"t": a}
	c := &conn{s: s, ws: &ending{}, beat: time.Now()}
	c.begin(a, identification{})
	p := c.p
	p.addr = netip.MustParseAddrPort("127.0.0.1:9")
	var sel selection
	sel.Protocol, sel.Data.Mode, sel.Data.Address, sel.Data.Port = "udp", AES256GCM, "127.0.0.1", 9
	p.describe(c, sel)
	return c
}

// ending is a socket that counts its closes.
type ending struct{ ends int }

func (*ending) Send(any)            {}
func (*ending) SendBinary(any)      {}
func (e *ending) Close(int, string) { e.ends++ }

func FuzzPackets(f *testing.F) {
	s, c := prepare(f)
	f.Add([]byte{0x80, 120, 0, 1, 0, 0, 0, 1, 0, 0, 3, 0xE9})
	f.Add(sealPacket(c.p.seal, 1, outgoing{kind: payloadOpus, ssrc: c.p.ssrc, payload: silence, padding: 4, extension: 2}))
	f.Add(append([]byte{0, 1, 0, 70}, make([]byte, 70)...))
	f.Add(make([]byte, keepAliveLength))
	f.Fuzz(func(t *testing.T, packet []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.receivePacket(packet, netip.MustParseAddrPort("127.0.0.1:9"))
		if len(packet) > rtpHeader { // after the decryption, too
			packet[0] |= 0x80
			full := make([]byte, c.p.seal.NonceSize())
			at := min(clearLength(packet), len(packet))
			sealed := c.p.seal.Seal(packet[:at:at], full, packet[at:], packet[:at])
			if payload, _, ok := openPacket(c.p.open, append(sealed, 0, 0, 0, 0)); ok && len(payload) > len(packet)-at {
				t.Errorf("of %d bytes behind %x, %d are the payload", len(packet)-at, packet[:at], len(payload))
			}
		}
		s.unsent, s.faults = nil, nil
	})
}

func FuzzMessages(f *testing.F) {
	s, _ := prepare(f)
	for _, seed := range []string{
		`{"op":3,"d":{"t":1,"seq_ack":1}}`, `{"op":5,"d":{"speaking":1,"ssrc":1001}}`, `{"op":7,"d":{"session_id":"s","token":"t","seq_ack":-1}}`,
		`{"op":0,"d":{"server_id":"1","user_id":"3","session_id":"s","token":"t"}}`, `{"op":23,"d":{"transition_id":1}}`, `{"op":31,"d":{"transition_id":0}}`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Add([]byte{26, 0, 1, 0, 2}, true)
	f.Add([]byte{28, 0, 1, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 2}, true)
	f.Fuzz(func(t *testing.T, data []byte, binary bool) {
		c := admitFuzz(s)
		s.mu.Lock()
		defer s.mu.Unlock()
		if binary {
			c.receiveBinary(data)
		} else {
			c.receive(data)
		}
		if ends := c.ws.(*ending).ends; c.leaving != (ends == 1) {
			t.Errorf("after %q the connection is leaving: %v, and was closed %d times", data, c.leaving, ends)
		}
		for _, p := range s.ssrcs {
			p.end(CloseDisconnected, "")
		}
		s.later, s.faults = nil, nil
	})
}
