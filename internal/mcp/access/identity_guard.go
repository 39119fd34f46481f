package access

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

var (
	// ErrHost means that a request names an unknown host, for example after an attacker rebound a web page's
	// name to this machine.
	ErrHost = errors.New("unknown host")
	// ErrOrigin means that a request comes from a web page that may not connect.
	ErrOrigin = errors.New("origin not allowed")
)

// Guard decides which requests are processed at all, over HTTP and WebSocket. It is safe for concurrent use
// as long as it is not modified.
type Guard struct {
	// AllowedOrigins are the web origins whose pages may connect, as "scheme://host[:port]". The server's own
	// origin is always allowed.
	AllowedOrigins []string
	// AllowedHosts are further host names of the server, each with an optional port.
	AllowedHosts []string
	// Addr is the address the server listens on, as "host:port".
	Addr string
}

// Check returns nil if r may be processed, else an error that wraps [ErrHost] or [ErrOrigin]. A request
// without an Origin header comes from a program, not from a web page.
func (g Guard) Check(r *http.Request) error {
	if !g.knowsHost(r) {
		return fmt.Errorf("%w: add the name to allowed_hosts if it is meant", ErrHost)
	}
	origins := r.Header.Values("Origin")
	switch {
	case len(origins) == 0:
		return nil
	case len(origins) == 1 && g.knowsOrigin(origins[0], r.Host):
		return nil
	}
	return fmt.Errorf("%w: add it to allowed_origins if it is meant", ErrOrigin)
}

// knowsHost reports whether r is addressed to a known name of the server. The IP address at which r arrived
// is also accepted, because an IP address cannot be rebound.
func (g Guard) knowsHost(r *http.Request) bool {
	name, port := splitHost(r.Host)
	if name == "" {
		return false
	}
	for _, allowed := range g.AllowedHosts {
		if n, p := splitHost(allowed); n == name && (p == "" || p == port) {
			return true
		}
	}
	ends := []string{g.Addr}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		ends = append(ends, local.String())
	}
	for _, end := range ends {
		own, _ := splitHost(end)
		switch {
		case own == "" || isUnspecified(own):
		case own == name, sameIP(own, name), isLoopbackName(own) && isLoopbackName(name):
			return true
		}
	}
	return false
}

func isUnspecified(name string) bool {
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsUnspecified()
}

func sameIP(a, b string) bool {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	return errX == nil && errY == nil && x.Unmap().WithZone("") == y.Unmap().WithZone("")
}

// knowsOrigin reports whether pages of an origin may connect to host.
func (g Guard) knowsOrigin(text, host string) bool {
	scheme, at, ok := splitOrigin(text)
	if !ok {
		return false
	}
	if defaultPort(scheme) != "" && at == hostPort(host, scheme) {
		return true
	}
	return slices.ContainsFunc(g.AllowedOrigins, func(allowed string) bool {
		s, a, ok := splitOrigin(allowed)
		return ok && s == scheme && a == at
	})
}

// splitOrigin splits an origin, in lower case and without the scheme's default port. ok is false for "null"
// and anything else that is not an origin.
func splitOrigin(text string) (scheme, at string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", "", false
	}
	scheme = strings.ToLower(u.Scheme)
	return scheme, hostPort(u.Host, scheme), true
}

// hostPort normalises the host of an address for comparison.
func hostPort(host, scheme string) string {
	name, port := splitHost(host)
	if port == "" || port == defaultPort(scheme) {
		return name
	}
	return net.JoinHostPort(name, port)
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}
