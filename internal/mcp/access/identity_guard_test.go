package access_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func TestGuardHosts(t *testing.T) {
	hosts := []string{"table.example", "exact.example:9000", "192.168.1.9"}
	for _, row := range []struct {
		name, addr, local, host string
		want                    bool
	}{
		{"loopback", "127.0.0.1:8787", "127.0.0.1:8787", "127.0.0.1:8787", true},
		{"localhost", "127.0.0.1:8787", "127.0.0.1:8787", "localhost:8787", true},
		{"localhost_capitals_and_dot", "127.0.0.1:8787", "127.0.0.1:8787", "LocalHost.:8787", true},
		{"ipv6", "127.0.0.1:8787", "127.0.0.1:8787", "[::1]:8787", true},
		{"ipv6_without_port", "127.0.0.1:8787", "127.0.0.1:8787", "[::1]", true},
		{"tunnel_port", "127.0.0.1:8787", "127.0.0.1:8787", "localhost:1234", true},
		{"bound_by_name", "localhost:8787", "127.0.0.1:8787", "127.0.0.1:8787", true},
		{"bound_to_all_from_here", "0.0.0.0:8787", "127.0.0.1:8787", "localhost:8787", true},
		{"bound_to_all_by_address", ":8787", "192.168.1.2:8787", "192.168.1.2:8787", true},
		{"bound_to_all_ipv6", "[::]:8787", "[fe80::1%eth0]:8787", "[fe80::1]:8787", true},
		{"bound_to_one", "192.168.1.2:8787", "192.168.1.2:8787", "192.168.1.2:8787", true},
		{"bound_to_a_name", "box.lan:8787", "192.168.1.2:8787", "box.lan:8787", true},
		{"allowed", "127.0.0.1:8787", "127.0.0.1:8787", "table.example", true},
		{"allowed_any_port", "127.0.0.1:8787", "127.0.0.1:8787", "TABLE.example:444", true},
		{"allowed_with_port", "127.0.0.1:8787", "127.0.0.1:8787", "exact.example:9000", true},
		{"allowed_address", "127.0.0.1:8787", "127.0.0.1:8787", "192.168.1.9:8787", true},

		{"rebound", "127.0.0.1:8787", "127.0.0.1:8787", "evil.example:8787", false},
		{"rebound_to_all", "0.0.0.0:8787", "192.168.1.2:8787", "evil.example:8787", false},
		{"begins_like_loopback", "127.0.0.1:8787", "127.0.0.1:8787", "127.0.0.1.evil.example:8787", false},
		{"ends_like_localhost", "127.0.0.1:8787", "127.0.0.1:8787", "evil.localhost:8787", false},
		{"ends_like_allowed", "127.0.0.1:8787", "127.0.0.1:8787", "x.table.example", false},
		{"begins_like_allowed", "127.0.0.1:8787", "127.0.0.1:8787", "table.example.evil", false},
		{"allowed_at_another_port", "127.0.0.1:8787", "127.0.0.1:8787", "exact.example:9001", false},
		{"allowed_without_its_port", "127.0.0.1:8787", "127.0.0.1:8787", "exact.example", false},
		{"another_address", "127.0.0.1:8787", "127.0.0.1:8787", "192.168.1.2:8787", false},
		{"loopback_name_from_afar", "192.168.1.2:8787", "192.168.1.2:8787", "localhost:8787", false},
		{"unspecified", "0.0.0.0:8787", "192.168.1.2:8787", "0.0.0.0:8787", false},
		{"empty", "127.0.0.1:8787", "127.0.0.1:8787", "", false},
		{"port_alone", "127.0.0.1:8787", "127.0.0.1:8787", ":8787", false},
		{"user_before", "127.0.0.1:8787", "127.0.0.1:8787", "localhost@evil.example", false},
		{"unknown_address", "", "", "localhost", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := access.Guard{AllowedHosts: hosts, Addr: row.addr}
			err := g.Check(request("192.0.2.7:50000", row.local, row.host))
			if (err == nil) != row.want || err != nil && (!errors.Is(err, access.ErrHost) || access.Status(err) != http.StatusForbidden) {
				t.Errorf("Check = %v, want allowed %t, else ErrHost", err, row.want)
			}
		})
	}
}

func TestGuardOrigins(t *testing.T) {
	g := access.Guard{
		AllowedHosts:   []string{"table.example"},
		AllowedOrigins: []string{"https://app.example", "https://port.example:8443", "app://tool", "HTTPS://Caps.example:443"},
		Addr:           "127.0.0.1:8787",
	}
	for _, row := range []struct {
		name, host string
		origins    []string
		want       bool
	}{
		{"none", "localhost:8787", nil, true},
		{"own", "localhost:8787", []string{"http://localhost:8787"}, true},
		{"own_in_capitals", "localhost:8787", []string{"HTTP://LOCALHOST:8787"}, true},
		{"own_behind_tls", "table.example", []string{"https://table.example"}, true},
		{"own_behind_tls_port_said", "table.example:443", []string{"https://table.example"}, true},
		{"own_port_said_by_the_page", "table.example", []string{"https://table.example:443"}, true},
		{"own_ipv6", "[::1]:8787", []string{"http://[::1]:8787"}, true},
		{"allowed", "localhost:8787", []string{"https://app.example"}, true},
		{"allowed_default_port", "localhost:8787", []string{"https://app.example:443"}, true},
		{"allowed_port", "localhost:8787", []string{"https://port.example:8443"}, true},
		{"allowed_scheme", "localhost:8787", []string{"app://tool"}, true},
		{"allowed_in_other_case", "localhost:8787", []string{"https://caps.example"}, true},

		{"null", "localhost:8787", []string{"null"}, false},
		{"empty", "localhost:8787", []string{""}, false},
		{"stranger", "localhost:8787", []string{"https://evil.example"}, false},
		{"other_port_here", "localhost:8787", []string{"http://localhost:3000"}, false},
		{"other_name_for_here", "localhost:8787", []string{"http://127.0.0.1:8787"}, false},
		{"other_scheme", "localhost:8787", []string{"http://app.example"}, false},
		{"other_port", "localhost:8787", []string{"https://app.example:8443"}, false},
		{"missing_port", "localhost:8787", []string{"https://port.example"}, false},
		{"own_host_by_another_scheme", "localhost:8787", []string{"chrome-extension://localhost:8787"}, false},
		{"below_allowed", "localhost:8787", []string{"https://x.app.example"}, false},
		{"begins_like_allowed", "localhost:8787", []string{"https://app.example.evil"}, false},
		{"with_path", "localhost:8787", []string{"https://app.example/"}, false},
		{"with_user", "localhost:8787", []string{"https://app.example@evil.example"}, false},
		{"two", "localhost:8787", []string{"https://app.example", "https://app.example"}, false},
		{"list", "localhost:8787", []string{"https://app.example https://evil.example"}, false},
		{"file", "localhost:8787", []string{"file://"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := request("127.0.0.1:50000", "127.0.0.1:8787", row.host)
			for _, o := range row.origins {
				r.Header.Add("Origin", o)
			}
			err := g.Check(r)
			if (err == nil) != row.want || err != nil && (!errors.Is(err, access.ErrOrigin) || access.Status(err) != http.StatusForbidden) {
				t.Errorf("Check = %v, want allowed %t, else ErrOrigin", err, row.want)
			}
			if err != nil && len(row.origins) > 0 && row.origins[0] != "" && strings.Contains(err.Error(), row.origins[0]) {
				t.Errorf("the refusal repeats what the page sent: %v", err)
			}
		})
	}
}
