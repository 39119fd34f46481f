package discordtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Options configure a Server. The zero value is a Discord without faults that
// permits everything a bot may request.
type Options struct {
	// Token is the bot's token. If empty, the server generates one of the right
	// form.
	Token string
	// Intents are the privileged intents that the application may use, and may
	// include others. Zero means all; Server.AllowIntents changes them.
	Intents Intents
	// Permissions are the permissions of the bot's role in new guilds. Zero
	// means PermissionsOfBot.
	Permissions Permissions
	// Heartbeat is the interval in Hello. Zero means 41.25 s. The server closes
	// a connection silent for one and a half intervals.
	Heartbeat time.Duration
	// IdentifyInterval is the least time between identifies of a shard group;
	// earlier ones get Invalid Session. Zero means no bound; Discord has 5 s.
	IdentifyInterval time.Duration
	// MaxConcurrency is how many shards may identify within an interval. Zero
	// means 1.
	MaxConcurrency int
	// Shards is the number that GET /gateway/bot recommends. Zero means 1.
	Shards int
	// InteractionDeadline bounds the wait for an interaction's first answer.
	// With Pipes, in virtual time, zero means Discord's three seconds;
	// otherwise it means ten times that, so that a busy machine fails only
	// tests of the deadline.
	InteractionDeadline time.Duration
	// Patience bounds every wait of the Go API. Zero means a minute.
	Patience time.Duration
	// Voice is called when the bot joins a voice channel; the bot gets its
	// result as VOICE_SERVER_UPDATE. It runs between two payloads of the
	// connection, without locks held. If nil, the bot's voice state changes and
	// the server announces no voice server; Server.AnnounceVoice can do that
	// later.
	Voice func(VoiceJoin) VoiceServer
	// Listener accepts the connections. If nil, the server listens on loopback;
	// see Pipes.
	Listener net.Listener
}

// A VoiceJoin is the data that the voice gateway needs about a joining bot.
type VoiceJoin struct {
	GuildID, ChannelID, UserID, SessionID string
}

// A VoiceServer is the address of the voice gateway and the bot's token there.
type VoiceServer struct {
	Token    string `json:"token"`
	Endpoint string `json:"endpoint"` // host and port
}

// Server is one Discord. Its methods are safe for concurrent use.
type Server struct {
	opts    Options
	http    *httptest.Server
	stop    context.CancelFunc
	stopped <-chan struct{}
	conns   sync.WaitGroup // gateway connections, which the HTTP server does not wait for

	mu      sync.Mutex // guards the fields below and everything they reach
	changed chan struct{}
	last    uint64 // the last snowflake

	token   string // empty if revoked
	app     application
	bot     *User
	locales map[string]string // by user; empty is en-US
	users   map[string]*User

	guilds   map[string]*guild
	channels map[string]*channel
	webhooks map[string]*webhook
	files    map[string]file

	commands     map[string][]*command   // by guild, global under ""
	interactions map[string]*Interaction // by token

	gateway    gateway
	oauth      oauth
	voice      voice
	limits     limits
	disturb    func(route string) Fault
	disturbing sync.Mutex // held while disturb is called

	requests []Request
	faults   []string
	overrun  int // faults beyond the bound
}

// maxFaults bounds the stored faults; further ones are only counted.
const maxFaults = 50

type application struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Flags int    `json:"flags"`
	Owner *User  `json:"owner,omitempty"`
	Team  *team  `json:"team,omitempty"`
}

// team owns an application.
type team struct {
	ID      string       `json:"id"`
	Members []teamMember `json:"members"`
}

type teamMember struct {
	State int   `json:"membership_state"` // 2 for an accepted invitation
	User  *User `json:"user"`
}

// New starts a server that is closed when the test ends. Faults that were not
// taken fail the test then.
func New(t testing.TB, o *Options) *Server {
	t.Helper()
	s := newServer(o)
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.TakeFaults() {
			t.Errorf("Discord: %s", f)
		}
	})
	return s
}

