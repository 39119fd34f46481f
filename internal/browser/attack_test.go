package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/browser"
	"github.com/MrWong99/glyphoxa/internal/browser/visitor"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// attacker has joined with a program of their own.
type attacker struct {
	t       *testing.T
	pc      *webrtc.PeerConnection
	channel *webrtc.DataChannel
	open    chan struct{}
	over    chan struct{} // closed when the connection is, or the table has said goodbye
	ended   sync.Once
	reason  atomic.Pointer[string] // of the goodbye
	writer  atomic.Pointer[webrtc.TrackLocalWriter]
}

// Bind implements [webrtc.TrackLocal]: it keeps what sends packets as they are.
func (a *attacker) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	w := c.WriteStream()
	a.writer.Store(&w)
	return c.CodecParameters()[0], nil
}
func (a *attacker) Unbind(webrtc.TrackLocalContext) error { return nil }
func (a *attacker) ID() string                            { return "microphone" }
func (a *attacker) RID() string                           { return "" }
func (a *attacker) StreamID() string                      { return "attacker" }
func (a *attacker) Kind() webrtc.RTPCodecType             { return webrtc.RTPCodecTypeAudio }

// attack has an attacker join, with an offer that change has changed.
func (b *setting) attack(change func(string) string) *attacker {
	b.t.Helper()
	a := &attacker{t: b.t, open: make(chan struct{}), over: make(chan struct{})}
	var m webrtc.MediaEngine
	if err := m.RegisterDefaultCodecs(); err != nil {
		b.t.Fatal(err)
	}
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	s.SetInterfaceFilter(func(name string) bool { return name == "lo" || name == "lo0" })
	var err error
	a.pc, err = webrtc.NewAPI(webrtc.WithMediaEngine(&m), webrtc.WithSettingEngine(s), webrtc.WithInterceptorRegistry(&interceptor.Registry{})).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = a.pc.GracefulClose() })
	a.pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed || s == webrtc.PeerConnectionStateDisconnected {
			a.ended.Do(func() { close(a.over) })
		}
	})
	if _, err := a.pc.AddTransceiverFromTrack(a, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendrecv}); err != nil {
		b.t.Fatal(err)
	}
	if a.channel, err = a.pc.CreateDataChannel("table", nil); err != nil {
		b.t.Fatal(err)
	}
	a.channel.OnOpen(func() { close(a.open) })
	a.channel.OnMessage(func(m webrtc.DataChannelMessage) {
		var told visitor.Message
		if json.Unmarshal(m.Data, &told) == nil && told.Type == "bye" {
			a.reason.Store(&told.Reason)
			a.ended.Do(func() { close(a.over) })
		}
	})
	offer, err := a.pc.CreateOffer(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	gathered := webrtc.GatheringCompletePromise(a.pc)
	if err := a.pc.SetLocalDescription(offer); err != nil {
		b.t.Fatal(err)
	}
	<-gathered
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	body, err := json.Marshal(map[string]any{"invite": b.invite(), "name": "Mallory", "consent": true, "offer": change(a.pc.LocalDescription().SDP)})
	if err != nil {
		b.t.Fatal(err)
	}
	var in visitor.Joined
	if err := visitor.Post(ctx, b.url+"join", body, &in); err != nil {
		b.t.Fatal(err)
	}
	if err := a.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: in.Answer}); err != nil {
		b.t.Fatal(err)
	}
	return a
}

// connected waits until messages can be sent.
func (a *attacker) connected() {
	a.t.Helper()
	select {
	case <-a.open:
	case <-time.After(patience):
		a.t.Fatal("the attacker does not connect")
	}
}

// sound sends a packet of sound of a source.
func (a *attacker) sound(source uint32, n int) {
	w := a.writer.Load()
	if w == nil {
		a.t.Error("the attacker cannot send sound")
		return
	}
	h := rtp.Header{Version: 2, PayloadType: 111, SSRC: source, SequenceNumber: uint16(n), Timestamp: uint32(n) * 960}
	_, _ = (*w).WriteRTP(&h, []byte{0xf8, 0xff, 0xfe, byte(n), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) // what is closed needs none
}

// isOver reports whether the attacker was ended.
func (a *attacker) isOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// watched is the most goroutines and heap while something is done.
type watched struct {
	goroutines int
	heap       uint64
}

// watch measures from now on, until the function it returns is called.
func watch() (stop func() watched) {
	var most watched
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
			case <-done:
				return
			}
			most.goroutines = max(most.goroutines, runtime.NumGoroutine())
			if n%10 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.heap = max(most.heap, m.HeapAlloc)
			}
		}
	}()
	return func() watched {
		close(done)
		<-ended
		return most
	}
}

var sourceLines = regexp.MustCompile(`a=ssrc[^\r]*\r\n`)

func unchanged(offer string) string { return offer }

// unnamed takes the sources of sound out of an offer.
func unnamed(offer string) string { return sourceLines.ReplaceAllString(offer, "") }

