package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/report"
	"github.com/pion/transport/v4/stdnet"
	"github.com/pion/webrtc/v4"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

const (
	sampleRate      = 48000
	samplesPerFrame = 960
	// levelExtension says in each packet how loud it is (RFC 6464).
	levelExtension = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
	// Who is silent on the way for so long is disconnected, and then has left.
	disconnectedAfter, failedAfter = 5 * time.Second, 10 * time.Second
	keepAliveEvery                 = 2 * time.Second
	// gatherTime bounds how long our own addresses are looked for.
	gatherTime = 5 * time.Second
)

// opusCodec is what sound is exchanged in: packets of 20 ms, with copies against loss.
var opusCodec = webrtc.RTPCodecCapability{
	MimeType: webrtc.MimeTypeOpus, ClockRate: sampleRate, Channels: 2, SDPFmtpLine: "minptime=20;useinbandfec=1",
}

// Network says how browsers reach the table. The zero value is for this machine and its
// network.
type Network struct {
	// Servers are the STUN and TURN servers that pages are told to use. If empty, none is.
	Servers []IceServer
	// Port is the one UDP port on which sound comes. If zero, each guest has one of its own,
	// between MinPort and MaxPort if those are set.
	Port, MinPort, MaxPort uint16
	// PublicAddresses are those under which this machine is reached behind a router that
	// passes the ports on, in place of its own. If empty, its own are.
	PublicAddresses []string
}

// IceServer is a STUN or TURN server.
type IceServer struct {
	URLs       []string `json:"urls"`
	Username   string   `json:"username,omitempty"`
	Credential string   `json:"credential,omitempty"`
}

// dialer makes peer connections.
type dialer struct {
	media        *webrtc.MediaEngine
	between      *interceptor.Registry
	shared       webrtc.SettingEngine // what all guests' connections have in common
	certificates []webrtc.Certificate
	mux          ice.UDPMux // nil unless there is one port
}

// newDialer opens what the network takes.
func newDialer(n Network, logs *observe.LibraryLogs) (_ *dialer, err error) {
	var media webrtc.MediaEngine
	codec := webrtc.RTPCodecParameters{RTPCodecCapability: opusCodec, PayloadType: 111}
	if err := media.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	if err := media.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: levelExtension}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	reports, err := report.NewReceiverInterceptor(report.ReceiverInterval(5*time.Second), report.WithReceiverLoggerFactory(pionLogs{logs})) // browsers send more copies where packets are lost
	if err != nil {
		return nil, err
	}
	var between interceptor.Registry
	between.Add(reports)
	d := &dialer{media: &media, between: &between}
	if d.shared, err = d.settings(n, pionLogs{logs}); err != nil {
		return nil, err
	}
	own, err := newCertificate()
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.certificates = []webrtc.Certificate{*own}
	return d, nil
}

func (d *dialer) settings(n Network, logs pionLogs) (s webrtc.SettingEngine, err error) {
	s.LoggerFactory = logs
	s.SetIncludeLoopbackCandidate(true)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // names of others' machines are not looked up
	s.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	s.SetICETimeouts(disconnectedAfter, failedAfter, keepAliveEvery)
	s.SetSCTPMaxReceiveBufferSize(256 << 10)
	s.SetFireOnTrackBeforeFirstRTP(true)
	if len(n.PublicAddresses) > 0 {
		err := s.SetICEAddressRewriteRules(webrtc.ICEAddressRewriteRule{External: n.PublicAddresses, AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace})
		if err != nil {
			return s, fmt.Errorf("browser.public_addresses: %w", err)
		}
	}
	switch {
	case n.Port != 0:
		d.mux, err = ice.NewMultiUDPMuxFromPort(int(n.Port), ice.UDPMuxFromPortWithLoopback(), ice.UDPMuxFromPortWithLogger(logs.NewLogger("ice")))
		if err != nil {
			return s, fmt.Errorf("listening on UDP port %d for the sound of browsers: %w; choose another with browser.udp_port", n.Port, plainError(err))
		}
	case n.MinPort != 0:
		if err := s.SetEphemeralUDPPortRange(n.MinPort, n.MaxPort); err != nil {
			return s, fmt.Errorf("browser.udp_ports: %w", err)
		}
	}
	return s, nil
}

// plainError leaves out the addresses of this machine.
func plainError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}

// close gives the port back, once no connection is left.
func (d *dialer) close() error {
	if d.mux == nil {
		return nil
	}
	return d.mux.Close()
}

// connect makes a connection behind a gate. It has no description yet.
func (d *dialer) connect(g *gate) (*webrtc.PeerConnection, error) {
	s := d.shared
	s.BufferFactory = g.buffer
	s.SetRemoteIPFilter(g.keepAddress)
	if d.mux != nil {
		s.SetICEUDPMux(gatedMux{d.mux, g})
	}
	sockets, err := stdnet.NewNet()
	if err != nil {
		return nil, fmt.Errorf("looking for this machine's network: %w", err)
	}
	s.SetNet(gatedNet{sockets, g})
	api := webrtc.NewAPI(webrtc.WithMediaEngine(d.media), webrtc.WithInterceptorRegistry(d.between), webrtc.WithSettingEngine(s))
	pc, err := api.NewPeerConnection(webrtc.Configuration{Certificates: d.certificates, BundlePolicy: webrtc.BundlePolicyMaxBundle})
	if err != nil {
		return nil, err
	}
	pc.SCTP().Transport().ICETransport().OnSelectedCandidatePairChange(func(p *webrtc.ICECandidatePair) {
		if ip, err := netip.ParseAddr(p.Remote.Address); err == nil {
			g.found(canonical(netip.AddrPortFrom(ip, p.Remote.Port)))
		}
	})
	return pc, nil
}

// answerOffer has a connection take an offer, with tracks in its sections of sound in order,
// and returns its answer once all addresses are in it.
func answerOffer(ctx context.Context, pc *webrtc.PeerConnection, offer string, tracks []webrtc.TrackLocal) (answer string, senders []*webrtc.RTPSender, err error) {
	ctx, cancel := context.WithTimeout(ctx, gatherTime)
	defer cancel()
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", nil, fmt.Errorf("the offer cannot be used: %w", err)
	}
	for i := range pc.GetTransceivers() {
		if i == len(tracks) {
			break
		}
		s, err := pc.AddTrack(tracks[i])
		if err != nil {
			return "", nil, fmt.Errorf("the offer cannot be used: %w", err)
		}
		senders = append(senders, s)
	}
	described, err := pc.CreateAnswer(nil)
	if err != nil {
		return "", nil, fmt.Errorf("the offer cannot be answered: %w", err)
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(described); err != nil {
		return "", nil, fmt.Errorf("the offer cannot be answered: %w", err)
	}
	select {
	case <-gathered:
	case <-ctx.Done():
		return "", nil, errors.New("this machine did not find its own addresses in time; try again")
	}
	return inFrames(pc.LocalDescription().SDP), senders, nil
}

// inFrames asks for packets of 20 ms, as the table takes them.
func inFrames(answer string) string {
	const line = "a=rtpmap:"
	var b strings.Builder
	for part := range strings.Lines(answer) {
		if strings.HasPrefix(part, line) && strings.Contains(part, "opus/48000") {
			b.WriteString("a=ptime:20\r\na=maxptime:20\r\n")
		}
		b.WriteString(part)
	}
	return b.String()
}
