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
	// levelExtension is the header extension with a packet's audio level (RFC 6464).
	levelExtension = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
	// A guest without packets for disconnectedAfter is disconnected, and after failedAfter more has left.
	disconnectedAfter, failedAfter = 5 * time.Second, 10 * time.Second
	keepAliveEvery                 = 2 * time.Second
	// gatherTime bounds gathering our own addresses.
	gatherTime = 5 * time.Second
)

// opusCodec is the codec in both directions: packets of 20 ms, with forward error correction.
var opusCodec = webrtc.RTPCodecCapability{
	MimeType: webrtc.MimeTypeOpus, ClockRate: sampleRate, Channels: 2, SDPFmtpLine: "minptime=20;useinbandfec=1",
}

// Network configures how browsers reach the table. The zero value works on this machine and its local
// network.
type Network struct {
	// Servers are the STUN and TURN servers for pages. If empty, none are used.
	Servers []IceServer
	// Port is the single UDP port for sound. If zero, each guest has its own port, between MinPort and
	// MaxPort if those are set.
	Port, MinPort, MaxPort uint16
	// PublicAddresses replace this machine's addresses if it is behind a router that forwards the ports. If
	// empty, its own addresses are used.
	PublicAddresses []string
}

// IceServer is a STUN or TURN server.
type IceServer struct {
	URLs       []string `json:"urls"`
	Username   string   `json:"username,omitempty"`
	Credential string   `json:"credential,omitempty"`
}

// dialer creates peer connections.
type dialer struct {
	media        *webrtc.MediaEngine
	between      *interceptor.Registry
	shared       webrtc.SettingEngine // settings of all guests' connections
	certificates []webrtc.Certificate
	mux          ice.UDPMux // nil without a single port
}

// newDialer opens the network.
func newDialer(n Network, logs *observe.LibraryLogs) (_ *dialer, err error) {
	var media webrtc.MediaEngine
	codec := webrtc.RTPCodecParameters{RTPCodecCapability: opusCodec, PayloadType: 111}
	if err := media.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	if err := media.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: levelExtension}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	reports, err := report.NewReceiverInterceptor(report.ReceiverInterval(5*time.Second), report.WithReceiverLoggerFactory(pionLogs{logs})) // browsers increase error correction when packets are lost
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
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // do not resolve other machines' mDNS names
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

// plainError removes this machine's addresses from an error.
func plainError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}

// close closes the port. All connections must be closed.
func (d *dialer) close() error {
	if d.mux == nil {
		return nil
	}
	return d.mux.Close()
}

// connect creates a connection behind a gate, without descriptions.
func (d *dialer) connect(g *connLimiter) (*webrtc.PeerConnection, error) {
	s := d.shared
	s.BufferFactory = g.buffer
	s.SetRemoteIPFilter(g.allowAddress)
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

// answerOffer applies an offer to a connection, with tracks in its sound sections in order. It returns the
// answer when it contains all addresses.
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

// inFrames adds a request for packets of 20 ms, which the table needs, to an answer.
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
