package voice

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/MrWong99/glyphoxa/pkg/audio"
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
	// TLS is for the voice gateway; nil means the usual.
	TLS *tls.Config
	// Logger receives what an operator may want to know. If nil, it is discarded.
	Logger *slog.Logger
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
	opts Options
}

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
	return &Conn{opts: o}
}

// Run keeps the connection as Join and Leave want it until ctx ends; then it
// leaves the channel. It returns an error for what no trying again mends.
func (c *Conn) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Join puts the bot into a channel, out of another one if it is there. It returns
// once sound can be sent, or says why that is not to be.
func (c *Conn) Join(ctx context.Context, channel string) error { return ErrNotConnected }

// Leave takes the bot out of its channel.
func (c *Conn) Leave(ctx context.Context) error { return nil }

// UpdateState takes the bot's own voice state from the main gateway. It never blocks.
func (c *Conn) UpdateState(s State) {}

// UpdateServer takes the voice server from the main gateway. It never blocks.
func (c *Conn) UpdateServer(s Server) {}

// Write sends the next 20 ms of sound at once; it implements mixer.Outlet. While
// the connection is being renewed it waits, up to two seconds after the
// interruption, then it returns ErrNotConnected until the connection is back.
// Sixty milliseconds without a Write end a spurt of talk.
func (c *Conn) Write(ctx context.Context, f *audio.Frame) error { return ErrNotConnected }

// Stats returns the counts so far.
func (c *Conn) Stats() Stats { return Stats{} }

// PrivacyCode returns the code that everybody in the channel sees if nobody listens
// in, empty without end-to-end encryption.
func (c *Conn) PrivacyCode() string { return "" }
