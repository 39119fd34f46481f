// Package visitor joins a table in browsers like a page, but is a program: it
// sends given sound, and passes on received sound. It is for tests and
// measurements.
//
// A Visitor has its own goroutines, for which Close waits.
package visitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// slots is the number of other players a page hears at once.
const slots = 4

// level is the header extension with a packet's loudness.
const level = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"

// Options configure a visitor.
type Options struct {
	// Table is the address of the table, such as http://127.0.0.1:8787/table/.
	Table string
	// Invite is the link's invite, and Seat the seat of an earlier join, or
	// empty.
	Invite, Name, Seat string
	// Withhold leaves out the player's consent.
	Withhold bool
	// Deaf joins without a microphone.
	Deaf bool
	// Relay sends everything through the table's TURN servers, as in networks
	// that block the rest.
	Relay bool
	// Socket carries all traffic and is closed with the visitor; nil means new
	// sockets.
	Socket net.PacketConn
	// Offer, if not nil, changes the offer before it is sent.
	Offer func(string) string
	// Opus encodes speech; if nil, the visitor cannot speak.
	Opus *opus.Library
	// Heard receives packets: stream 0 is the NPCs, others are players. Each
	// stream calls it from its own goroutine. If nil, packets are dropped.
	Heard func(stream int, p *rtp.Packet)
	// Told receives messages, in order. If nil, they are dropped.
	Told func(Message)
}

// Message is a message from the table to a page.
type Message struct {
	Type      string                  `json:"type"`
	ID        string                  `json:"id"`
	Speaker   string                  `json:"speaker"`
	NPC       bool                    `json:"npc"`
	Text      string                  `json:"text"`
	Final     bool                    `json:"final"`
	Addressed []string                `json:"addressed"`
	Who       string                  `json:"who"`
	On        bool                    `json:"on"`
	Reason    string                  `json:"reason"`
	You       string                  `json:"you"`
	Players   []Player                `json:"players"`
	NPCs      []struct{ Name string } `json:"npcs"`
}

// Player is a player at the table.
type Player struct {
	Name  string `json:"name"`
	Muted bool   `json:"muted"`
}

// Joined is the table's answer to a join.
type Joined struct {
	Answer string `json:"answer"`
	Name   string `json:"name"`
	Seat   string `json:"seat"`
	Table  struct {
		Title    string   `json:"title"`
		Language string   `json:"language"`
		Hears    bool     `json:"hears"`
		Players  []string `json:"players"`
	} `json:"table"`
}

// Refused is a negative answer to a join.
type Refused struct {
	Status int
	Text   string
}

func (r *Refused) Error() string { return fmt.Sprintf("refused with %d: %s", r.Status, r.Text) }

// Visitor is a participant at the table.
type Visitor struct {
	Joined

	pc      *webrtc.PeerConnection
	mux     ice.UDPMux // of the given socket, or nil
	channel *webrtc.DataChannel
	voice   *webrtc.TrackLocalStaticRTP
	next    rtp.Header // of sent sound
	encoder opus.Encoder
	payload []byte
	level   uint8 // the extension's number, 0 if there is none; set by Join
	open    chan struct{}
	over    chan struct{} // closed when the connection ends
	ended   sync.Once

	mu      sync.Mutex // guards closing
	closing bool
	readers sync.WaitGroup
}

// Join joins a table and returns when messages can be sent, or an error.
func Join(ctx context.Context, o Options) (_ *Visitor, err error) {
	v := &Visitor{open: make(chan struct{}), over: make(chan struct{})}
	var way webrtc.Configuration
	if o.Relay {
		if way, err = relay(ctx, o); err != nil {
			return nil, err
		}
	}
	if o.Socket != nil {
		v.mux = ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: o.Socket})
	}
	if v.pc, err = newPeer(way, v.mux); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	if err := v.addTracks(o); err != nil {
		return nil, err
	}
	offer, err := v.pc.CreateOffer(nil)
	if err != nil {
		return nil, err
	}
	gathered := webrtc.GatheringCompletePromise(v.pc)
	if err := v.pc.SetLocalDescription(offer); err != nil {
		return nil, err
	}
	select {
	case <-gathered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := v.ask(ctx, o, v.pc.LocalDescription().SDP); err != nil {
		return nil, err
	}
	if err := v.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: v.Answer}); err != nil {
		return nil, fmt.Errorf("taking the answer: %w", err)
	}
	v.noteExtension()
	select {
	case <-v.open:
		return v, nil
	case <-v.over:
		return nil, errors.New("the connection ended before it was there")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// noteExtension records the negotiated extension for loudness.
func (v *Visitor) noteExtension() {
	for _, s := range v.pc.GetSenders() {
		for _, e := range s.GetParameters().HeaderExtensions {
			if e.URI == level {
				v.level = uint8(e.ID)
			}
		}
	}
}

func newPeer(way webrtc.Configuration, mux ice.UDPMux) (*webrtc.PeerConnection, error) {
	var m webrtc.MediaEngine
	codec := webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: audio.SampleRate, Channels: 2}, PayloadType: 109}
	if err := m.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	if err := m.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: level}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	s.SetInterfaceFilter(func(name string) bool { return name == "lo" || name == "lo0" })
	if mux != nil {
		s.SetICEUDPMux(mux)
	}
	api := webrtc.NewAPI(webrtc.WithMediaEngine(&m), webrtc.WithSettingEngine(s), webrtc.WithInterceptorRegistry(&interceptor.Registry{}))
	return api.NewPeerConnection(way)
}

