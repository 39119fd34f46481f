package mcphost

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// PublishTools replaces all tools of a server with those of st, in one step. Only the server's supervisor
// calls it. It fails with [mcp.ErrClosed] once its owner is closed.
type PublishTools func(s *Server, st ServerState) error

// ServerPhase is the phase of a server's connection.
type ServerPhase string

// The phases. A server is connecting until its first attempt has ended. It has tools while it is ready or
// asleep. From each phase the supervisor may move to ready, asleep or down.
const (
	PhaseConnecting ServerPhase = "connecting"
	PhaseReady      ServerPhase = "ready"
	PhaseAsleep     ServerPhase = "asleep"
	PhaseDown       ServerPhase = "down"
)

// ServerState is a server's state. It is immutable once published.
type ServerState struct {
	Phase ServerPhase
	// Err is why the server is down.
	Err error
	// Connects counts the connections so far.
	Connects int
	// LeftOut counts the tools it lists beyond the limit.
	LeftOut int
	// Unusable says which other tools it lists that cannot be used, and why.
	Unusable []string
	// Tools may be used; Held wait for approval.
	Tools []*ServerTool
	Held  []HeldTool
}

// HeldTool is a tool that waits for approval, with the reason.
type HeldTool struct {
	*ServerTool
	Why string
}

// ServerOptions configures a [Server].
type ServerOptions struct {
	// Log receives events of the server and its stderr. If nil, they are discarded.
	Log *slog.Logger
	// Keeper stores the approved definitions. It is required.
	Keeper Keeper
	// Dial connects to the server. If nil, the configuration decides how.
	Dial Dialer
	// Mask removes secrets from failures that the server reports. If nil, it removes those that every Masker
	// removes.
	Mask *config.Masker
	// Asked is called after each question that the server asks the client behind a call; err is why it was
	// refused. If nil, questions are not recorded.
	Asked func(ctx context.Context, c *mcp.Call, took time.Duration, err error)
}

// Server is one external server. Its supervisor, [Server.Run], connects to it, publishes its tools while the
// connection lives, and reconnects when it is lost. All other methods are safe for concurrent use.
type Server struct {
	cfg        config.MCPServerConfig
	publish    PublishTools
	keeper     Keeper
	log        *slog.Logger
	secrets    *secrets
	mask       *config.Masker
	onQuestion func(ctx context.Context, c *mcp.Call, took time.Duration, err error) // may be nil
	dial       func(ctx context.Context) (*ServerConn, error)
	web        *web      // nil unless the server is reached over HTTP
	epoch      time.Time // when the server was created

	live      atomic.Pointer[link] // nil without a connection
	slots     chan struct{}        // one per running call
	queued    atomic.Int32         // calls waiting for a slot
	lastUsed  atomic.Int64         // when the last call ended, nanoseconds since epoch
	failures  atomic.Int32         // consecutive calls whose connection failed
	pause     pause                // requested by the server (HTTP 429)
	questions chan struct{}        // one per open question of the server

	relist  chan struct{} // signalled when the tools have changed
	wake    chan struct{} // signalled when a call needs a sleeping server
	doubted chan struct{} // signalled when calls make the connection look dead
	stopped chan struct{} // closed when Run returns

	known map[string]*listed // results of the last listing by tool name; owned by Run
	older bool               // connect with the older protocol; owned by Run

	mu        sync.Mutex // guards the fields below; not held while publishing
	state     ServerState
	attempted chan struct{} // closed when a connection attempt ends
}

// NewServer creates a server after checking its configuration. [Server.Run] connects to it.
func NewServer(cfg config.MCPServerConfig, publish PublishTools, o ServerOptions) (*Server, error) {
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
		cfg: cfg, publish: publish, keeper: o.Keeper, log: o.Log.With("server", cfg.Name), secrets: secretsOf(cfg), mask: o.Mask, onQuestion: o.Asked,
		epoch: time.Now(), slots: make(chan struct{}, concurrent), questions: make(chan struct{}, maxQuestionsAtOnce),
		relist: make(chan struct{}, 1), wake: make(chan struct{}, 1), doubted: make(chan struct{}, 1), stopped: make(chan struct{}),
		state: ServerState{Phase: PhaseConnecting}, attempted: make(chan struct{}),
	}
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

// ServerLoad describes how busy a server is.
type ServerLoad struct {
	// Calls counts running calls, Queued calls waiting for a slot, and Failures consecutive calls whose
	// connection failed.
	Calls, Queued, Failures int
	// Paused is the rest of the pause that the server asked for.
	Paused time.Duration
}

// Load returns how busy the server is.
func (s *Server) Load() ServerLoad {
	return ServerLoad{Calls: len(s.slots), Queued: int(s.queued.Load()), Failures: int(s.failures.Load()), Paused: s.pause.remaining()}
}

// maxLine bounds one line of an error message, in characters.
const maxLine = 500

// cleanLine cleans a server's text for one line of an error.
func cleanLine(text string) string { return untrusted.Line(text, maxLine) }
