package access

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forwarded lists the headers with which a proxy announces that it forwards a request. Behind a proxy on this
// machine, remote callers look like local ones.
func forwarded() []string {
	return []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
		"Via", "True-Client-Ip", "Cf-Connecting-Ip",
	}
}

// sentHere reports whether a program on this machine sent r on its own behalf: both ends of the connection
// and the requested host are loopback, and no proxy header is present. A proxy that adds no headers cannot be
// distinguished from a local program. HTTP/1.0 is refused, because some proxies use it and no MCP client
// does.
func sentHere(r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) {
		return false
	}
	for _, name := range forwarded() {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || !isLoopback(local.String()) || !isLoopback(r.RemoteAddr) {
		return false
	}
	name, _ := splitHost(r.Host)
	return isLoopbackName(name)
}

// isLoopback reports whether address, an IP address with a port, is a loopback address.
func isLoopback(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// isLoopbackName reports whether a host name without a port always means this machine.
func isLoopbackName(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// splitHost splits a Host header into the name, in lower case without brackets and final dot, and the port,
// which may be empty.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ""
	}
	return strings.TrimSuffix(strings.ToLower(name), "."), port
}

// IsUpgrade reports whether r asks for a WebSocket.
func IsUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}
