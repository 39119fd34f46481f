package voice_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// told is the address discovery as the server saw it.
type told struct {
	request, alive bool
}

// answerDiscovery answers requests until the socket is closed.
func answerDiscovery(socket *net.UDPConn) (got told) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return got
		}
		if _, ok := voice.ParseKeepAlive(buffer[:n]); ok {
			got.alive = true
			_, _ = socket.WriteToUDPAddrPort(buffer[:n], from)
			continue
		}
		d, err := voice.ParseDiscovery(buffer[:n])
		if err != nil || d.SSRC != 42 || d.Addr.IsValid() {
			continue
		}
		got.request = true
		d.Addr = netip.MustParseAddrPort("203.0.113.7:50004")
		_, _ = socket.WriteToUDPAddrPort(d.Append(nil), from) // a client without an answer times out and fails the test
	}
}

// TestPeers exchanges packets with an independent client.
func TestPeers(t *testing.T) {
	node := peers.Node(t)
	script := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(peers.File(t, "@discordjs/voice/package.json"))))), "rtp.mjs")
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan told, 1)
	go func() { served <- answerDiscovery(socket) }() // ends with the socket, below
	speech := bytes.Repeat([]byte("opus"), 40)
	headers := []voice.Header{
		{PayloadType: voice.PayloadType, Sequence: 1, Timestamp: 960, SSRC: 42},
		{PayloadType: voice.PayloadType, Sequence: 2, SSRC: 42, Padding: 9},
		{PayloadType: voice.PayloadType, Sequence: 3, SSRC: 42, Extended: true, Profile: 0xbede, Extension: []byte("\x10\xff\x00\x00abcd")},
		{PayloadType: voice.PayloadType, Sequence: 4, SSRC: 42, Extended: true, Profile: 0xbede, Extension: []byte("\x10\xff\x00\x00"), Padding: 4},
	}
	type opened struct {
		Packet string `json:"packet"`
		Clear  int    `json:"clear"`
	}
	type sealed struct {
		Clear string `json:"clear"`
		Body  string `json:"body"`
	}
	open := map[string][]opened{}
	var received []string
	var seal []sealed
	for _, mode := range modes {
		s, _ := rtpPair(t, mode)
		for _, h := range headers {
			packet, err := s.Seal(nil, h, speech)
			if err != nil {
				t.Fatal(err)
			}
			head := 12
			if h.Extended {
				head += 4
			}
			open[mode] = append(open[mode], opened{Packet: hex.EncodeToString(packet), Clear: head})
			if mode == voice.AES256GCM {
				received = append(received, hex.EncodeToString(packet))
				seal = append(seal, sealed{Clear: hex.EncodeToString(packet[:head]), Body: hex.EncodeToString(body(h, speech))})
			}
		}
	}
	work, err := json.Marshal(map[string]any{"key": hex.EncodeToString(key()), "payload": hex.EncodeToString(speech), "open": open, "received": received, "seal": seal})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script, strconv.Itoa(socket.LocalAddr().(*net.UDPAddr).Port))
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(work), os.Stderr, 10*time.Second
	out, err := cmd.Output()
	_ = socket.Close() // stops answerDiscovery
	if got := <-served; !got.request || !got.alive {
		t.Errorf("the server was told %+v", got)
	}
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Discovered struct {
			IP   string `json:"ip"`
			Port int    `json:"port"`
		} `json:"discovered"`
		Sent     string              `json:"sent"`
		Received []string            `json:"received"`
		Sealed   map[string][]string `json:"sealed"`
		Opened   map[string][]string `json:"opened"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if said.Discovered.IP != "203.0.113.7" || said.Discovered.Port != 50004 {
		t.Errorf("the peer discovered %+v", said.Discovered)
	}
	if got := strings.Join(said.Received, " "); got != strings.TrimSpace(strings.Repeat(hex.EncodeToString(speech)+" ", len(headers))) {
		t.Errorf("@discordjs/voice received %s", got)
	}
	_, o := rtpPair(t, voice.AES256GCM)
	wantOpen(t, o, said.Sent, voice.Header{PayloadType: voice.PayloadType, Sequence: 7, Timestamp: 960, SSRC: 42}, speech)
	for _, mode := range modes {
		_, o := rtpPair(t, mode)
		if len(said.Sealed[mode]) != len(headers) || len(said.Opened[mode]) != len(headers) {
			t.Fatalf("%s: %d sealed, %d opened", mode, len(said.Sealed[mode]), len(said.Opened[mode]))
		}
		for i, h := range headers {
			wantOpen(t, o, said.Sealed[mode][i], h, speech)
			if want := hex.EncodeToString(body(h, speech)); said.Opened[mode][i] != want {
				t.Errorf("%s: the peer opened %s, want %s", mode, said.Opened[mode][i], want)
			}
		}
	}
}

// body returns the encrypted part of a packet.
func body(h voice.Header, payload []byte) []byte {
	b := append(bytes.Clone(h.Extension), payload...)
	if h.Padding > 0 {
		b = append(append(b, make([]byte, h.Padding-1)...), h.Padding)
	}
	return b
}

func wantOpen(t *testing.T, o *voice.Opener, packet string, want voice.Header, payload []byte) {
	t.Helper()
	raw, err := hex.DecodeString(packet)
	if err != nil {
		t.Fatal(err)
	}
	h, got, err := o.Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	if h.Sequence != want.Sequence || h.Timestamp != want.Timestamp || h.SSRC != want.SSRC || h.Padding != want.Padding || !bytes.Equal(h.Extension, want.Extension) || !bytes.Equal(got, payload) {
		t.Errorf("the peer's packet reads %+v, %x", h, got)
	}
}
