// Package upstream keeps external MCP servers connected: it starts or dials
// them as configured, supervises them, lists their tools, holds back definitions
// that nobody approved, and carries calls to them. What servers say and send is
// not trusted: everything is bounded and cleaned.
//
// It knows nothing of whoever uses the tools: they are published to a
// [Registry], which decides on their names, measures them and calls them.
package upstream

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mask"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// PublishFunc makes st all that is known about a server, in one step: the tools of st are the
// server's tools from now on, and no others. The server's supervisor alone calls it. It fails with
// [mcp.ErrClosed] once the caller of the tools is closed.
type PublishFunc func(s *Server, st State) error

// Phase is what a server is doing.
type Phase string

// The phases. A server is connecting until its first attempt has ended; ready
// and asleep have tools; from each the supervisor may go to any of the other
// three.
const (
	PhaseConnecting Phase = "connecting"
	PhaseReady      Phase = "ready"
	PhaseAsleep     Phase = "asleep"
	PhaseDown       Phase = "down"
)

// State is what is known of a server. It is not changed once it is published.
type State struct {
	Phase Phase
	// Err is why the server is down.
	Err error
	// Connects counts the connections made so far.
	Connects int
	// LeftOut counts the tools it lists beyond the most that are taken.
	LeftOut int
	// Tools are those that may be used, Held those that wait for approval.
	Tools []*Tool
	Held  []HeldTool
}

// HeldTool is a tool that waits for approval, and why.
type HeldTool struct {
	*Tool
	Why string
}

// Options configures a [Server].
type Options struct {
	// Log receives what happens to the server and what it says on stderr. If nil,
	// it is discarded.
	Log *slog.Logger
	// Keeper keeps the approved definitions. It is required.
	Keeper Keeper
	// Dial connects to the server. If nil, it is reached as configured.
	Dial Dialer
	// Mask takes secrets out of what the server says of its failures. If nil, it takes
	// out what every Masker does.
	Mask *mask.Masker
	// Asked is told of each question the server puts to its client, with why it was refused
	// if it was. If nil, nobody is.
	Asked func(ctx context.Context, c *mcp.Call, took time.Duration, err error)
}

// Server is one external server. Its supervisor, [Server.Run], connects it,
// keeps its tools published while it lives, and connects it again when it dies.
// All other methods are safe for concurrent use.
type Server struct {
	cfg     config.MCPServerConfig
	publish PublishFunc
	pins    pinStore
	log     *slog.Logger
	secrets *secrets
	mask    *mask.Masker
	asking  *questions
	dial    dialFunc
	epoch   time.Time            // when the server was made
	live    atomic.Pointer[link] // nil while there is no connection
	slots   chan struct{}        // a place for every call under way
	queued  atomic.Int32         // calls waiting for a place
	used    atomic.Int64         // when the last call ended, nanoseconds since epoch
	fails   atomic.Int32         // calls in a row that the connection failed
	pause   pause                // asked for by the server (HTTP 429)

	relist  chan struct{} // the tools have changed
	wake    chan struct{} // a sleeping server is needed
	suspect chan struct{} // the connection is doubted
	stopped chan struct{} // closed when Run returns

	known map[string]*listed // what the last listing made of each definition; owned by Run
	older bool               // open with the older protocol; owned by Run

	mu      sync.Mutex // guards the fields below; never held while publishing
	state   State
	settled chan struct{} // closed when a connection attempt ends
}

// New checks a server's configuration; [Server.Run] connects it.
func New(cfg config.MCPServerConfig, publish PublishFunc, o Options) (*Server, error) {
	if what := mcp.CheckServerName(cfg.Name); what != "" {
		return nil, fmt.Errorf("the name %q %s", cfg.Name, what)
	}
	concurrent := cfg.MaxConcurrent
	if concurrent <= 0 {
		concurrent = defaultConcurrent
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		cfg: cfg, publish: publish, pins: pinStore{o.Keeper}, log: o.Log.With("server", cfg.Name), secrets: secretsOf(cfg), mask: o.Mask,
		epoch: time.Now(), slots: make(chan struct{}, concurrent),
		relist: make(chan struct{}, 1), wake: make(chan struct{}, 1), suspect: make(chan struct{}, 1), stopped: make(chan struct{}),
		state: State{Phase: PhaseConnecting}, settled: make(chan struct{}),
	}
	s.asking = &questions{s, o.Asked, make(chan struct{}, maxAsks)}
	var err error
	if s.dial, err = s.dialer(o.Dial); err != nil {
		return nil, err
	}
	return s, nil
}

// Name returns the configured name.
func (s *Server) Name() string { return s.cfg.Name }

// Pinned reports whether new and changed definitions wait for approval.
func (s *Server) Pinned() bool { return s.cfg.Pin }

// Asleep reports whether a call would have to wake the server.
func (s *Server) Asleep() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Phase == PhaseAsleep
}

// Load is how busy a server is.
type Load struct {
	// Calls counts the calls under way, Queued those that wait for a place, and
	// Failures those in a row that the connection failed.
	Calls, Queued, Failures int
	// Paused is for how much longer the server wants no calls.
	Paused time.Duration
}

// Load returns how busy the server is.
func (s *Server) Load() Load {
	return Load{Calls: len(s.slots), Queued: int(s.queued.Load()), Failures: int(s.fails.Load()), Paused: s.pause.remaining()}
}

// maxLine bounds one line of an error message, in characters.
const maxLine = 500

// cleanLine makes a server's message fit for one line of an error.
func cleanLine(text string) string { return untrusted.Line(text, maxLine) }
