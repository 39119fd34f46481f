package outbound_test

import (
	"net/netip"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

func TestIsPrivate(t *testing.T) {
	for _, row := range []struct {
		name, ip string
		want     bool
	}{
		{"public", "93.184.215.14", false},
		{"public_ipv6", "2606:4700::1", false},
		{"loopback", "127.9.9.9", true},
		{"loopback_ipv6", "::1", true},
		{"home", "192.168.0.1", true},
		{"home_mapped", "::ffff:192.168.0.1", true},
		{"home_embedded", "64:ff9b::c0a8:1", true},
		{"metadata_service", "169.254.169.254", true},
		{"shared", "100.64.0.1", true},
		{"this_network", "0.1.2.3", true},
		{"unspecified", "::", true},
		{"unique_local", "fd00::1", true},
		{"link_local", "fe80::1%eth0", true},
		{"multicast", "224.0.0.1", true},
		{"broadcast", "255.255.255.255", true},
		{"clouds_metadata_ipv6", "fd00:ec2::254", true},
		{"alibabas_metadata", "100.100.100.200", true},
		{"oracles_metadata", "192.0.0.192", true},
		{"benchmarks", "198.18.0.1", true},
		{"embedded", "::7f00:1", true},
		{"teredo", "2001:0:1::1", true},
		{"site_local", "fec0::1", true},
		{"beside_a_private_range", "172.32.0.1", false},
		{"public_resolver", "2001:4860:4860::8888", false},
		{"sixtofour", "2002:c0a8:0001::1", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := outbound.IsPrivate(netip.MustParseAddr(row.ip)); got != row.want {
				t.Errorf("IsPrivate(%s) = %t, want %t", row.ip, got, row.want)
			}
		})
	}
}
