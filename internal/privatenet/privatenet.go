// Package privatenet tells addresses of the open network from those of this
// machine, its network and a cloud's inside, where an address from outside must
// not lead. It does no I/O.
package privatenet

import "net/netip"

// closed are networks besides those that package netip names: this machine's
// own, shared and benchmark ranges, and those that carry an IPv4 address within
// an IPv6 one.
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

// Contains reports whether ip is no address of the open network.
func Contains(ip netip.Addr) bool {
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
