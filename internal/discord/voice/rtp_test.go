package voice_test

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

var modes = []string{voice.AES256GCM, voice.XChaCha20Poly1305}

func key() []byte {
	k := make([]byte, voice.KeySize)
	for i := range k {
		k[i] = byte(3 * i)
	}
	return k
}

// rtpPair returns both ends of a connection.
func rtpPair(t testing.TB, mode string) (*voice.Sealer, *voice.Opener) {
	t.Helper()
	s, err := voice.NewSealer(mode, key())
	if err != nil {
		t.Fatal(err)
	}
	o, err := voice.NewOpener(mode, key())
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

func TestSealAndOpen(t *testing.T) {
	speech := bytes.Repeat([]byte("opus"), 40)
	tests := []struct {
		name    string
		h       voice.Header
		payload []byte
	}{
		{name: "plain", h: voice.Header{PayloadType: voice.PayloadType, Sequence: 7, Timestamp: 960, SSRC: 42}, payload: speech},
		{name: "silence_at_the_end_of_all_counters", h: voice.Header{PayloadType: voice.PayloadType, Marker: true, Sequence: 0xffff, Timestamp: 0xffffffff, SSRC: 0xffffffff}, payload: []byte(voice.Silence)},
		{name: "padding", h: voice.Header{PayloadType: voice.PayloadType, Padding: 5}, payload: speech},
		{name: "most_padding", h: voice.Header{PayloadType: voice.PayloadType, Padding: 255}, payload: speech},
		{name: "nothing_but_padding", h: voice.Header{PayloadType: voice.PayloadType, Padding: 1}},
		{name: "extension", h: voice.Header{PayloadType: voice.PayloadType, Extended: true, Profile: 0xbede, Extension: []byte("\x32ab\x00\x10\xff\x00\x00")}, payload: speech},
		{name: "extension_without_body", h: voice.Header{PayloadType: voice.PayloadType, Extended: true, Profile: 0xbede}, payload: speech},
		{name: "extension_and_padding", h: voice.Header{PayloadType: voice.PayloadType, Extended: true, Profile: 0xbede, Extension: []byte("abcd"), Padding: 3}, payload: speech},
		{name: "contributing_sources", h: voice.Header{PayloadType: voice.PayloadType, CSRC: bytes.Repeat([]byte{1, 2, 3, 4}, 15), Extended: true, Profile: 1, Extension: []byte("abcd"), Padding: 4}, payload: speech},
		{name: "video", h: voice.Header{PayloadType: 101}, payload: speech},
		{name: "empty", h: voice.Header{PayloadType: voice.PayloadType}},
	}
	for _, mode := range modes {
		s, o := rtpPair(t, mode)
		for _, tt := range tests {
			t.Run(mode+"/"+tt.name, func(t *testing.T) {
				packet, err := s.Seal([]byte("before"), tt.h, tt.payload)
				if err != nil {
					t.Fatal(err)
				}
				packet, ok := bytes.CutPrefix(packet, []byte("before"))
				if !ok {
					t.Fatal("what stood in front is gone")
				}
				if want := len(tt.payload) + len(tt.h.CSRC) + len(tt.h.Extension) + int(tt.h.Padding) + voice.Overhead; len(packet) != want && !tt.h.Extended || tt.h.Extended && len(packet) != want+4 {
					t.Errorf("packet has %d bytes, want %d and 4 of an extension", len(packet), want)
				}
				if len(tt.payload) > 8 && bytes.Contains(packet, tt.payload[:8]) {
					t.Error("the payload is in the clear")
				}
				seen, err := voice.Parse(packet)
				if err != nil {
					t.Fatal(err)
				}
				if seen.SSRC != tt.h.SSRC || seen.PayloadType != tt.h.PayloadType || seen.Sequence != tt.h.Sequence {
					t.Errorf("before it is opened it reads %+v", seen)
				}
				h, payload, err := o.Open(packet)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.h, h); d != "" {
					t.Errorf("header (-sealed +opened):\n%s", d)
				}
				if !bytes.Equal(payload, tt.payload) {
					t.Errorf("payload = %q, want %q", payload, tt.payload)
				}
			})
		}
	}
}

