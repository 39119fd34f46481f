// Package outbound provides the HTTP clients with which Glyphoxa calls external services: language models,
// voices, speech recognisers, Discord, MCP servers, token issuers and trace collectors. Because requests
// carry keys, prompts and what players said, all clients share one policy:
//
//   - A redirect is followed only within the origin of the request, and only if it repeats the request
//     unchanged. So no prompt and no key reaches another host.
//   - A private address is dialled only if a person configured that host. The check applies to the address
//     itself, after the name has been resolved. Addresses at which clouds hand out credentials must be
//     configured as literal addresses.
//   - The size of a response body and of its headers is limited.
//   - TLS is version 1.2 or later, and the proxies set in the environment are used.
//
// For example:
//
//	client := outbound.Client(nil, outbound.Policy{Home: baseURL, Private: true})
//
// The package starts no goroutines of its own. Clients are safe for concurrent use.
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
	// DefaultMaxBody is the default limit on the body of a response, in bytes. A long sentence of audio has
	// less than 10 MB.
	DefaultMaxBody = 64 << 20
	maxHeader      = 256 << 10
	dialTime       = 5 * time.Second
	handshakeTime  = 10 * time.Second
	idleTime       = 90 * time.Second
	// A connection that has been silent for pingAfter is pinged. If it does not answer within pingTime, no
	// further request is sent on it.
	pingAfter = 30 * time.Second
	pingTime  = 5 * time.Second
)

var (
	// ErrRedirect means that a response redirects the request to a place that the policy forbids.
	ErrRedirect = errors.New("redirect refused")
	// ErrPrivate means that an address belongs to this machine or its network.
	ErrPrivate = errors.New("is a private address")
	// ErrTooLong means that a response is longer than its policy allows.
	ErrTooLong = errors.New("the answer is too long")
)

// Policy says where a client may send requests. The zero value allows the public internet.
type Policy struct {
	// Home is the URL of the service that the client is for. If empty, there is no such service, and no
	// address is trusted more than another.
	Home string
	// Private allows private addresses for the host of Home, because a person configured that URL.
	Private bool
	// AnyPrivate allows private addresses for every host, because a person explicitly asked for that.
	AnyPrivate bool
	// Direct bypasses proxies so that the address itself can be checked. A proxy resolves names out of our
	// sight.
	Direct bool
	// MaxBody limits the body of a response, in bytes. If zero, the limit is [DefaultMaxBody]. If negative,
	// there is no limit and the caller must set one.
	MaxBody int64
	// Advice says, in error messages, what to do about a refused address. If empty, the advice is to
	// configure it.
	Advice string
}

// Client returns a client that enforces p. It uses the connections of base, or its own if base is nil. If the
// transport of base does not come from [NewTransport], it dials without restriction, but the client still
// follows no redirect that p forbids.
func Client(base *http.Client, p Policy) *http.Client {
	var c http.Client
	if base != nil {
		c = *base
	}
	next := c.Transport
	if next == nil {
		next = NewTransport()
	}
	if outer, is := next.(*guard); is { // a new policy replaces an earlier one
		next = outer.next
	}
	c.Transport = RoundTripper(next, p)
	return &c
}

// RoundTripper is like [Client], for a single transport.
func RoundTripper(next http.RoundTripper, p Policy) http.RoundTripper {
	g := &guard{next: next, policy: p}
	if u, err := url.Parse(p.Home); err == nil {
		g.trustedHost = strings.ToLower(u.Hostname())
	}
	return g
}

// NewTransport returns a transport for [Client], with the limits that all clients share. It dials private
// addresses only for clients whose policy allows that. Callers may change how many connections it keeps.
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
		DisableCompression:     true, // proxies delay compressed streams, and decompressed data is harder to limit
	}
}

// TLS returns the configuration that all TLS connections use.
func TLS() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// guard is a transport that enforces a policy.
type guard struct {
	next        http.RoundTripper
	policy      Policy
	trustedHost string // the host of Home in lower case; empty if Home is empty
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.admit(r); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // none of it was sent
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(r.WithContext(context.WithValue(r.Context(), reachKey{}, g.reach(r))))
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols || g.policy.MaxBody < 0 {
		return resp, err
	}
	most := cmp.Or(g.policy.MaxBody, DefaultMaxBody)
	resp.Body = &bounded{ReadCloser: resp.Body, remaining: most, limit: most}
	return resp, nil
}

// CloseIdleConnections closes connections that are not in use.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// admit refuses a request that must not be sent: a forbidden redirect, or a request to a private address in
// the URL itself.
func (g *guard) admit(r *http.Request) error {
	if before := r.Response; before != nil && before.Request != nil { // the client is following a redirect
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

// permits reports whether a host may have a private address.
func (g *guard) permits(host string) bool {
	return g.policy.AnyPrivate || g.policy.Private && strings.EqualFold(host, g.trustedHost)
}

func (p Policy) refusal(address string) error {
	return fmt.Errorf("%s %w; %s", address, ErrPrivate, cmp.Or(p.Advice, "if it is meant, configure this address as the service's own"))
}

// origin returns a URL's scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// reach says which addresses a connection for a request may use. The request's context carries it to the
// dialer.
type reach struct {
	private bool // private addresses are allowed
	literal bool // the URL contains the address literally
	direct  bool // bypass proxies
	refuse  func(address string) error
}

type reachKey struct{}

func (g *guard) reach(r *http.Request) reach {
	host := r.URL.Hostname()
	_, err := netip.ParseAddr(host)
	return reach{private: g.permits(host), literal: err == nil, direct: g.policy.Direct, refuse: g.policy.refusal}
}

// proxy returns the proxy that the environment sets for a request.
func proxy(r *http.Request) (*url.URL, error) {
	to, _ := r.Context().Value(reachKey{}).(reach)
	if to.direct {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Dial returns a function that dials like d, but enforces the policy of the request behind the context.
// Without a policy it refuses every private address.
func Dial(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		to, _ := ctx.Value(reachKey{}).(reach)
		if !to.direct && isProxy(address) {
			to.private, to.literal = true, true // the author of the environment configured the proxy
		}
		guarded := *d
		guarded.Control = func(_, address string, _ syscall.RawConn) error { return to.check(address) }
		return guarded.DialContext(ctx, network, address)
	}
}

// check refuses an address that a name has been resolved to, if the policy forbids it.
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

// isProxy reports whether address is that of a proxy set in the environment.
func isProxy(address string) bool {
	for _, scheme := range []string{"http", "https"} {
		// Use a name that NO_PROXY is unlikely to exclude.
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

// WithPolicy returns a context in which [Dial] enforces p for the host of p.Home. Use it for protocols other
// than HTTP, such as the WebSockets of another library.
func WithPolicy(ctx context.Context, p Policy) context.Context {
	g := RoundTripper(nil, p).(*guard)
	_, err := netip.ParseAddr(g.trustedHost)
	return context.WithValue(ctx, reachKey{}, reach{private: g.permits(g.trustedHost), literal: err == nil, direct: p.Direct, refuse: p.refusal})
}

// bounded is a body that can be read only up to a limit.
type bounded struct {
	io.ReadCloser
	remaining, limit int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.remaining <= 0 { // reading one more byte distinguishes the end from too much data
		var one [1]byte
		n, err := b.ReadCloser.Read(one[:])
		if n > 0 {
			return 0, fmt.Errorf("%w: more than %d MB came", ErrTooLong, b.limit>>20)
		}
		return 0, err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.remaining)])
	b.remaining -= int64(n)
	return n, err
}
