package discord

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/MrWong99/glyphoxa/internal/outbound"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// openTime bounds connecting, from dialling to being ready.
	openTime = 30 * time.Second
	// identifyGap is the delay between the shards' sign-ins, because Discord allows one every five seconds.
	identifyGap = 5 * time.Second
	// longestPause bounds the pause between attempts to connect.
	longestPause = time.Minute
	// steady is how long a connection must last to reset the count of failures.
	steady = time.Minute
)

// shard keeps one shard connected. It resumes its session, starts a new one if Discord refuses that, and
// gives up if retrying cannot help.
type shard struct {
	gateway   *Gateway
	id, count int

	session *discordgo.Session
	down    chan struct{} // receives when the session is closed
	code    atomic.Int64  // the server's close code
	opened  atomic.Bool
	blind   atomic.Bool                       // frames cannot be watched
	live    atomic.Pointer[discordgo.Session] // nil while there is no connection

	mu   sync.Mutex // guards conn
	conn net.Conn   // the latest connection
}

// run keeps the shard connected until ctx ends or retrying cannot help.
func (s *shard) run(ctx context.Context) error {
	if !WaitFor(ctx, time.Duration(s.id)*identifyGap) {
		return nil
	}
	for failed := 0; ; failed++ {
		began := time.Now()
		err := s.connectOnce(ctx)
		if ctx.Err() != nil {
			return nil
		}
		code := int(s.code.Load())
		if err := fatalCloseCode(code); err != nil {
			return err
		}
		// discordgo would hang on a refused resumption that the filter cannot see.
		if needsNewSession(code) || s.blind.Load() {
			s.session = nil
		}
		if time.Since(began) > steady {
			failed = 0
		}
		s.gateway.log.Info("discord connection lost", "shard", s.id, "code", code, "reason", err)
		if failed == 2 { // do not report short interruptions
			s.gateway.report("discord: the connection was lost; trying again")
		}
		if !WaitFor(ctx, backoff(failed)) {
			return nil
		}
	}
}

// connectOnce connects and returns when the connection is lost or ctx ends.
func (s *shard) connectOnce(ctx context.Context) error {
	if s.session == nil {
		if err := s.newSession(); err != nil {
			return err
		}
	}
	s.code.Store(0)
	s.opened.Store(false)
	select { // drop a signal of an earlier connection
	case <-s.down:
	default:
	}
	cut := context.AfterFunc(ctx, s.closeConn) // interrupts dialling and reading, which ignore ctx
	err := s.session.Open()
	s.opened.Store(true)
	if err != nil {
		cut()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			s.code.CompareAndSwap(0, int64(closed.Code))
		}
		return describeDialError(err)
	}
	if conn := s.currentConn(); conn != nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if cut() && err == nil {
		s.gateway.log.Info("discord connected", "shard", s.id)
		s.setLive(s.session)
		defer s.setLive(nil)
		select {
		case <-s.down:
			return nil
		case <-ctx.Done():
		}
	}
	return errors.Join(err, s.session.Close())
}

// newSession starts a new session when the old one cannot be resumed.
func (s *shard) newSession() error {
	d, err := NewRestSession(s.gateway.token, s.gateway.base, s.gateway.dial)
	if err != nil {
		return err
	}
	d.ShouldReconnectOnError = false // the shard reconnects, because it knows when that is useless
	d.ShouldReconnectVoiceOnSessionError = false
	d.SyncEvents = true // keeps players' lines in order
	d.Compress, d.Identify.Compress = false, false
	d.Identify.Intents = intents
	d.State.TrackMembers, d.State.TrackEmojis, d.State.TrackPresences, d.State.TrackVoice, d.State.TrackStickers = false, false, false, false, false
	d.ShardID, d.ShardCount = s.id, s.count
	d.Identify.Shard = &[2]int{s.id, s.count}
	d.Dialer = &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: openTime,
		NetDialContext: s.dialPlain, NetDialTLSContext: s.dialTLS,
	}
	down := make(chan struct{}, 1)
	d.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		wakeup.Signal(down)
	})
	s.gateway.subscribe(d)
	s.session, s.down = d, down
	return nil
}

func (s *shard) dialPlain(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.gateway.dial != nil {
		return s.filterFrames(s.gateway.dial(ctx, network, addr))
	}
	return s.filterFrames(outbound.Dial(new(net.Dialer))(s.policy(ctx), network, addr))
}

func (s *shard) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	config := outbound.TLS()
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName, _, _ = net.SplitHostPort(addr); config.ServerName == "" {
		return nil, fmt.Errorf("the gateway's address %q names no host", addr)
	}
	plain, err := outbound.Dial(new(net.Dialer))(s.policy(ctx), network, addr)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(plain, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	return s.filterFrames(secure, nil)
}

// policy allows private addresses if the operator configured their own Discord, because the REST interface
// determines the gateway's address. Discord's own gateway is public.
func (s *shard) policy(ctx context.Context) context.Context {
	return outbound.WithPolicy(ctx, outbound.Policy{AnyPrivate: s.gateway.base != ""})
}

// filterFrames watches a new connection, and bounds the time until it is ready.
func (s *shard) filterFrames(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	f := newFrameFilter(c, &s.code, &s.opened, &s.blind)
	s.mu.Lock()
	s.conn = opening{f}
	s.mu.Unlock()
	return opening{f}, f.SetReadDeadline(time.Now().Add(openTime))
}

// opening is a connection whose read deadline the WebSocket handshake cannot clear. Without that deadline,
// waiting for a missing Hello would never end.
type opening struct{ *frameFilter }

// SetDeadline sets only the write deadline.
func (o opening) SetDeadline(t time.Time) error { return o.SetWriteDeadline(t) }

func (s *shard) currentConn() net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// closeConn closes the connection from another goroutine.
func (s *shard) closeConn() {
	if c := s.currentConn(); c != nil {
		_ = c.Close() // the reader reports the error
	}
}

// describeDialError describes a connection error without the address.
func describeDialError(err error) error {
	var c *websocket.CloseError
	if errors.As(err, &c) {
		return fmt.Errorf("the gateway closed with code %d", c.Code)
	}
	return fmt.Errorf("connecting to the gateway: %w", err)
}

// backoff returns the pause after a number of failures: a second, doubled with each failure up to a minute,
// with jitter so that shards and bots do not reconnect at the same time.
func backoff(failed int) time.Duration {
	d := time.Second << min(failed, 6)
	d = min(d, longestPause)
	return d/2 + rand.N(d/2)
}