// TestAttacksThroughWebRTC: a guest whose program floods the connection below HTTP takes little
// memory and few goroutines, is ended and told so, the game master is told, and the other guest
// is answered as before.
func TestAttacksThroughWebRTC(t *testing.T) {
	const many = 6000
	sources := func(a *attacker) {
		for i := 0; i < many && !a.isOver(); i++ {
			a.sound(uint32(0x10000+i), i)
			if i%20 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	rows := []struct {
		name    string
		change  func(string) string
		network browser.Network
		attack  func(*attacker)
		own     int // goroutines that the attacker's own end may take
	}{
		{name: "sources_that_no_offer_names", change: unnamed, attack: sources},
		{name: "sources_beside_the_named_one", change: unchanged, attack: sources},
		{name: "sources_on_a_shared_port", change: unnamed, network: browser.Network{Port: freePort(t)}, attack: sources},
		{name: "reports_about_many_sources", change: unchanged, attack: func(a *attacker) {
			for i := 0; i < many && !a.isOver(); i += 40 {
				var all []rtcp.Packet
				for n := range 40 {
					all = append(all, &rtcp.PictureLossIndication{SenderSSRC: 1, MediaSSRC: uint32(0x10000 + i + n)})
				}
				if a.pc.WriteRTCP(all) != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}},
		{name: "packets", change: unchanged, attack: func(a *attacker) {
			source := uint32(a.pc.GetSenders()[0].GetParameters().Encodings[0].SSRC)
			for i := 0; i < 200*many && !a.isOver(); i++ {
				a.sound(source, i)
			}
		}},
		{name: "channels", change: unchanged, own: 4000, attack: func(a *attacker) {
			for i := 0; i < 1000 && !a.isOver(); i++ {
				if _, err := a.pc.CreateDataChannel(fmt.Sprintf("table%d", i), nil); err != nil {
					return
				}
			}
		}},
		{name: "messages", change: unchanged, attack: func(a *attacker) {
			for i := 0; i < many && !a.isOver(); i++ {
				if a.channel.SendText(`{"type":"say","text":"Bartok, and what of this?"}`) != nil {
					return
				}
			}
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, setup{answer: "Welcome to the Flagon.", voiceless: true, options: browser.Options{Network: row.network}})
			ben := b.enter("Ben")
			a := b.attack(row.change)
			a.connected()
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			base, stop := runtime.NumGoroutine(), watch()
			row.attack(a)
			select {
			case <-a.over:
			case <-time.After(patience):
				t.Error("the attacker is still at the table")
			}
			most := stop()
			t.Logf("goroutines %d, at most %d; heap %d kB, at most %d kB", base, most.goroutines, before.HeapAlloc>>10, most.heap>>10)
			if most.goroutines > base+50+row.own {
				t.Errorf("%d goroutines became %d", base, most.goroutines)
			}
			if most.heap > before.HeapAlloc+64<<20 {
				t.Errorf("%d MB of heap became %d MB", before.HeapAlloc>>20, most.heap>>20)
			}
			if why := a.reason.Load(); why == nil || !strings.Contains(*why, "more than this table takes") {
				t.Errorf("the attacker was told %v", why)
			}
			b.awaitEvent("the notice to the game master", func(e table.Event) bool {
				n, ok := e.(*table.Notice)
				return ok && strings.Contains(n.Text, "Mallory")
			})
			if err := ben.Send(map[string]string{"type": "say", "text": "Bartok, a room for the night."}); err != nil {
				t.Fatal(err)
			}
			asked := ben.awaitMessage("Ben's line", func(m visitor.Message) bool { return m.Type == "line" && m.Speaker == "Ben" })
			ben.awaitMessage("the answer to it", func(m visitor.Message) bool {
				return m.Type == "line" && m.NPC && m.Final && strings.TrimPrefix(m.ID, "t") == strings.TrimPrefix(asked.ID, "u")
			})
			if got := b.room.Guests(); slices.Contains(got, "Mallory") && len(got) > 2 {
				t.Errorf("guests are %v", got)
			}
		})
	}
}

// freePort is a UDP port that nothing has.
func freePort(t *testing.T) uint16 {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return uint16(c.LocalAddr().(*net.UDPAddr).Port)
}

// TestChecksGoNowhereElse: an offer that names other machines' ports as the guest's has nothing
// sent there, and the guest is found all the same.
func TestChecksGoNowhereElse(t *testing.T) {
	b := open(t, setup{answer: "Hello.", voiceless: true})
	victim, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	port := victim.LocalAddr().(*net.UDPAddr).Port
	candidate := regexp.MustCompile(`a=candidate:[^\r]*\r\n`)
	a := b.attack(func(offer string) string {
		offer = candidate.ReplaceAllString(offer, "")
		var all strings.Builder
		for i := range 60 {
			fmt.Fprintf(&all, "a=candidate:%d 1 udp %d 127.0.0.1 %d typ host\r\n", i, 2130706431-i, port)
		}
		return strings.Replace(offer, "a=ice-ufrag:", all.String()+"a=ice-ufrag:", 1)
	})
	a.connected()
	if err := victim.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, from, err := victim.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("%d bytes came from %v", n, from)
	}
}
