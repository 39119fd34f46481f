package access

// A [Gatekeeper] identifies callers on the network: clients with a token of their own, holders of an access
// token from an authorisation server, and anonymous callers, which must be on this machine.
//
// [Gatekeeper.Identify] returns a [Subject]; it does not decide what the subject may do. Before it, [Guard]
// refuses requests that a web page or a rebound name sent on behalf of an unsuspecting user.
//
// The gatekeeper stores only hashes of tokens, and starts no goroutines. Its only network access is to the
// keys of the configured issuer.

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Anonymous is the name of callers without a token.
const Anonymous = "anonymous"

// anonymousProfile is the profile of anonymous callers.
const anonymousProfile = "system.readonly"

// Transports of a subject.
const (
	TransportHTTP      = "http"
	TransportWebSocket = "websocket"
)

// GatekeeperOptions configures [NewGatekeeper].
type GatekeeperOptions struct {
	// Profile returns the profile with a name. It is required and must be safe for concurrent use.
	Profile func(name string) (Profile, bool)
	// HTTPClient fetches the issuer's keys. If nil, a client is used that follows no redirects, and reaches
	// private addresses only if the issuer itself has one.
	HTTPClient *http.Client
	// Logger receives the reasons for refusals, without tokens. If nil, they are discarded.
	Logger *slog.Logger
}

// digest is the SHA-256 of a token.
type digest [sha256.Size]byte

// tokenClient is one client in the configuration.
type tokenClient struct {
	digest  digest
	subject Subject
	revoked context.Context // ends when the entry is removed or changed
	revoke  context.CancelFunc
}

// Gatekeeper identifies callers. It is safe for concurrent use.
type Gatekeeper struct {
	profile   func(name string) (Profile, bool)
	clients   atomic.Pointer[[]tokenClient] // replaced by SetClients, never modified
	changing  sync.Mutex                    // held by SetClients
	anonymous Subject
	oauth     *oauth // nil if no authorization server is configured
	proxies   proxies
	wrong     wrongTokens
	log       *slog.Logger
	// equal is subtle.ConstantTimeCompare, except in tests.
	equal func(a, b []byte) int
}

