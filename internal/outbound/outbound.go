// Package outbound makes the HTTP clients with which Glyphoxa asks services for
// something: models, voices, recognisers, Discord, MCP servers, issuers of tokens,
// collectors of traces. It holds the policy they share, because a request carries
// what players said, prompts and keys:
//
//   - A redirect is followed within the origin of the request alone, and only if it
//     repeats the request as it was. So no prompt and no key goes to another host.
//   - A private address is dialled only where a person configured that host. The
//     check sees the address itself, after every name is resolved. Addresses at
//     which clouds hand out credentials must be written as such.
//   - The body of an answer and its headers are bounded.
//   - TLS is version 1.2 or later, and proxies of the environment are respected.
//
// For example:
//
//	client := outbound.Client(nil, outbound.Policy{Home: baseURL, Private: true})
//
// The package starts no goroutine. Clients are safe for concurrent use.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	// DefaultMaxBody bounds the body of an answer, in bytes, where a policy says
	// nothing else: a long sentence as sound has less than 10 MB.
	DefaultMaxBody = 64 << 20
	maxHeader      = 256 << 10
	dialTime       = 5 * time.Second
	handshakeTime  = 10 * time.Second
	idleTime       = 90 * time.Second
	// A connection on which nothing was heard for pingAfter is asked whether it
	// lives; without an answer within pingTime no request is sent into it.
	pingAfter = 30 * time.Second
	pingTime  = 5 * time.Second
)

var (
	// ErrRedirect means that an answer sends the request on to where it may not go.
	ErrRedirect = errors.New("redirect refused")
	// ErrPrivate means that an address leads into this machine or its network.
	ErrPrivate = errors.New("is a private address")
	// ErrTooLong means that an answer is longer than its policy permits.
	ErrTooLong = errors.New("the answer is too long")
)

// Policy says where the requests of a client may go. The zero value permits the
// open network.
type Policy struct {
	// Home is the URL of the service that the client is for. If empty, there is no
	// such service, and no address is trusted more than another.
	Home string
	// Private permits private addresses for the host of Home, because a person wrote
	// that URL.
	Private bool
	// AnyPrivate permits private addresses for every host, because a person said so.
	AnyPrivate bool
	// Direct uses no proxy, so that the address itself is checked: a proxy resolves
	// names where it cannot be seen.
	Direct bool
	// MaxBody bounds the body of an answer in bytes. If zero, it is
	// [DefaultMaxBody]; if negative, the caller bounds it.
	MaxBody int64
	// Advice says in a message what to do about an address that is refused. If empty,
	// it is to configure it.
	Advice string
}

// Client returns a client that keeps to p and uses the connections of base, or
// connections of its own if base is nil. A base with a transport that is not of
// [NewTransport] dials as it likes, but follows no redirect that p refuses.
func Client(base *http.Client, p Policy) *http.Client {
	var c http.Client
	if base != nil {
		c = *base
	}
	next := c.Transport
	if next == nil {
		next = NewTransport()
	}
	if outer, is := next.(*guard); is { // a policy replaces another
		next = outer.next
	}
	c.Transport = RoundTripper(next, p)
	return &c
}

// RoundTripper is [Client] for one transport.
func RoundTripper(next http.RoundTripper, p Policy) http.RoundTripper {
	g := &guard{next: next, policy: p}
	if u, err := url.Parse(p.Home); err == nil {
		g.home = strings.ToLower(u.Hostname())
	}
	return g
}

// NewTransport returns connections for [Client], with the bounds that all share. It
// dials private addresses only for clients whose policy permits that. Callers may
// change how many connections are kept.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            Dial(&net.Dialer{Timeout: dialTime}),
		TLSClientConfig:        TLS(),
		TLSHandshakeTimeout:    handshakeTime,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTime},
		IdleConnTimeout:        idleTime,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // proxies hold compressed streams back, and what is unpacked is harder to bound
	}
}

// TLS returns the configuration of every TLS connection.
func TLS() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// guard enforces a policy.
type guard struct {
	next   http.RoundTripper
	policy Policy
	home   string // the host of Home in lower case; empty if there is none
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.admit(r); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was sent of it
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), reachKey{}, g.reach(r))))
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols || g.policy.MaxBody < 0 {
		return resp, err
	}
	most := cmp.Or(g.policy.MaxBody, DefaultMaxBody)
	resp.Body = &bounded{ReadCloser: resp.Body, left: most, most: most}
	return resp, nil
}