// addTracks adds tracks to the offer, as pages do.
func (v *Visitor) addTracks(o Options) (err error) {
	v.pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed {
			v.ended.Do(func() { close(v.over) })
		}
	})
	v.pc.OnTrack(func(t *webrtc.TrackRemote, from *webrtc.RTPReceiver) { v.begin(func() { v.listen(t, from, o.Heard) }) })
	if o.Deaf {
		_, err = v.pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
	} else {
		if v.voice, err = webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "microphone", "visitor"); err != nil {
			return err
		}
		_, err = v.pc.AddTransceiverFromTrack(v.voice, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendrecv})
	}
	if err != nil {
		return err
	}
	for range slots {
		if _, err := v.pc.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
			return err
		}
	}
	for _, s := range v.pc.GetSenders() {
		v.begin(func() { drain(s) })
	}
	if o.Opus != nil {
		if v.encoder, err = opus.NewEncoder(o.Opus, nil); err != nil {
			return err
		}
	}
	if v.channel, err = v.pc.CreateDataChannel("table", nil); err != nil {
		return err
	}
	v.channel.OnOpen(func() { close(v.open) })
	v.channel.OnMessage(func(m webrtc.DataChannelMessage) {
		var told Message
		if o.Told != nil && json.Unmarshal(m.Data, &told) == nil {
			o.Told(told)
		}
	})
	return nil
}

func drain(s *webrtc.RTPSender) {
	buffer := make([]byte, 1500)
	for {
		if _, _, err := s.Read(buffer); err != nil {
			return
		}
	}
}

// begin starts a goroutine that ends with the connection.
func (v *Visitor) begin(read func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closing {
		v.readers.Go(read)
	}
}

// listen passes on the packets of a stream.
func (v *Visitor) listen(t *webrtc.TrackRemote, from *webrtc.RTPReceiver, heard func(int, *rtp.Packet)) {
	stream := 0
	for i, one := range v.pc.GetTransceivers() {
		if one.Receiver() == from {
			stream = i
		}
	}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		if heard != nil {
			heard(stream, p)
		}
	}
}

// Speak sends 20 ms of sound now, without its loudness, as some browsers do.
func (v *Visitor) Speak(frame *audio.Frame) (err error) {
	if v.payload, err = v.encoder.Encode(v.payload[:0], frame); err != nil {
		return err
	}
	return v.send(v.payload, -1)
}

// SpeakPacket sends 20 ms of encoded sound with its level in dB below full
// scale: 127 is silence. Like Speak it must be called from one goroutine.
func (v *Visitor) SpeakPacket(payload []byte, below uint8) error { return v.send(payload, int(below)) }

// send sends a packet; a negative below leaves out the level.
func (v *Visitor) send(payload []byte, below int) error {
	v.next.Version = 2
	v.next.SequenceNumber++
	v.next.Timestamp += uint32(audio.FrameSamples)
	p := &rtp.Packet{Header: v.next, Payload: payload}
	if below >= 0 && v.level != 0 {
		if err := p.SetExtension(v.level, []byte{byte(min(below, 127))}); err != nil {
			return err
		}
	}
	return v.voice.WriteRTP(p)
}

// SpeakAll sends sound in real time, and then silence of length trail.
func (v *Visitor) SpeakAll(ctx context.Context, sound []int16, trail time.Duration) error {
	sound = append(append([]int16(nil), sound...), make([]int16, int(trail.Seconds()*audio.SampleRate))...)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for due := time.Now(); len(sound) >= audio.FrameSamples; sound = sound[audio.FrameSamples:] {
		if err := v.Speak((*audio.Frame)(sound)); err != nil {
			return err
		}
		due = due.Add(audio.FrameDuration) // a late frame does not delay the next ones
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Send sends a message.
func (v *Visitor) Send(message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return v.channel.SendText(string(raw))
}

// Over is closed when the connection ends.
func (v *Visitor) Over() <-chan struct{} { return v.over }

// Close leaves the table, and waits for all goroutines.
func (v *Visitor) Close() error {
	v.mu.Lock()
	v.closing = true
	v.mu.Unlock()
	err := v.pc.GracefulClose()
	v.readers.Wait()
	if v.mux != nil {
		err = errors.Join(err, v.mux.Close())
	}
	return err
}
