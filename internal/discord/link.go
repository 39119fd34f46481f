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

// link keeps one shard connected: it resumes where it was, begins anew where
// that is refused, and gives up where trying again is no use.
type link struct {
	bot           *Bot
	shard, shards int

	session *discordgo.Session
	down    chan struct{} // of the session: receives when it is closed
	code    atomic.Int64  // close code of the server
	opened  atomic.Bool
	blind   atomic.Bool // the connection cannot be watched

	mu   sync.Mutex // guards conn
	conn net.Conn   // the latest
}

// run keeps the shard connected until ctx ends, or for as long as that makes
// sense.
func (l *link) run(ctx context.Context) error {
	if !pause(ctx, time.Duration(l.shard)*identifyGap) {
		return nil
	}
	for failed := 0; ; failed++ {
		began := time.Now()
		err := l.hold(ctx)
		if ctx.Err() != nil {
			return nil
		}
		code := int(l.code.Load())
		if err := fatal(code); err != nil {
			return err
		}
		// discordgo would hang if a resumption were refused, and nobody saw it.
		if anew(code) || l.blind.Load() {
			l.session = nil
		}
		if time.Since(began) > steady {
			failed = 0
		}
		l.bot.log.Info("discord connection lost", "shard", l.shard, "code", code, "reason", err)
		if failed == 2 { // a hiccup is nobody's business
			l.bot.say("discord: the connection is lost; trying again")
		}
		if !pause(ctx, backOff(failed)) {
			return nil
		}
	}
}

// hold connects and stays until the connection is gone or ctx ends.
func (l *link) hold(ctx context.Context) error {
	if l.session == nil {
		if err := l.renew(); err != nil {
			return err
		}
	}
	l.code.Store(0)
	l.opened.Store(false)
	select { // of an earlier connection
	case <-l.down:
	default:
	}
	cut := context.AfterFunc(ctx, l.cut) // ends a dial and a read that nothing else ends
	err := l.session.Open()
	l.opened.Store(true)
	if err != nil {
		cut()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			l.code.CompareAndSwap(0, int64(closed.Code))
		}
		return plainDial(err)
	}
	if conn := l.current(); conn != nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if cut() && err == nil {
		l.bot.log.Info("discord connected", "shard", l.shard)
		select {
		case <-l.down:
			return nil
		case <-ctx.Done():
		}
	}
	return errors.Join(err, l.session.Close())
}

// renew begins a new session: the old one cannot be resumed.
func (l *link) renew() error {
	s, err := l.bot.newSession()
	if err != nil {
		return err
	}
	s.ShardID, s.ShardCount = l.shard, l.shards
	s.Identify.Shard = &[2]int{l.shard, l.shards}
	s.Dialer = &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: openTime,
		NetDialContext: l.dial, NetDialTLSContext: l.dialTLS,
	}
	down := make(chan struct{}, 1)
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		select {
		case down <- struct{}{}:
		default: // it is known already
		}
	})
	l.bot.handle(s)
	l.session, l.down = s, down
	return nil
}

func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return l.watch(new(net.Dialer).DialContext(ctx, network, addr))
}

func (l *link) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	d := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}}
	return l.watch(d.DialContext(ctx, network, addr))
}

// watch taps a fresh connection, and bounds the time until it is ready.
func (l *link) watch(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	t := newTap(c, &l.code, &l.opened, &l.blind)
	l.mu.Lock()
	l.conn = opening{t}
	l.mu.Unlock()
	return opening{t}, t.SetReadDeadline(time.Now().Add(openTime))
}

// opening is a connection whose deadline the websocket's handshake may not
// lift: nothing else would end a wait for a Hello that never comes.
type opening struct{ *tap }

// SetDeadline bounds writing only.
func (o opening) SetDeadline(t time.Time) error { return o.SetWriteDeadline(t) }

func (l *link) current() net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

// cut ends the connection from outside.
func (l *link) cut() {
	if c := l.current(); c != nil {
		_ = c.Close() // whoever reads it finds out
	}
}

// plainDial keeps what went wrong with a connection, without its address.
func plainDial(err error) error {
	var c *websocket.CloseError
	if errors.As(err, &c) {
		return fmt.Errorf("the gateway closed with code %d", c.Code)
	}
	return fmt.Errorf("connecting to the gateway: %w", err)
}

// backOff is how long to wait after a number of failures: a second, doubled
// with each, up to a minute, and a part of it left to chance, so that shards
// and bots do not come back together.
func backOff(failed int) time.Duration {
	d := time.Second << min(failed, 6)
	d = min(d, longestPause)
	return d/2 + rand.N(d/2)
}

// pause waits and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