// CloseIdleConnections closes the connections that no request uses.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// admit refuses a request that may not be sent: a redirect elsewhere, or one to a
// private address that the URL itself names.
func (g *guard) admit(r *http.Request) error {
	if before := r.Response; before != nil && before.Request != nil { // the client follows a redirect
		from, to := before.Request.URL, r.URL
		switch {
		case origin(from) != origin(to):
			return fmt.Errorf("%w: %s sends the request on to %s, and nothing is sent to another host than the configured one; configure the address that answers by itself", ErrRedirect, origin(from), origin(to))
		case before.Request.Method != r.Method:
			return fmt.Errorf("%w: %s answers a %s with the advice to ask elsewhere (status %d); configure the address that answers by itself", ErrRedirect, origin(from), before.Request.Method, before.StatusCode)
		}
	}
	if host := r.URL.Hostname(); hostIsPrivate(host) && !g.permits(host) {
		return g.policy.refusal(host)
	}
	return nil
}

// permits reports whether a host may be at a private address.
func (g *guard) permits(host string) bool {
	return g.policy.AnyPrivate || g.policy.Private && strings.EqualFold(host, g.home)
}

func (p Policy) refusal(address string) error {
	return fmt.Errorf("%s %w; %s", address, ErrPrivate, cmp.Or(p.Advice, "if it is meant, configure this address as the service's own"))
}

// origin is a URL's scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// reach is what a connection for a request may lead to. The request's context
// carries it to the dialer.
type reach struct {
	private bool // private addresses are permitted
	literal bool // the URL itself names the address
	direct  bool // no proxy
	refuse  func(address string) error
}

type reachKey struct{}

func (g *guard) reach(r *http.Request) reach {
	host := r.URL.Hostname()
	_, err := netip.ParseAddr(host)
	return reach{private: g.permits(host), literal: err == nil, direct: g.policy.Direct, refuse: g.policy.refusal}
}

// proxy is the environment's proxy for a request.
func proxy(r *http.Request) (*url.URL, error) {
	to, _ := r.Context().Value(reachKey{}).(reach)
	if to.direct {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Dial returns a function that dials as d does and keeps to the policy of the
// request behind the context. Without one it refuses every private address.
func Dial(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		to, _ := ctx.Value(reachKey{}).(reach)
		if !to.direct && isProxy(address) {
			to.private, to.literal = true, true // whoever set the environment wrote it
		}
		guarded := *d
		guarded.Control = func(_, address string, _ syscall.RawConn) error { return to.check(address) }
		return guarded.DialContext(ctx, network, address)
	}
}

// check refuses an address that a name was resolved to.
func (t reach) check(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("reading the address %q: %w", address, err)
	}
	ip := ap.Addr().Unmap().WithZone("")
	if !IsPrivate(ip) || t.private && (t.literal || !isMetadata(ip)) {
		return nil
	}
	if t.refuse == nil {
		t.refuse = Policy{}.refusal
	}
	return t.refuse(ip.String())
}

// isProxy reports whether address is that of a proxy of the environment.
func isProxy(address string) bool {
	for _, scheme := range []string{"http", "https"} {
		// A name that no NO_PROXY excludes, as far as one can be.
		u, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: "proxied.invalid"}})
		if err != nil || u == nil {
			continue
		}
		port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme])
		if strings.EqualFold(address, net.JoinHostPort(u.Hostname(), port)) {
			return true
		}
	}
	return false
}

// WithPolicy returns a context in which [Dial] keeps to p for the host of p.Home. It
// is for protocols that are not HTTP, such as WebSockets of another library.
func WithPolicy(ctx context.Context, p Policy) context.Context {
	g := RoundTripper(nil, p).(*guard)
	_, err := netip.ParseAddr(g.home)
	return context.WithValue(ctx, reachKey{}, reach{private: g.permits(g.home), literal: err == nil, direct: p.Direct, refuse: p.refusal})
}

// bounded is a body of which only so much is read.
type bounded struct {
	io.ReadCloser
	left, most int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 { // one byte more tells an end from too much
		var one [1]byte
		n, err := b.ReadCloser.Read(one[:])
		if n > 0 {
			return 0, fmt.Errorf("%w: more than %d MB came", ErrTooLong, b.most>>20)
		}
		return 0, err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
