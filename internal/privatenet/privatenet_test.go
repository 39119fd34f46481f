package privatenet_test

import (
	"net/netip"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/privatenet"
)

func TestContains(t *testing.T) {
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
		{"sixtofour", "2002:c0a8:0001::1", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := privatenet.Contains(netip.MustParseAddr(row.ip)); got != row.want {
				t.Errorf("Contains(%s) = %t, want %t", row.ip, got, row.want)
			}
		})
	}
}
