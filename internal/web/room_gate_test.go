package web

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/transport/v4/packetio"
	"golang.org/x/time/rate"
)

// rtpPacket returns a sound packet of a source.
func rtpPacket(source uint32) []byte {
	p := make([]byte, 60)
	p[0], p[1] = 0x80, 111
	binary.BigEndian.PutUint32(p[8:], source)
	return p
}

// TestTheGate: the traffic of our own page passes without limit of time. Excess traffic is
// dropped, and removes the guest if it comes from the guest's address.
func TestTheGate(t *testing.T) {
	here, elsewhere := netip.MustParseAddrPort("192.0.2.7:4000"), netip.MustParseAddrPort("198.51.100.9:4000")
	check, data, report := make([]byte, 100), append([]byte{23}, make([]byte, 99)...), append([]byte{0x80, 201}, make([]byte, 30)...)
	rows := []struct {
		name          string
		packets       func(send func(from netip.AddrPort, p []byte))
		atLeast, most int
		ended         bool
	}{
		{"an_hour_of_talk", func(send func(netip.AddrPort, []byte)) {
			for i := range 3600 * 50 {
				send(here, rtpPacket(7))
				if i%50 == 0 {
					send(here, check)
					send(here, data)
					send(here, report)
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, 3600 * 53, 3600 * 53, false},
		{"a_network_that_stalled", func(send func(netip.AddrPort, []byte)) {
			for range 5 {
				for range 250 {
					send(here, rtpPacket(7))
				}
				time.Sleep(5 * time.Second)
			}
		}, 1250, 1250, false},
		{"a_source_that_no_offer_names", func(send func(netip.AddrPort, []byte)) {
			for range 500 {
				send(here, rtpPacket(9))
				time.Sleep(20 * time.Millisecond)
			}
		}, 500, 500, false},
		{"many_sources", func(send func(netip.AddrPort, []byte)) {
			for i := range 2000 {
				send(here, rtpPacket(uint32(100+i)))
			}
		}, 8, 8, true},
		{"a_flood", func(send func(netip.AddrPort, []byte)) {
			for range 2000 {
				send(here, data)
			}
		}, 600, 600, true},
		{"of_no_kind", func(send func(netip.AddrPort, []byte)) {
			for range 2000 {
				send(here, []byte("GET / HTTP/1.1"))
			}
		}, 0, 0, true},
		{"a_flood_from_elsewhere", func(send func(netip.AddrPort, []byte)) {
			for range 100_000 {
				send(elsewhere, check)
			}
			send(here, rtpPacket(7))
		}, 300, 401, false},
		{"sound_by_another_way", func(send func(netip.AddrPort, []byte)) {
			for range 3600 * 50 {
				send(elsewhere, rtpPacket(7))
				time.Sleep(20 * time.Millisecond)
			}
		}, 3600 * 50, 3600 * 50, false},
		{"sources_from_elsewhere", func(send func(netip.AddrPort, []byte)) {
			for i := range 300 {
				send(elsewhere, rtpPacket(uint32(100+i)))
			}
			send(here, rtpPacket(9))
		}, 1, 1, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := false
				g := newConnLimiter([]uint32{7}, func(string) { ended = true })
				g.found(here)
				passed := 0
				row.packets(func(from netip.AddrPort, p []byte) {
					if g.pass(p, from) {
						passed++
					}
				})
				if passed < row.atLeast || passed > row.most || ended != row.ended {
					t.Errorf("%d packets passed, want %d to %d; the guest is ended: %t, want %t", passed, row.atLeast, row.most, ended, row.ended)
				}
				if ended && g.pass(rtpPacket(7), here) {
					t.Error("a packet passed after the end")
				}
			})
		})
	}
}