func newServer(o *Options) *Server {
	s := &Server{
		changed:      make(chan struct{}),
		users:        map[string]*User{},
		guilds:       map[string]*guild{},
		channels:     map[string]*channel{},
		webhooks:     map[string]*webhook{},
		files:        map[string]file{},
		commands:     map[string][]*command{},
		interactions: map[string]*Interaction{},
	}
	if o != nil {
		s.opts = *o
	}
	s.opts.fill()
	s.gateway.init(s.opts)
	s.limits.init()
	s.bot = s.newUser("glyphoxa")
	s.bot.Bot = true
	s.app = application{ID: s.bot.ID, Name: s.bot.Username}
	s.token = s.opts.Token
	if s.token == "" {
		s.token = tokenFor(s.bot.ID)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.stopped = cancel, ctx.Done()
	s.http = httptest.NewUnstartedServer(s.handler())
	if s.opts.Listener != nil {
		_ = s.http.Listener.Close() // the listener is unused
		s.http.Listener = s.opts.Listener
	}
	s.http.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.http.Start()
	return s
}

func (o *Options) fill() {
	if o.Intents == 0 {
		o.Intents = AllIntents
	}
	if o.Permissions == 0 {
		o.Permissions = PermissionsOfBot
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 41250 * time.Millisecond
	}
	if o.MaxConcurrency == 0 {
		o.MaxConcurrency = 1
	}
	if o.Shards == 0 {
		o.Shards = 1
	}
	if _, virtual := o.Listener.(*Pipes); virtual && o.InteractionDeadline == 0 {
		o.InteractionDeadline = 3 * time.Second
	}
	if o.InteractionDeadline == 0 {
		o.InteractionDeadline = 30 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
}

// Close ends all connections and waits for them. It may be called twice.
func (s *Server) Close() {
	s.stop()
	s.http.Close()
	s.conns.Wait()
}

// APIURL returns the base of the REST API, without version and slash at its
// end: http://127.0.0.1:PORT/api.
func (s *Server) APIURL() string { return s.http.URL + "/api" }

// Transport redirects calls to Discord's public addresses to this server, for
// clients with fixed addresses. It refuses other addresses.
func (s *Server) Transport() http.RoundTripper {
	return transport{s.http.Client().Transport, s.http.Listener.Addr().String()}
}

type transport struct {
	base http.RoundTripper
	addr string
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.URL.Host {
	case "discord.com", "cdn.discordapp.com":
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = "http", t.addr
	case t.addr:
	default:
		return nil, fmt.Errorf("discordtest: %s is not Discord", r.URL.Host)
	}
	return t.base.RoundTrip(r)
}

// Token returns the bot's token, even a revoked one.
func (s *Server) Token() string {
	if s.opts.Token != "" {
		return s.opts.Token
	}
	return tokenFor(s.bot.ID)
}

// ApplicationID returns the application's id.
func (s *Server) ApplicationID() string { return s.app.ID }

// BotID returns the user id of the bot, which is also the application's.
func (s *Server) BotID() string { return s.bot.ID }

// TakeFaults returns the faults so far and clears them.
func (s *Server) TakeFaults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.faults
	if s.overrun > 0 {
		all = append(all, fmt.Sprintf("%d more faults", s.overrun))
	}
	s.faults, s.overrun = nil, 0
	return all
}

// fault records an offence of the client; s.mu must be held.
func (s *Server) fault(format string, args ...any) {
	if len(s.faults) == maxFaults {
		s.overrun++
		return
	}
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
	s.touch()
}

// touch wakes all waiters for a change; s.mu must be held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await returns when cond, called under the lock, reports true.
func (s *Server) await(ctx context.Context, what string, cond func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Patience)
	defer cancel()
	for {
		s.mu.Lock()
		done, changed := cond(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-s.stopped:
			return fmt.Errorf("waiting for %s: %w", what, http.ErrServerClosed)
		}
	}
}
