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
	// ErrNotConnected is returned for sound while the bot is in no channel, or
	// could not be connected to it for longer than sound waits.
	ErrNotConnected = errors.New("not connected to a voice channel")
	// ErrClosed is returned after Run has returned.
	ErrClosed = errors.New("voice connection closed")
)

// Options are what a connection needs; Guild, User and Move are required.
type Options struct {
	// Guild and User are snowflakes: the guild, and the bot itself.
	Guild, User string
	// Move asks Discord, over the main gateway, to put the bot into a channel,
	// or out of voice for an empty one. It does not wait for an answer.
	Move func(ctx context.Context, channel string) error
	// Hear is given what a user's microphone brought, decrypted, as it arrives.
	// One goroutine calls it; it does not wait. The payload is the callee's.
	Hear func(user string, p Packet)
	// Tell is given what changes. One goroutine calls it; it does not wait.
	Tell func(Event)
	// Sent is told of each frame of Write once it was given to the network, and how
	// long that took since Write had it. One goroutine calls it; it does not wait.
	Sent func(took time.Duration)
	// Opus encodes what is sent. If nil, the system's library is loaded.
	Opus *opus.Library
	// TLS is for the voice gateway; nil means the usual.
	TLS *tls.Config
	// Private permits voice servers at private addresses, for a Discord of one's own.
	Private bool
	// Logger receives what an operator may want to know. If nil, it is discarded.
	Logger *slog.Logger
}

// written is a frame that Write took.
type written struct {
	frame audio.Frame
	at    time.Time
}

// Packet is 20 ms of a user's sound.
type Packet struct {
	// Seq counts a user's packets; it wraps, goes on when the user's stream is
	// replaced by another, and has gaps where packets were lost.
	Seq uint16
	// Payload is Opus.
	Payload []byte
}

// State is the bot's own voice state, as the main gateway tells it.
type State struct {
	Channel string // empty: in none
	Session string
}

// Server is where the main gateway says the voice gateway is.
type Server struct {
	Token    string
	Endpoint string // host and port; empty while Discord looks for another
}

// Conn is the connection. Its methods are safe for concurrent use.
type Conn struct {
	opts     Options
	net      network
	encrypt  func(*session) (encryption, error)
	requests chan *request
	given    chan *request // nobody waits for any more
	notices  chan notice   // of sessions; 64, beyond that a session waits
	frames   chan written
	news     news
	mover    mover
	done     chan struct{} // closed when Run has returned
	count    counters

	lost    atomic.Pointer[time.Time] // since when no sound can be sent; nil while it can
	current atomic.Pointer[session]   // runs, if any
}

const (
	// frameQueue is how many frames wait for the goroutine that sends them.
	frameQueue = 2
	// patience is how long sound waits for a connection that is being renewed. People
	// at the table take a longer silence for the end.
	patience = 2 * time.Second
	// keyPatience is how long it waits for keys. The server alone may take two
	// seconds over it, until it does not wait for the others any more.
	keyPatience = 4 * time.Second
	// farewell is how long leaving may take when Run ends.
	farewell = 2 * time.Second
)

// New returns a connection; Run brings it to life.
func New(o Options) *Conn {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Hear == nil {
		o.Hear = func(string, Packet) {}
	}
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Sent == nil {
		o.Sent = func(time.Duration) {}
	}
	c := &Conn{
		opts:     o,
		net:      internet{tls: o.TLS, private: o.Private},
		encrypt:  newEncryption,
		requests: make(chan *request),
		given:    make(chan *request),
		notices:  make(chan notice, 64),
		frames:   make(chan written, frameQueue),
		news:     news{ready: make(chan struct{}, 1)},
		mover:    mover{ready: make(chan struct{}, 1), failed: make(chan error, 1)},
		done:     make(chan struct{}),
	}
	c.lost.Store(&time.Time{}) // since ever
	return c
}

// Run keeps the connection as Join and Leave want it until ctx ends; then it
// leaves the channel. It returns an error for what no trying again mends. It is
// called once.
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
	if k.want != "" {
		left := moveWithin(context.WithoutCancel(ctx), farewell, c.opts.Move, "")
		if left != nil {
			c.opts.Logger.Warn("leaving a voice channel", "guild", c.opts.Guild, "error", left)
		}
	}
	return err
}

// Join puts the bot into a channel, out of another one if it is there. It returns
// once sound can be sent, or says in one line why that is not to be; then the bot
// is in no channel, or still in the one it was in. To join the channel the bot is
// in asks Discord once more, as is needed after the main gateway began a new
// session. A later Join or Leave ends one that waits. When ctx ends, the bot does
// not go on trying.
func (c *Conn) Join(ctx context.Context, channel string) error {
	if !isID(channel) {
		return errors.New("a voice channel has a number as its id")
	}
	return c.request(ctx, channel)
}

// Leave takes the bot out of its channel. It returns when the main gateway has been
// asked to.
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
	case c.given <- r: // it is answered at once
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

// UpdateState takes the bot's own voice state from the main gateway. It never blocks.
func (c *Conn) UpdateState(s State) { c.news.putState(s) }

// UpdateServer takes the voice server from the main gateway. It never blocks.
func (c *Conn) UpdateServer(s Server) { c.news.putServer(s) }

// Write sends the next 20 ms of sound at once; it implements mixer.Outlet. While
// the connection is being renewed Write waits, so that nothing is lost, up to two
// seconds after the interruption; then it returns ErrNotConnected until the
// connection is back. While there are no keys to encrypt with, each Write waits up
// to four seconds. What is written while nobody else is in the channel goes nowhere.
// Sixty milliseconds without a Write end a spurt of talk.
func (c *Conn) Write(ctx context.Context, f *audio.Frame) error {
	w := written{*f, time.Now()}
	left := keyPatience
	if lost := c.lost.Load(); lost != nil {
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
	st.Connected = c.lost.Load() == nil
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

// PrivacyCode returns the code that everybody in the channel sees if nobody listens
// in, empty without end-to-end encryption.
func (c *Conn) PrivacyCode() string {
	if s := c.current.Load(); s != nil {
		return s.dave.PrivacyCode()
	}
	return ""
}

// VerificationCode returns the code that a user and the bot see of each other if
// nobody is between them. It fails without end-to-end encryption, and for who is
// not in the channel.
func (c *Conn) VerificationCode(user string) (string, error) {
	if s := c.current.Load(); s != nil {
		return s.dave.VerificationCode(godave.UserID(user))
	}
	return "", ErrNotConnected
}