// TestSourcesAreCounted: packets of a few sources get a bounded buffer, and more sources remove
// the guest.
func TestSourcesAreCounted(t *testing.T) {
	ended := 0
	g := newConnLimiter(nil, func(string) { ended++ })
	for i := range uint32(maxSources) {
		b := g.buffer(packetio.RTPBufferPacket, i)
		var err error
		for n := 0; err == nil && n < 10_000; n++ {
			_, err = b.Write(make([]byte, 100))
		}
		if err == nil || ended > 0 {
			t.Fatalf("source %d: ended %d, %v after 1 MB that nobody reads", i, ended, err)
		}
	}
	for i := range uint32(1000) {
		if _, err := g.buffer(packetio.RTPBufferPacket, 100+i).Write(make([]byte, 100)); err == nil {
			t.Fatal("one source too many has a place")
		}
	}
	if ended != 1 {
		t.Errorf("the guest was ended %d times, want once", ended)
	}
}

// offerWith returns an offer with candidates.
func offerWith(candidates ...string) string {
	return "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=candidate:9 1 udp 1 203.0.113.9 5000 typ host\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\na=ssrc:7 cname:x\r\n" +
		"a=candidate:" + strings.Join(candidates, "\r\na=candidate:") + "\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
}

// TestOwnCandidates: checks go only to the address that sent the offer, and never to this
// machine.
func TestOwnCandidates(t *testing.T) {
	at := func(where string, port int) string {
		return fmt.Sprintf("1 1 udp 2130706431 %s %d typ host", where, port)
	}
	var many []string
	for i := range 40 {
		many = append(many, at("192.168.1.20", 5000+i))
	}
	rows := []struct {
		name, own string
		offered   []string
		kept      int
	}{
		{"own", "192.168.1.20", []string{at("192.168.1.20", 5000)}, 1},
		{"own_ipv6", "2001:db8::7", []string{at("2001:db8::7", 5000), at("192.168.1.20", 5000)}, 1},
		{"own_mapped", "::ffff:192.168.1.20", []string{at("192.168.1.20", 5000)}, 1},
		{"a_neighbour", "192.168.1.20", []string{at("192.168.1.21", 5000)}, 0},
		{"a_public_host", "192.168.1.20", []string{at("8.8.8.8", 5000)}, 0},
		{"a_service_of_its_own", "192.168.1.20", []string{at("192.168.1.20", 53)}, 0},
		{"loopback", "127.0.0.1", []string{at("127.0.0.1", 5000)}, 0},
		{"loopback_from_elsewhere", "192.168.1.20", []string{at("127.0.0.1", 5000), at("169.254.169.254", 8000), at("0.0.0.0", 5000), at("224.0.0.251", 5353)}, 0},
		{"a_hidden_name", "192.168.1.20", []string{at("0d2cbd38-6a68-4dd7-9f0d-5d6e0c6fbb43.local", 5000)}, 0},
		{"tcp", "192.168.1.20", []string{"1 1 tcp 1518280447 192.168.1.20 5000 typ host tcptype passive"}, 0},
		{"many", "192.168.1.20", many, keptCandidates},
		{"nobody", "", []string{at("192.168.1.20", 5000)}, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			o, err := readOffer(offerWith(row.offered...))
			if err != nil {
				t.Fatal(err)
			}
			o.filterCandidates(addressOf(row.own))
			raw, err := o.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(raw), "a=candidate:"); got != row.kept {
				t.Errorf("%d candidates are kept, want %d:\n%s", got, row.kept, raw)
			}
		})
	}
}

// BenchmarkGate measures the cost of the gate per packet of a speaking guest.
func BenchmarkGate(b *testing.B) {
	here := netip.MustParseAddrPort("192.0.2.7:4000")
	g := newConnLimiter([]uint32{7}, func(string) {})
	g.found(here)
	for _, l := range append(g.kinds[:], g.bytes) {
		l.SetLimit(rate.Inf)
	}
	p := rtpPacket(7)
	b.ReportAllocs()
	for b.Loop() {
		g.pass(p, here)
	}
}
