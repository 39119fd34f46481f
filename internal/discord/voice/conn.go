package voice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/disgoorg/godave"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

var (
	// ErrNotConnected is returned by Write while the bot is in no channel, or has been disconnected for
	// longer than Write waits.
	ErrNotConnected = errors.New("not connected to a voice channel")
	// ErrClosed is returned after Run has returned.
	ErrClosed = errors.New("voice connection closed")
)

// Options configures a connection. Guild, User and Move are required.
type Options struct {
	// Guild and User are the snowflakes of the guild and the bot.
	Guild, User string
	// Move asks Discord through the main gateway to move the bot into a channel, or out of voice if channel
	// is empty. It does not wait for the result.
	Move func(ctx context.Context, channel string) error
	// OnPacket receives a user's decrypted packets as they arrive. A single goroutine calls it, so it must not
	// block. The callee owns the payload.
	OnPacket func(user string, p Packet)
	// OnEvent receives events. A single goroutine calls it, so it must not block.
	OnEvent func(Event)
	// Sent is called after each frame of Write was passed to the network, with the time since Write received
	// it. A single goroutine calls it, so it must not block.
	Sent func(took time.Duration)
	// Opus encodes outgoing sound. If nil, the system's library is loaded.
	Opus *opus.Library
	// TLS configures connections to the voice gateway; nil means the default.
	TLS *tls.Config
	// Private allows voice servers at private addresses, for a self-hosted Discord.
	Private bool
	// Logger receives messages for operators. If nil, they are discarded.
	Logger *slog.Logger
}

// written is a frame passed to Write.
type written struct {
	frame audio.Frame
	at    time.Time
}

// Packet is 20 ms of a user's sound.
type Packet struct {
	// Seq numbers a user's packets. It wraps, continues when the user's stream is replaced, and has gaps for
	// lost packets.
	Seq uint16
	// Payload is an Opus frame.
	Payload []byte
}

// State is the bot's own voice state from the main gateway.
type State struct {
	Channel string // empty if in none
	Session string
}

// Server is the address of the voice gateway from the main gateway.
type Server struct {
	Token    string
	Endpoint string // host and port; empty while Discord looks for another server
}

// Conn is a connection to a guild's voice channel. Its methods are safe for concurrent use.
type Conn struct {
	opts      Options
	net       network
	encrypt   func(*session) (encryption, error)
	requests  chan *request
	cancelled chan *request // requests whose callers stopped waiting
	notices   chan notice   // from sessions; a full channel blocks the session
	frames    chan written
	updates   gatewayUpdates
	mover     mover
	done      chan struct{} // closed when Run has returned
	count     counters

	silencedSince atomic.Pointer[time.Time] // since when sound cannot be sent; nil while it can
	current       atomic.Pointer[session]   // the running session, or nil
}

const (
	// frameQueue bounds the frames waiting for the sending goroutine.
	frameQueue = 2
	// patience is how long Write waits for a lost connection. After a longer silence, people think that the
	// NPC has finished.
	patience = 2 * time.Second
	// keyPatience is how long Write waits for keys. The server alone may take two seconds before it stops
	// waiting for the other members.
	keyPatience = 4 * time.Second
	// farewell bounds leaving the channel when Run ends.
	farewell = 2 * time.Second
)

// New returns a connection. Call Run to start it.
func New(o Options) *Conn {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OnPacket == nil {
		o.OnPacket = func(string, Packet) {}
	}
	if o.OnEvent == nil {
		o.OnEvent = func(Event) {}
	}
	if o.Sent == nil {
		o.Sent = func(time.Duration) {}
	}
	c := &Conn{
		opts:      o,
		net:       internet{tls: o.TLS, private: o.Private},
		encrypt:   newEncryption,
		requests:  make(chan *request),
		cancelled: make(chan *request),
		notices:   make(chan notice, 64),
		frames:    make(chan written, frameQueue),
		updates:   gatewayUpdates{ready: make(chan struct{}, 1)},
		mover:     mover{ready: make(chan struct{}, 1), failed: make(chan error, 1)},
		done:      make(chan struct{}),
	}
	c.silencedSince.Store(&time.Time{}) // never connected so far
	return c
}

