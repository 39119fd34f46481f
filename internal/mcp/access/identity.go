package access

// A [Gatekeeper] says who is calling over the network: a client with a token
// of its own, the holder of an authorization server's access token, or, from
// this machine alone, anybody.
//
// [Gatekeeper.Identify] answers with a [Subject]; what a subject may do
// is not decided here. [Guard] refuses requests that a web page or a rebound
// name sent on behalf of somebody who does not know of it; it comes first.
//
// It stores no tokens, only their hashes, and starts no goroutine; the one thing
// it reaches for is the key set of the configured issuer.

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

// anonymousProfile is what they may do.
const anonymousProfile = "system.readonly"

// The transports a subject comes by.
const (
	TransportHTTP      = "http"
	TransportWebSocket = "websocket"
)

// GatekeeperOptions tell [NewGatekeeper] about its surroundings.
type GatekeeperOptions struct {
	// Profile returns the profile of that name. It is required and safe for
	// concurrent use.
	Profile func(name string) (Profile, bool)
	// HTTPClient fetches the issuer's keys. If nil, one that follows no redirect
	// and reaches private addresses only if the issuer is at one itself.
	HTTPClient *http.Client
	// Logger is told why access was refused, without tokens. If nil, nobody is.
	Logger *slog.Logger
}

// digest is the SHA-256 of a token.
type digest [sha256.Size]byte

// tokenClient is one entry of the configuration.
type tokenClient struct {
	digest  digest
	subject Subject
	revoked context.Context // ends when the entry is gone or another
	revoke  context.CancelFunc
}

// Gatekeeper identifies callers. It is safe for concurrent use.
type Gatekeeper struct {
	profile   func(name string) (Profile, bool)
	clients   atomic.Pointer[[]tokenClient] // replaced by SetClients, never changed
	changing  sync.Mutex                    // held by SetClients
	anonymous Subject
	oauth     *oauth // nil if no authorization server is configured
	proxies   proxies
	wrong     wrongTokens
	log       *slog.Logger
	// equal is subtle.ConstantTimeCompare but for tests.
	equal func(a, b []byte) int
}

// NewGatekeeper returns a Gatekeeper for the checked configuration cfg. It fails if a
// profile is named that Options.Profile does not know. Nothing is fetched before
// the first access token comes; ctx is not kept.
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

// Identify says who sent r. The subject is the caller's own copy, its Transport
// [TransportHTTP] or [TransportWebSocket], its Address that of [Gatekeeper.Address].
//
// A request with a token is that token's or nobody's: a wrong one is never
// anonymous, and a right one never refused for wrong ones that came before. Without a
// token it is [Anonymous] if it was sent on this machine.
// The error wraps [ErrUnauthorized], [ErrForbidden], [ErrTooMany] or
// [ErrUnavailable]; [Status], [RetryAfter] and [Gatekeeper.Challenge] turn it
// into an answer. Its text is fit for the caller to read.
func (g *Gatekeeper) Identify(r *http.Request) (*Subject, error) {
	s, _, err := g.Admit(r)
	return s, err
}

// Admit is [Gatekeeper.Identify] for requests that last, such as a WebSocket: the term says how
// long the answer holds.
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
		if s, term, err = g.holder(r.Context(), token); err == nil {
			return s, term, nil
		}
	}
	if isGuess(err) {
		from := g.Address(r)
		wait, first := g.wrong.strike(from, token)
		if first {
			g.log.LogAttrs(r.Context(), slog.LevelWarn, "too many wrong tokens", slog.String("remote", from))
		}
		if wait > 0 {
			return Subject{}, Term{}, tooMany(wait)
		}
	}
	return Subject{}, Term{}, err
}

// Address is what shares are counted by that go by address: the IP address of who sent
// r, of IPv6 the network that one customer has to itself. Of a request that a trusted
// proxy passes on it is that of the proxy's client.
func (g *Gatekeeper) Address(r *http.Request) string {
	ip := g.proxies.client(r)
	if !ip.IsValid() {
		return r.RemoteAddr
	}
	return addressKey(ip)
}

// Peer is [Gatekeeper.Address] of whoever is at the other end of a connection, and
// whether that is a trusted proxy, whose connections many callers share.
func (g *Gatekeeper) Peer(remote string) (address string, proxy bool) {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote, false
	}
	ip := plainAddr(ap.Addr())
	return addressKey(ip), g.proxies.trusts(ip)
}

// holder says whose token this is.
func (g *Gatekeeper) holder(ctx context.Context, token string) (Subject, Term, error) {
	clients := *g.clients.Load()
	if i := g.match(clients, sha256.Sum256([]byte(token))); i >= 0 {
		return clients[i].subject, Term{revoked: clients[i].revoked}, nil
	}
	if g.oauth != nil && strings.Count(token, ".") == 2 {
		return g.oauth.holder(ctx, token, g.log)
	}
	return Subject{}, Term{}, &denial{kind: ErrUnauthorized, code: codeInvalidToken, text: "the token is not known"}
}

// match returns the index of the client with this token, -1 if there is none.
// It always compares all of them, each in constant time, so that the time taken
// tells nothing.
func (g *Gatekeeper) match(clients []tokenClient, sum digest) int {
	found := -1
	for i := range clients {
		same := g.equal(sum[:], clients[i].digest[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	return found
}