// TestEveryByteIsAuthenticated changes each byte of a packet in turn.
func TestEveryByteIsAuthenticated(t *testing.T) {
	for _, mode := range modes {
		s, o := rtpPair(t, mode)
		packet, err := s.Seal(nil, voice.Header{PayloadType: voice.PayloadType, SSRC: 9, Extended: true, Profile: 0xbede, Extension: []byte("abcd"), Padding: 2}, []byte("opus"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range packet {
			changed := slices.Clone(packet)
			changed[i] ^= 4
			if _, _, err := o.Open(changed); err == nil {
				t.Errorf("%s: byte %d may be changed", mode, i)
			}
		}
		for n := range packet {
			if _, _, err := o.Open(slices.Clone(packet[:n])); err == nil {
				t.Errorf("%s: %d of %d bytes are enough", mode, n, len(packet))
			}
		}
		if _, _, err := o.Open(packet); err != nil {
			t.Errorf("%s: unchanged: %v", mode, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	s, o := rtpPair(t, voice.AES256GCM)
	seal := func(h voice.Header, payload string) []byte {
		packet, err := s.Seal(nil, h, []byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		return packet
	}
	// flagged seals a body whose header announces parts that the body lacks.
	flagged := func(first byte, h voice.Header, body string) []byte {
		s, err := voice.NewSealerUnchecked(voice.AES256GCM, key(), first)
		if err != nil {
			t.Fatal(err)
		}
		return s(h, []byte(body))
	}
	report := seal(voice.Header{}, "report")
	report[1] = 201
	tests := []struct {
		name   string
		packet []byte
		want   error
	}{
		{name: "nothing", want: voice.ErrNotRTP},
		{name: "keep_alive", packet: voice.AppendKeepAlive(nil, 1), want: voice.ErrNotRTP},
		{name: "discovery", packet: voice.Discovery{SSRC: 1}.Append(nil), want: voice.ErrNotRTP},
		{name: "report", packet: report, want: voice.ErrNotRTP},
		{name: "sources_missing", packet: []byte("\x81\x78aabbbbcccc"), want: voice.ErrShort},
		{name: "extension_missing", packet: []byte("\x90\x78aabbbbccccd"), want: voice.ErrShort},
		{name: "no_tag", packet: []byte("\x80\x78aabbbbccccdddd"), want: voice.ErrShort},
		{name: "padding_of_no_length", packet: flagged(0x20, voice.Header{}, "opus\x00"), want: voice.ErrPadding},
		{name: "padding_too_long", packet: flagged(0x20, voice.Header{}, "opus\x06"), want: voice.ErrPadding},
		{name: "padding_of_nothing", packet: flagged(0x20, voice.Header{}, ""), want: voice.ErrPadding},
		{name: "padding_into_extension", packet: flagged(0x20, voice.Header{Extended: true, Extension: []byte("abcd")}, "\x02"), want: voice.ErrShort},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := o.Open(tt.packet); !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSealRefuses(t *testing.T) {
	s, _ := rtpPair(t, voice.AES256GCM)
	for name, h := range map[string]voice.Header{
		"half_a_source":     {CSRC: []byte{1, 2}},
		"too_many_sources":  {CSRC: make([]byte, 64)},
		"half_a_word":       {Extended: true, Extension: []byte{1}},
		"hidden_extension":  {Extension: make([]byte, 4)},
		"endless_extension": {Extended: true, Extension: make([]byte, 4<<16)},
	} {
		if _, err := s.Seal(nil, h, nil); err == nil {
			t.Errorf("%s was sealed", name)
		}
	}
	if _, err := voice.NewSealer("xsalsa20_poly1305", key()); err == nil {
		t.Error("an unknown mode is taken")
	}
	if _, err := voice.NewOpener(voice.AES256GCM, key()[:16]); err == nil || strings.Contains(err.Error(), "\x03") {
		t.Errorf("a short key: %v", err)
	}
}

func TestCounterIsNotUsedTwice(t *testing.T) {
	for _, mode := range modes {
		s, _ := rtpPair(t, mode)
		seen := map[string]bool{}
		for range 300 {
			packet, err := s.Seal(nil, voice.Header{}, []byte("same"))
			if err != nil {
				t.Fatal(err)
			}
			nonce := string(packet[len(packet)-4:])
			if seen[nonce] {
				t.Fatalf("%s: nonce %x twice", mode, nonce)
			}
			seen[nonce] = true
		}
		voice.Exhaust(s)
		if _, err := s.Seal(nil, voice.Header{}, nil); err != nil {
			t.Errorf("%s: the last packet: %v", mode, err)
		}
		if _, err := s.Seal(nil, voice.Header{}, nil); !errors.Is(err, voice.ErrExhausted) {
			t.Errorf("%s: one more: %v", mode, err)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		offered []string
		want    string
	}{
		{offered: []string{"x", voice.XChaCha20Poly1305, voice.AES256GCM}, want: voice.AES256GCM},
		{offered: []string{voice.XChaCha20Poly1305}, want: voice.XChaCha20Poly1305},
		{offered: []string{"xsalsa20_poly1305"}},
	} {
		if got, ok := voice.Choose(tt.offered); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Choose(%q) = %q, %t", tt.offered, got, ok)
		}
	}
}

func TestDiscovery(t *testing.T) {
	for _, addr := range []string{"", "203.0.113.7:50004", "[2001:db8::1]:65535", "[::ffff:203.0.113.7]:1"} {
		want := voice.Discovery{SSRC: 0x01020304}
		if addr != "" {
			want.Addr = netip.MustParseAddrPort(addr)
		}
		packet := want.Append(nil)
		if len(packet) != voice.DiscoverySize {
			t.Errorf("%s: %d bytes", addr, len(packet))
		}
		got, err := voice.ParseDiscovery(packet)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", addr, got, err)
		}
	}
	answer := voice.Discovery{SSRC: 1, Addr: netip.MustParseAddrPort("203.0.113.7:5")}.Append(nil)
	change := func(at int, b ...byte) []byte {
		p := slices.Clone(answer)
		copy(p[at:], b)
		return p
	}
	for name, packet := range map[string][]byte{
		"short": answer[:73], "long": append(slices.Clone(answer), 0), "kind": change(1, 3), "length": change(3, 71),
		"no_address": change(8, make([]byte, 64)...), "endless_address": change(8, bytes.Repeat([]byte("1"), 64)...), "no_port": change(72, 0, 0),
	} {
		if got, err := voice.ParseDiscovery(packet); err == nil {
			t.Errorf("%s reads %+v", name, got)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	packet := voice.AppendKeepAlive(nil, 0x01020304)
	if !bytes.Equal(packet, []byte{4, 3, 2, 1, 0, 0, 0, 0}) {
		t.Errorf("packet = %x", packet)
	}
	if n, ok := voice.ParseKeepAlive(packet); n != 0x01020304 || !ok {
		t.Errorf("reads %x, %t", n, ok)
	}
	if _, ok := voice.ParseKeepAlive(packet[:7]); ok {
		t.Error("7 bytes are a keep-alive")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, mode := range modes {
		s, o := rtpPair(t, mode)
		payload, buffer := make([]byte, 160), make([]byte, 0, 160+voice.Overhead)
		if n := testing.AllocsPerRun(100, func() {
			packet, err := s.Seal(buffer, voice.Header{PayloadType: voice.PayloadType}, payload)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := o.Open(packet); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a packet", mode, n)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, mode := range modes {
		s, _ := rtpPair(f, mode)
		packet, err := s.Seal(nil, voice.Header{PayloadType: voice.PayloadType, CSRC: make([]byte, 4), Extended: true, Extension: []byte("abcd"), Padding: 2}, []byte("opus"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packet, packet[20:40])
	}
	f.Fuzz(func(t *testing.T, packet, body []byte) {
		for _, mode := range modes {
			s, o := rtpPair(t, mode)
			_, _, _ = o.Open(slices.Clone(packet))
			// The same header over a body that decrypts.
			sealed, ok := voice.SealUnder(s, packet, body)
			if !ok {
				continue
			}
			h, payload, err := o.Open(sealed)
			if err != nil {
				if errors.Is(err, voice.ErrSealed) {
					t.Fatal(err)
				}
				continue
			}
			if len(payload)+len(h.Extension)+int(h.Padding) != len(body) {
				t.Fatalf("%d bytes became %d, %d of extension and %d of padding", len(body), len(payload), len(h.Extension), h.Padding)
			}
		}
	})
}

func FuzzParseDiscovery(f *testing.F) {
	f.Add(voice.Discovery{SSRC: 1, Addr: netip.MustParseAddrPort("[2001:db8::1%eth0]:7")}.Append(nil))
	f.Add(voice.Discovery{SSRC: 1}.Append(nil))
	f.Fuzz(func(t *testing.T, packet []byte) {
		d, err := voice.ParseDiscovery(packet)
		if err != nil {
			return
		}
		d.Addr = netip.AddrPortFrom(d.Addr.Addr().WithZone(""), d.Addr.Port())
		if again, err := voice.ParseDiscovery(d.Append(nil)); err != nil || again != d {
			t.Errorf("%+v became %+v, %v", d, again, err)
		}
	})
}

func BenchmarkSealAndOpen(b *testing.B) {
	for _, mode := range modes {
		b.Run(mode, func(b *testing.B) {
			s, o := rtpPair(b, mode)
			payload, buffer := make([]byte, 160), make([]byte, 0, 160+voice.Overhead)
			b.ReportAllocs()
			for b.Loop() {
				packet, err := s.Seal(buffer, voice.Header{PayloadType: voice.PayloadType}, payload)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := o.Open(packet); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
