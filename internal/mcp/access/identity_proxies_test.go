package access

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/quick"
)

// TestClientBehindProxies checks which client a request through trusted proxies belongs
// to, and that a client cannot pose as another.
func TestClientBehindProxies(t *testing.T) {
	trusted, err := parseProxies([]string{"10.0.0.0/8", "192.0.2.7", "2001:db8:ff::/48", "::ffff:172.16.0.0/108"})
	if err != nil {
		t.Fatal(err)
	}
	type lines = map[string][]string
	plain := func(l ...string) lines { return lines{"X-Forwarded-For": l} }
	standard := func(l ...string) lines { return lines{"Forwarded": l} }
	for _, row := range []struct {
		name, remote string
		header       lines
		want         string
	}{
		{"no_proxy", "203.0.113.5:1", nil, "203.0.113.5"},
		{"no_proxy_that_claims", "203.0.113.5:1", plain("198.51.100.9"), "203.0.113.5"},
		{"no_proxy_that_claims_both", "203.0.113.5:1", lines{"Forwarded": {"for=198.51.100.9"}, "X-Forwarded-For": {"198.51.100.9"}}, "203.0.113.5"},
		{"mapped", "[::ffff:203.0.113.5]:1", nil, "203.0.113.5"},
		{"customer", "[2001:db8:1:2:3::5]:1", nil, "2001:db8:1:2::/64"},
		{"its_neighbour", "[2001:db8:1:2::9%eth0]:1", nil, "2001:db8:1:2::/64"},
		{"loopback", "[::1]:1", nil, "::1"},
		{"no_address", "@", nil, "@"},

		{"the_proxy_itself", "10.1.2.3:1", nil, "10.1.2.3"},
		{"one_proxy", "10.1.2.3:1", plain("203.0.113.5"), "203.0.113.5"},
		{"a_single_address", "192.0.2.7:1", plain("203.0.113.5"), "203.0.113.5"},
		{"beside_that_address", "192.0.2.8:1", plain("203.0.113.5"), "192.0.2.8"},
		{"mapped_proxy", "[::ffff:10.1.2.3]:1", plain("203.0.113.5"), "203.0.113.5"},
		{"mapped_network", "172.17.0.1:1", plain("203.0.113.5"), "203.0.113.5"},
		{"two_proxies", "10.1.2.3:1", plain("203.0.113.5, 10.9.9.9"), "203.0.113.5"},
		{"lines", "10.1.2.3:1", plain("203.0.113.5", "10.9.9.9"), "203.0.113.5"},
		{"forged_before", "10.1.2.3:1", plain("198.51.100.9, 203.0.113.5"), "203.0.113.5"},
		{"forged_in_a_line_before", "10.1.2.3:1", plain("198.51.100.9", "203.0.113.5"), "203.0.113.5"},
		{"forged_as_a_proxy", "10.1.2.3:1", plain("198.51.100.9, 10.0.0.1, 203.0.113.5, 10.2.2.2"), "203.0.113.5"},
		{"all_trusted", "10.1.2.3:1", plain("10.0.0.1, 10.0.0.2"), "10.0.0.1"},
		{"with_ports", "10.1.2.3:1", plain("203.0.113.5:4711"), "203.0.113.5"},
		{"ipv6_in_a_list", "10.1.2.3:1", plain("2001:db8:1:2::9"), "2001:db8:1:2::/64"},
		{"ipv6_with_port", "10.1.2.3:1", plain("[2001:db8:1:2::9]:80"), "2001:db8:1:2::/64"},
		{"unknown", "10.1.2.3:1", plain("203.0.113.5, unknown"), "10.1.2.3"},
		{"unknown_further_back", "10.1.2.3:1", plain("203.0.113.5, junk, 10.9.9.9"), "10.9.9.9"},
		{"junk_that_does_not_matter", "10.1.2.3:1", plain(`junk",;=, 203.0.113.5`), "203.0.113.5"},
		{"empty", "10.1.2.3:1", plain(""), "10.1.2.3"},
		{"empty_at_the_end", "10.1.2.3:1", plain("203.0.113.5,"), "10.1.2.3"},

		{"standard", "10.1.2.3:1", standard("for=203.0.113.5"), "203.0.113.5"},
		{"standard_in_full", "10.1.2.3:1", standard(`For="203.0.113.5:80";proto=https;by=10.0.0.1 , for=10.9.9.9;host=table.example`), "203.0.113.5"},
		{"standard_ipv6", "10.1.2.3:1", standard(`for="[2001:db8:1:2::9]:80"`), "2001:db8:1:2::/64"},
		{"standard_forged", "10.1.2.3:1", standard("for=198.51.100.9, for=203.0.113.5"), "203.0.113.5"},
		{"standard_hidden", "10.1.2.3:1", standard("for=203.0.113.5, for=_secret"), "10.1.2.3"},
		{"standard_for_nobody", "10.1.2.3:1", standard("for=203.0.113.5, proto=https"), "10.1.2.3"},
		{"standard_twice_in_one", "10.1.2.3:1", standard("for=198.51.100.9;for=203.0.113.5"), "10.1.2.3"},
		{"standard_quote_that_swallows", "10.1.2.3:1", standard(`for=198.51.100.9;x=", for=203.0.113.5`), "10.1.2.3"},
		{"standard_quotes_that_swallow", "10.1.2.3:1", standard(`for=198.51.100.9;x=", for="203.0.113.5"`), "10.1.2.3"},
		{"standard_backslash", "10.1.2.3:1", standard(`for=198.51.100.9;x="\`), "10.1.2.3"},
		{"standard_escapes", "10.1.2.3:1", standard(`x="\",";for="203.\0.113.5"`), "203.0.113.5"},
		{"standard_without_value", "10.1.2.3:1", standard("for="), "10.1.2.3"},
		{"standard_empty_pairs", "10.1.2.3:1", standard(";;for=203.0.113.5;"), "203.0.113.5"},

		{"both_agree", "10.1.2.3:1", lines{"Forwarded": {"for=203.0.113.5"}, "X-Forwarded-For": {"203.0.113.5"}}, "203.0.113.5"},
		{"one_is_forged", "10.1.2.3:1", lines{"Forwarded": {"for=198.51.100.9"}, "X-Forwarded-For": {"203.0.113.5"}}, "10.1.2.3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := &Gatekeeper{proxies: trusted}
			if got := g.Address(&http.Request{RemoteAddr: row.remote, Header: http.Header(row.header)}); got != row.want {
				t.Errorf("it is counted by %s, want %s", got, row.want)
			}
		})
	}
	for _, text := range []string{"", "proxy.example", "10.0.0.0/33", "10.0.0"} {
		if p, err := parseProxies([]string{text}); err == nil {
			t.Errorf("%q is taken for %v", text, p)
		}
	}
}

// FuzzForwarded sends any headers through a trusted proxy, which appends the client it
// knows: the request counts for the client's own address or for the proxy's.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{"", "198.51.100.9", "for=198.51.100.9", `for="`, `for=1.2.3.4;x="`, `x="\`, ",", ";", "a=b,", `for="[::1]`} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, sent string, own bool) {
		if len(sent) > maxSent || strings.ContainsAny(sent, "\r\n") {
			return
		}
		const proxy, client = "10.1.2.3", "203.0.113.5"
		for name, added := range map[string]string{"X-Forwarded-For": client, "Forwarded": `for="` + client + `"`} {
			lines := []string{sent + ", " + added}
			if own {
				lines = []string{sent, added}
			}
			p := proxies{netip.MustParsePrefix("10.0.0.0/8")}
			got := p.client(&http.Request{RemoteAddr: proxy + ":1", Header: http.Header{name: lines}}).String()
			if got != client && got != proxy {
				t.Errorf("%s: %q is counted by %s", name, lines, got)
			}
		}
	})
}

// maxSent is the longest header tried.
const maxSent = 1 << 10

// TestForwardedReadsAnything checks that no header causes a panic or a long run.
func TestForwardedReadsAnything(t *testing.T) {
	err := quick.Check(func(line string) bool {
		return len(forwardedHops(line)) > 0 && len(listedHops(line)) > 0
	}, nil)
	if err != nil {
		t.Error(err)
	}
}
