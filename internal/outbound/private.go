package outbound

import (
	"net/netip"
	"net/url"
	"strings"
)

// closed lists private networks that package netip has no predicate for: ranges for this machine, shared
// address space, benchmarking, and IPv6 ranges that embed an IPv4 address.
var closed = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// IsPrivate reports whether ip is not on the public internet, because it belongs to this machine, its
// network, or the internal network of a cloud.
func IsPrivate(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return true
	}
	for _, n := range closed {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// metadata lists networks in which clouds serve a machine's own credentials. A name that resolves to one of
// them is refused even if private addresses are allowed.
var metadata = [...]netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fd00:ec2::254/128"),
	netip.MustParsePrefix("100.100.100.200/32"),
}

func isMetadata(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, n := range metadata {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// NamesPrivate reports whether the host of a URL is written as localhost or as a private address. If so, the
// person who wrote it meant this machine or its network.
func NamesPrivate(address string) bool {
	u, err := url.Parse(address)
	return err == nil && hostIsPrivate(u.Hostname())
}

func hostIsPrivate(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && IsPrivate(ip)
}
