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
	// ErrHost is returned when a request is addressed to a name the server does
	// not go by, as after a web page's name was rebound to this machine.
	ErrHost = errors.New("unknown host")
	// ErrOrigin is returned when a request comes from a web page that may not
	// connect.
	ErrOrigin = errors.New("origin not allowed")
)

// Guard says which requests may be looked at at all, over HTTP as over
// WebSocket. It is safe for concurrent use while nobody changes it.
type Guard struct {
	// AllowedOrigins are web origins whose pages may connect, as
	// "scheme://host[:port]". The server's own origin always may.
	AllowedOrigins []string
	// AllowedHosts are names, each perhaps with a port, that the server goes by
	// beside its own address.
	AllowedHosts []string
	// Addr is the address the server listens on, as "host:port".
	Addr string
}

// Check returns nil if r may be looked at, else an error that wraps [ErrHost] or
// [ErrOrigin]. Requests without an Origin come from programs, not from pages.
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

// knowsHost reports whether the server goes by the name that r is addressed to.
// An IP address cannot be rebound, so the one that r arrived at is fine too.
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

// knowsOrigin reports whether pages of this origin may connect to host.
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

// splitOrigin takes an origin apart, in lower case and without a port that its
// scheme implies. ok is false for "null" and whatever else is no origin.
func splitOrigin(text string) (scheme, at string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", "", false
	}
	scheme = strings.ToLower(u.Scheme)
	return scheme, hostPort(u.Host, scheme), true
}

// hostPort makes the host of an address comparable.
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
