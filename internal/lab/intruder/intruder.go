// Package intruder joins a table in browsers with its own client, which sends
// what no page would: sound of any number of sources, reports about them,
// channels and messages. It is for tests.
package intruder

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
)

// Intruder is a participant at a table. One goroutine calls its methods.
type Intruder struct {
	pc      *webrtc.PeerConnection
	channel *webrtc.DataChannel
	open    chan struct{}
	over    chan struct{} // closed when the connection ends, or the table has said goodbye
	ended   sync.Once
	reason  atomic.Pointer[string] // of the goodbye
	writer  atomic.Pointer[webrtc.TrackLocalWriter]
}

// microphone sends packets unchanged. It implements [webrtc.TrackLocal].
type microphone struct{ *Intruder }

func (m microphone) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	w := c.WriteStream()
	m.writer.Store(&w)
	return c.CodecParameters()[0], nil
}
func (microphone) Unbind(webrtc.TrackLocalContext) error { return nil }
func (microphone) ID() string                            { return "microphone" }
func (microphone) RID() string                           { return "" }
func (microphone) StreamID() string                      { return "intruder" }
func (microphone) Kind() webrtc.RTPCodecType             { return webrtc.RTPCodecTypeAudio }

var (
	sourceLines    = regexp.MustCompile(`a=ssrc[^\r]*\r\n`)
	candidateLines = regexp.MustCompile(`a=candidate:[^\r]*\r\n`)
)

// Unchanged leaves an offer unchanged.
func Unchanged(offer string) string { return offer }

// Unnamed removes the sound sources from an offer.
func Unnamed(offer string) string { return sourceLines.ReplaceAllString(offer, "") }

// WithCandidates replaces the candidates of an offer with these.
func WithCandidates(lines string) func(string) string {
	return func(offer string) string {
		i := candidateLines.FindStringIndex(offer)
		return offer[:i[0]] + lines + candidateLines.ReplaceAllString(offer[i[0]:], "")
	}
}

// Join joins the table at url, such as http://127.0.0.1:8787/table/, with an
// offer edited by change, and returns once messages can be sent.
func Join(ctx context.Context, url, invite, name string, change func(string) string) (_ *Intruder, err error) {
	a := &Intruder{open: make(chan struct{}), over: make(chan struct{})}
	var m webrtc.MediaEngine
	if err := m.RegisterDefaultCodecs(); err != nil {
		return nil, err
	}
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	s.SetInterfaceFilter(func(name string) bool { return name == "lo" || name == "lo0" })
	api := webrtc.NewAPI(webrtc.WithMediaEngine(&m), webrtc.WithSettingEngine(s), webrtc.WithInterceptorRegistry(&interceptor.Registry{}))
	if a.pc, err = api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	a.pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s >= webrtc.PeerConnectionStateDisconnected {
			a.end()
		}
	})
	if _, err := a.pc.AddTransceiverFromTrack(microphone{a}, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendrecv}); err != nil {
		return nil, err
	}
	if a.channel, err = a.pc.CreateDataChannel("table", nil); err != nil {
		return nil, err
	}
	a.channel.OnOpen(func() { close(a.open) })
	a.channel.OnMessage(func(m webrtc.DataChannelMessage) {
		var told visitor.Message
		if json.Unmarshal(m.Data, &told) == nil && told.Type == "bye" {
			a.reason.Store(&told.Reason)
			a.end()
		}
	})
	offer, err := a.pc.CreateOffer(nil)
	if err != nil {
		return nil, err
	}
	gathered := webrtc.GatheringCompletePromise(a.pc)
	if err := a.pc.SetLocalDescription(offer); err != nil {
		return nil, err
	}
	<-gathered
	body, err := json.Marshal(map[string]any{"invite": invite, "name": name, "consent": true, "offer": change(a.pc.LocalDescription().SDP)})
	if err != nil {
		return nil, err
	}
	var in visitor.Joined
	if err := visitor.Post(ctx, url+"join", body, &in); err != nil {
		return nil, err
	}
	if err := a.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: in.Answer}); err != nil {
		return nil, err
	}
	select {
	case <-a.open:
		return a, nil
	case <-a.over:
		return nil, errors.New("the connection ended before it was there")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *Intruder) end() { a.ended.Do(func() { close(a.over) }) }

// Sound sends packet number n of a sound source.
func (a *Intruder) Sound(source uint32, n int) error {
	w := a.writer.Load()
	if w == nil {
		return errors.New("there is no microphone")
	}
	h := rtp.Header{Version: 2, PayloadType: 111, SSRC: source, SequenceNumber: uint16(n), Timestamp: uint32(n) * 960}
	_, err := (*w).WriteRTP(&h, []byte{0xf8, 0xff, 0xfe, byte(n), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	return err
}

// Source returns the source named in the offer.
func (a *Intruder) Source() uint32 {
	return uint32(a.pc.GetSenders()[0].GetParameters().Encodings[0].SSRC)
}

// Report sends a report about sources.
func (a *Intruder) Report(sources ...uint32) error {
	var all []rtcp.Packet
	for _, s := range sources {
		all = append(all, &rtcp.PictureLossIndication{SenderSSRC: 1, MediaSSRC: s})
	}
	return a.pc.WriteRTCP(all)
}

// OpenChannel opens another data channel.
func (a *Intruder) OpenChannel(label string) error {
	_, err := a.pc.CreateDataChannel(label, nil)
	return err
}

// Send sends a message.
func (a *Intruder) Send(text string) error { return a.channel.SendText(text) }

// Over is closed when the connection ends, or the table has said goodbye.
func (a *Intruder) Over() <-chan struct{} { return a.over }

// IsOver reports whether Over is closed.
func (a *Intruder) IsOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// Reason returns the table's goodbye, or "".
func (a *Intruder) Reason() string {
	if why := a.reason.Load(); why != nil {
		return *why
	}
	return ""
}

// Close leaves the table.
func (a *Intruder) Close() error { return a.pc.GracefulClose() }
