// Package farend is the other end of a simulated bot's voice connections: a
// Discord voice server on loopback, with players in its channels who send given
// sound. The bot sees a voice gateway over TLS, and UDP with both encryptions;
// players have no clients of their own, so that the bot uses most of the
// processor. It serves only correct clients: a protocol error closes the
// connection without an explanation.
package farend

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// Options configure a server.
type Options struct {
	// Channels is the number of channels, each in its own guild, with Players
	// in each, below 1000.
	Channels, Players int
	// Plain turns off end-to-end encryption, as in stage channels.
	Plain bool
	// Heard is called with each sound packet of a bot, from one goroutine; it
	// must not block.
	Heard func(Packet)
}

// Packet is 20 ms of a bot's sound as received.
type Packet struct {
	Channel   int
	At        time.Time // from the kernel, if it has timestamps
	Seq       uint16
	Timestamp uint32 // at 48 kHz
	Silence   bool   // only marks the end of a spurt
	// Err is the decryption error, or nil.
	Err error
}

// Address is where a bot connects, and the server's certificate authority.
type Address struct {
	Endpoint string `json:"endpoint"`
	Token    string `json:"token"`
	CA       []byte `json:"ca"` // PEM
}

// The ids on a server.
const (
	BotID        = "3000001"
	firstGuild   = 1_000_001
	firstChannel = 2_000_001
	firstPlayer  = 4_000_001
	perChannel   = 1000 // ids and ssrcs
)

// GuildID, ChannelID and PlayerID return the ids of channel number n's guild,
// of the channel, and of a player in it.
func GuildID(n int) string          { return strconv.Itoa(firstGuild + n) }
func ChannelID(n int) string        { return strconv.Itoa(firstChannel + n) }
func PlayerID(n, player int) string { return strconv.Itoa(firstPlayer + n*perChannel + player) }

// Server is the far end of all channels.
type Server struct {
	opts     Options
	address  Address
	listener net.Listener
	udp      *net.UDPConn
	at       netip.AddrPort // of udp
	channels []*channel     // does not change
	clients  sync.WaitGroup
}

// tick is the interval of timeout checks.
const tick = 20 * time.Millisecond

// Listen opens a server; Run serves.
func Listen(o Options) (*Server, error) {
	certificate, ca, err := newCertificate()
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	s := &Server{opts: o}
	if s.listener, err = tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}}); err != nil {
		return nil, err
	}
	if s.udp, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, errors.Join(err, s.listener.Close())
	}
	_ = s.udp.SetReadBuffer(4 << 20) // A smaller buffer also works.
	stampArrivals(s.udp)
	s.at = s.udp.LocalAddr().(*net.UDPAddr).AddrPort()
	s.address = Address{Endpoint: s.listener.Addr().String(), Token: newToken(), CA: ca}
	for n := range o.Channels {
		s.channels = append(s.channels, newChannel(s, n))
	}
	return s, nil
}

// Address returns the server's address.
func (s *Server) Address() Address { return s.address }

// Run serves until ctx ends, and waits for its goroutines.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	front := &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // from clients that leave during the handshake
	}
	var group errgroup.Group
	group.Go(func() error {
		defer cancel()
		if err := front.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		defer cancel()
		return s.receive()
	})
	group.Go(func() error {
		s.tickRegularly(ctx)
		_ = front.Close()
		return s.udp.Close() // this ends receive
	})
	err := group.Wait()
	s.clients.Wait()
	return err
}

func (s *Server) tickRegularly(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for _, c := range s.channels {
				c.tick(now)
			}
		}
	}
}

// Send sends 20 ms of Opus as a channel's player. Call it from one goroutine
// per player. The sound is lost while no bot is there.
func (s *Server) Send(n, player int, opus []byte) {
	if packet, to := s.channels[n].seal(player, opus); packet != nil {
		_, _ = s.udp.WriteToUDPAddrPort(packet, to) // the packet may be lost
	}
}

// receive handles UDP packets until the socket is closed.
func (s *Server) receive() error {
	var data [2048]byte
	var control [128]byte
	for {
		n, extra, _, from, err := s.udp.ReadMsgUDPAddrPort(data[:], control[:])
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		at, ok := arrival(control[:extra])
		if !ok {
			at = time.Now()
		}
		s.receiveDatagram(data[:n], from, at)
	}
}

func (s *Server) receiveDatagram(data []byte, from netip.AddrPort, at time.Time) {
	if _, ok := voice.ParseKeepAlive(data); ok {
		_, _ = s.udp.WriteToUDPAddrPort(data, from)
		return
	}
	if d, err := voice.ParseDiscovery(data); err == nil {
		if c := s.channelOf(d.SSRC); c != nil {
			c.discover(from)
			d.Addr = from
			_, _ = s.udp.WriteToUDPAddrPort(d.Append(nil), from)
		}
		return
	}
	h, err := voice.Parse(data)
	if err != nil {
		return
	}
	c := s.channelOf(h.SSRC)
	if c == nil {
		return
	}
	payload, err := c.open(data)
	s.opts.Heard(Packet{Channel: c.number, At: at, Seq: h.Sequence, Timestamp: h.Timestamp, Silence: string(payload) == voice.Silence, Err: err})
}

// channelOf returns the channel whose bot has an ssrc, or nil.
func (s *Server) channelOf(ssrc uint32) *channel {
	n := int(ssrc/perChannel) - 1
	if ssrc%perChannel != 0 || n < 0 || n >= len(s.channels) {
		return nil
	}
	return s.channels[n]
}
