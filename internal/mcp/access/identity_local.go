package access

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// forwarded are the headers by which a proxy tells that it speaks for somebody
// else. A proxy on this machine makes strangers look like neighbours.
func forwarded() []string {
	return []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
		"Via", "True-Client-Ip", "Cf-Connecting-Ip",
	}
}

// sentHere reports whether r was sent by a program on this machine, on its own
// behalf: both ends of the connection and the name it was addressed by are
// loopback, and no proxy has left a trace. A proxy that leaves none cannot be
// told from a neighbour; some still speak HTTP/1.0, as no MCP client does.
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

// isLoopback reports whether address is an IP address and port of this machine.
func isLoopback(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// isLoopbackName reports whether a host name without a port can only mean this
// machine.
func isLoopbackName(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// splitHost takes a Host header apart: the name in lower case without brackets
// and final dot, and the port, empty if there is none.
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