// Run maintains the connection that Join and Leave request until ctx ends, and then leaves the channel. It
// returns an error if retrying cannot help. Call it once.
func (c *Conn) Run(ctx context.Context) error {
	defer close(c.done)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var group errgroup.Group
	k := &control{c: c, group: &group}
	group.Go(func() error {
		c.mover.run(inner, c.opts.Move)
		return nil
	})
	group.Go(func() error {
		defer cancel()
		return k.run(inner)
	})
	err := group.Wait()
	if k.wantedChannel != "" {
		left := moveWithin(context.WithoutCancel(ctx), farewell, c.opts.Move, "")
		if left != nil {
			c.opts.Logger.Warn("leaving a voice channel", "guild", c.opts.Guild, "error", left)
		}
	}
	return err
}

// Join moves the bot into a channel. It returns once sound can be sent, or an error with the reason in one
// line; the bot is then in no channel or still in the previous one. Joining the current channel asks Discord
// again, which is necessary after the main gateway has started a new session. A later Join or Leave cancels a
// waiting one. When ctx ends, the bot gives up.
func (c *Conn) Join(ctx context.Context, channel string) error {
	if !isID(channel) {
		return errors.New("a voice channel has a number as its id")
	}
	return c.request(ctx, channel)
}

// Leave makes the bot leave its channel. It returns when the main gateway has accepted the request.
func (c *Conn) Leave(ctx context.Context) error { return c.request(ctx, "") }

func (c *Conn) request(ctx context.Context, channel string) error {
	r := &request{channel: channel, done: make(chan error, 2), at: time.Now()}
	select {
	case c.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return ErrClosed
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
	case <-c.done:
	}
	select {
	case c.cancelled <- r: // it answers at once
		if err := <-r.done; err != nil {
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
		return nil
	case <-c.done:
	}
	select {
	case err := <-r.done:
		return err
	default:
		return ErrClosed
	}
}

// UpdateState passes on the bot's own voice state from the main gateway. It never blocks.
func (c *Conn) UpdateState(s State) { c.updates.putState(s) }

// UpdateServer passes on the voice server from the main gateway. It never blocks.
func (c *Conn) UpdateServer(s Server) { c.updates.putServer(s) }

// Write sends the next 20 ms of sound immediately; it implements mixer.Outlet. While the connection is lost,
// Write blocks so that no sound is lost, but only until two seconds after the interruption. From then on it
// returns ErrNotConnected until the connection is restored. While there are no keys for encryption, each
// Write blocks for up to four seconds. If no one else is in the channel, the sound is discarded. A talk spurt
// ends after 60 ms without a Write.
func (c *Conn) Write(ctx context.Context, f *audio.Frame) error {
	w := written{*f, time.Now()}
	left := keyPatience
	if lost := c.silencedSince.Load(); lost != nil {
		left = patience - time.Since(*lost)
	}
	if left <= 0 {
		c.count.sentDropped.Add(1)
		return ErrNotConnected
	}
	select {
	case c.frames <- w:
		return nil
	default:
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case c.frames <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return ErrClosed
	case <-timer.C:
		c.count.sentDropped.Add(1)
		return ErrNotConnected
	}
}

// Stats returns the counts so far.
func (c *Conn) Stats() Stats {
	st := c.count.stats()
	st.Connected = c.silencedSince.Load() == nil
	if s := c.current.Load(); s != nil {
		st.Channel = s.channel
		if t := s.transport.Load(); t != nil {
			st.Mode = t.mode
		}
		dave := s.dave.State()
		st.DAVE, st.Encrypted, st.Members, st.Epoch = dave.Version, dave.Encrypted, dave.Members, dave.Epoch
	}
	return st
}

// PrivacyCode returns the channel's privacy code, which all members see alike if no one intercepts the
// connection. It is empty without end-to-end encryption.
func (c *Conn) PrivacyCode() string {
	if s := c.current.Load(); s != nil {
		return s.dave.PrivacyCode()
	}
	return ""
}

// VerificationCode returns the code that a user and the bot see of each other if no one is between them. It
// returns an error without end-to-end encryption, and for users outside the channel.
func (c *Conn) VerificationCode(user string) (string, error) {
	if s := c.current.Load(); s != nil {
		return s.dave.VerificationCode(godave.UserID(user))
	}
	return "", ErrNotConnected
}
