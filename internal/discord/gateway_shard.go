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
	// identifyGap is how long a shard waits for the one before it: Discord lets
	// one sign in every five seconds.
	identifyGap = 5 * time.Second
	// longestPause bounds the time between two attempts to connect.
	longestPause = time.Minute
	// steady is how long a connection holds before the next failure counts as the
	// first.
	steady = time.Minute
)

// shard keeps one shard connected: it resumes where it was, begins anew where
// that is refused, and gives up where trying again is no use.
type shard struct {
	gateway   *Gateway
	id, count int

	session *discordgo.Session
	down    chan struct{} // of the session: receives when it is closed
	code    atomic.Int64  // close code of the server
	opened  atomic.Bool
	blind   atomic.Bool                       // the connection cannot be watched
	live    atomic.Pointer[discordgo.Session] // nil while there is no connection

	mu   sync.Mutex // guards conn
	conn net.Conn   // the latest
}

// run keeps the shard connected until ctx ends, or for as long as that makes
// sense.
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
		// discordgo would hang if a resumption were refused, and nobody saw it.
		if needsNewSession(code) || s.blind.Load() {
			s.session = nil
		}
		if time.Since(began) > steady {
			failed = 0
		}
		s.gateway.log.Info("discord connection lost", "shard", s.id, "code", code, "reason", err)
		if failed == 2 { // a hiccup is nobody's business
			s.gateway.say("discord: the connection is lost; trying again")
		}
		if !WaitFor(ctx, backoff(failed)) {
			return nil
		}
	}
}

// connectOnce connects and stays until the connection is gone or ctx ends.
func (s *shard) connectOnce(ctx context.Context) error {
	if s.session == nil {
		if err := s.newSession(); err != nil {
			return err
		}
	}
	s.code.Store(0)
	s.opened.Store(false)
	select { // of an earlier connection
	case <-s.down:
	default:
	}
	cut := context.AfterFunc(ctx, s.closeConn) // ends a dial and a read that nothing else ends
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

// newSession begins a new session: the old one cannot be resumed.
func (s *shard) newSession() error {
	d, err := NewRestSession(s.gateway.token, s.gateway.base, s.gateway.dial)
	if err != nil {
		return err
	}
	d.ShouldReconnectOnError = false // a shard does that, and knows when it is no use
	d.ShouldReconnectVoiceOnSessionError = false
	d.SyncEvents = true // players' lines come in order
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

// policy permits a private gateway where the operator has a Discord of their own:
// Discord says where the gateway is, and Discord's own is on the open network.
func (s *shard) policy(ctx context.Context) context.Context {
	return outbound.WithPolicy(ctx, outbound.Policy{AnyPrivate: s.gateway.base != ""})
}

// filterFrames watches a fresh connection, and bounds the time until it is ready.
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

// opening is a connection whose deadline the websocket's handshake may not
// lift: nothing else would end a wait for a Hello that never comes.
type opening struct{ *frameFilter }

// SetDeadline bounds writing only.
func (o opening) SetDeadline(t time.Time) error { return o.SetWriteDeadline(t) }

func (s *shard) currentConn() net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// closeConn ends the connection from outside.
func (s *shard) closeConn() {
	if c := s.currentConn(); c != nil {
		_ = c.Close() // whoever reads it finds out
	}
}

// describeDialError keeps what went wrong with a connection, without its address.
func describeDialError(err error) error {
	var c *websocket.CloseError
	if errors.As(err, &c) {
		return fmt.Errorf("the gateway closed with code %d", c.Code)
	}
	return fmt.Errorf("connecting to the gateway: %w", err)
}

// backoff is how long to wait after a number of failures: a second, doubled
// with each, up to a minute, and a part of it left to chance, so that shards
// and bots do not come back together.
func backoff(failed int) time.Duration {
	d := time.Second << min(failed, 6)
	d = min(d, longestPause)
	return d/2 + rand.N(d/2)
}