// NewGatekeeper returns a Gatekeeper for the checked configuration cfg. It fails if a profile is unknown to
// GatekeeperOptions.Profile. The issuer's keys are fetched only when the first access token arrives. ctx is
// not kept.
func NewGatekeeper(ctx context.Context, cfg config.Server, opts GatekeeperOptions) (*Gatekeeper, error) {
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	trusted, err := parseProxies(cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	g := &Gatekeeper{profile: opts.Profile, proxies: trusted, wrong: newWrongTokens(), log: log, equal: subtle.ConstantTimeCompare}
	profile, ok := opts.Profile(anonymousProfile)
	if !ok {
		return nil, fmt.Errorf("reading server: there is no profile %q", anonymousProfile)
	}
	g.anonymous = Subject{Name: Anonymous, Profile: profile}
	if err := g.SetClients(cfg.Clients); err != nil {
		return nil, err
	}
	if cfg.OAuth != nil {
		o, err := newOAuth(cfg.OAuth, opts)
		if err != nil {
			return nil, fmt.Errorf("reading server.oauth: %w", err)
		}
		g.oauth = o
	}
	log.LogAttrs(ctx, slog.LevelDebug, "access configured",
		slog.Int("clients", len(cfg.Clients)), slog.Bool("oauth", g.oauth != nil))
	return g, nil
}

func newClient(c *config.Client, lookup func(string) (Profile, bool)) (tokenClient, error) {
	profile, ok := lookup(c.Profile)
	if !ok {
		return tokenClient{}, fmt.Errorf("there is no profile %q", c.Profile)
	}
	out := tokenClient{subject: Subject{Name: c.Name, Profile: profile, NPC: c.NPC}}
	out.revoked, out.revoke = context.WithCancel(context.Background())
	if c.Token != "" {
		out.digest = sha256.Sum256([]byte(c.Token.Reveal()))
		return out, nil
	}
	text, ok := strings.CutPrefix(c.TokenHash, hashPrefix)
	raw, err := hex.DecodeString(text)
	if !ok || err != nil || len(raw) != len(out.digest) {
		return tokenClient{}, fmt.Errorf("token_hash of %q is no hash of a token", c.Name)
	}
	copy(out.digest[:], raw)
	return out, nil
}

// Identify identifies the sender of r. The subject is the caller's own copy. Its Transport is [TransportHTTP]
// or [TransportWebSocket], and its Address comes from [Gatekeeper.Address].
//
// A request with a wrong token is never treated as anonymous, and one with a valid token is never refused
// because of earlier wrong ones. A request without a token is [Anonymous] if it was sent from this machine.
// The error wraps [ErrUnauthorized], [ErrForbidden], [ErrTooMany] or [ErrUnavailable]; [Status], [RetryAfter]
// and [Gatekeeper.Challenge] convert it to a response. Its text may be shown to the caller.
func (g *Gatekeeper) Identify(r *http.Request) (*Subject, error) {
	s, _, err := g.Admit(r)
	return s, err
}

// Admit is [Gatekeeper.Identify] for long-lasting requests such as WebSockets. The term says how long the
// result remains valid.
func (g *Gatekeeper) Admit(r *http.Request) (*Subject, Term, error) {
	s, term, err := g.identify(r)
	if err != nil {
		return nil, Term{}, err
	}
	s.Address = g.Address(r)
	s.Transport = TransportHTTP
	if IsUpgrade(r) {
		s.Transport = TransportWebSocket
	}
	return &s, term, nil
}

func (g *Gatekeeper) identify(r *http.Request) (Subject, Term, error) {
	token, given, err := credentials(r)
	if !given {
		if sentHere(r) {
			return g.anonymous, Term{}, nil
		}
		return Subject{}, Term{}, &denial{kind: ErrUnauthorized, text: "a token is needed from here"}
	}
	if err == nil {
		var s Subject
		var term Term
		if s, term, err = g.findHolder(r.Context(), token); err == nil {
			return s, term, nil
		}
	}
	if isGuess(err) {
		from := g.Address(r)
		wait, first := g.wrong.recordFailure(from, token)
		if first {
			g.log.LogAttrs(r.Context(), slog.LevelWarn, "too many wrong tokens", slog.String("remote", from))
		}
		if wait > 0 {
			return Subject{}, Term{}, tooMany(wait)
		}
	}
	return Subject{}, Term{}, err
}

// Address returns the address by which callers are counted: the IP address of the sender of r or, for IPv6,
// its /64 network, which one customer has alone. For a request from a trusted proxy, it is the address of the
// proxy's client.
func (g *Gatekeeper) Address(r *http.Request) string {
	ip := g.proxies.client(r)
	if !ip.IsValid() {
		return r.RemoteAddr
	}
	return addressKey(ip)
}

// Peer returns the counted address for the remote end of a connection, and whether that is a trusted proxy,
// whose connections many callers share.
func (g *Gatekeeper) Peer(remote string) (address string, proxy bool) {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote, false
	}
	ip := plainAddr(ap.Addr())
	return addressKey(ip), g.proxies.trusts(ip)
}

// findHolder returns the findHolder of a token.
func (g *Gatekeeper) findHolder(ctx context.Context, token string) (Subject, Term, error) {
	clients := *g.clients.Load()
	if i := g.match(clients, sha256.Sum256([]byte(token))); i >= 0 {
		return clients[i].subject, Term{revoked: clients[i].revoked}, nil
	}
	if g.oauth != nil && strings.Count(token, ".") == 2 {
		return g.oauth.findHolder(ctx, token, g.log)
	}
	return Subject{}, Term{}, &denial{kind: ErrUnauthorized, code: codeInvalidToken, text: "the token is not known"}
}

// match returns the index of the client with this token, or -1. It always compares all clients, each in
// constant time, so that its duration reveals nothing.
func (g *Gatekeeper) match(clients []tokenClient, sum digest) int {
	found := -1
	for i := range clients {
		same := g.equal(sum[:], clients[i].digest[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	return found
}
