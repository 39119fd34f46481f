package access

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the addresses of reverse proxies that are believed when they say for whom
// they ask. Nobody else is.
type proxies []netip.Prefix

// parseProxies reads addresses and networks, each as "192.0.2.7" or "192.0.2.0/24".
func parseProxies(list []string) (proxies, error) {
	var all proxies
	for i, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			ip, bad := netip.ParseAddr(text)
			if bad != nil {
				return nil, fmt.Errorf("reading server.trusted_proxies[%d]: it is neither an address nor a network", i)
			}
			p = netip.PrefixFrom(plainAddr(ip), plainAddr(ip).BitLen())
		}
		if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

func (p proxies) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// tokenClient returns the address of who sent r, for themselves or through trusted proxies:
// of the hops that proxies noted, the last that is no trusted one. Where the notes break
// off, are malformed, or differ between the two headers, since then one of them may be the
// client's own, it is the proxy that left them. The address is invalid if RemoteAddr is
// none.
func (p proxies) client(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	peer := plainAddr(ap.Addr())
	if !p.trusts(peer) {
		return peer
	}
	standard, plain := r.Header.Values("Forwarded"), r.Header.Values("X-Forwarded-For")
	switch {
	case len(plain) == 0:
		return p.lastHop(peer, standard, forwardedHops)
	case len(standard) == 0:
		return p.lastHop(peer, plain, listedHops)
	}
	at := p.lastHop(peer, plain, listedHops)
	if at != p.lastHop(peer, standard, forwardedHops) {
		return peer
	}
	return at
}

// lastHop goes back over the hops in a header's lines, which every proxy adds to at the
// end, from peer to the first that is no trusted proxy. hops returns those of a line; one
// that cannot be read is invalid.
func (p proxies) lastHop(peer netip.Addr, lines []string, hops func(line string) []netip.Addr) netip.Addr {
	at := peer
	for _, line := range slices.Backward(lines) {
		for _, hop := range slices.Backward(hops(line)) {
			if !hop.IsValid() {
				return at
			}
			if at = hop; !p.trusts(at) {
				return at
			}
		}
	}
	return at
}

// listedHops are those of a line of X-Forwarded-For.
func listedHops(line string) []netip.Addr {
	var hops []netip.Addr
	for text := range strings.SplitSeq(line, ",") {
		hops = append(hops, parseNode(strings.Trim(text, " \t")))
	}
	return hops
}

// forwardedHops are those of a line of Forwarded (RFC 7239). A line that is malformed
// anywhere is one hop that cannot be read: what a client wrote at its beginning could
// otherwise swallow what a proxy wrote at its end.
func forwardedHops(line string) []netip.Addr {
	var hops []netip.Addr
	for rest, more := line, true; more; {
		var hop netip.Addr
		var ok bool
		if hop, rest, more, ok = forwardedElement(rest); !ok {
			return []netip.Addr{{}}
		}
		hops = append(hops, hop)
	}
	return hops
}

// forwardedElement reads one element: pairs of a name and a value with semicolons between
// them. hop is invalid if it does not say for whom; more is whether a comma follows; ok
// is false if it is malformed.
func forwardedElement(text string) (hop netip.Addr, rest string, more, ok bool) {
	given := false
	for {
		var name, value string
		text = strings.TrimLeft(text, " \t")
		name, text = cutToken(text)
		if name != "" {
			if !strings.HasPrefix(text, "=") {
				return hop, "", false, false
			}
			if value, text, ok = cutValue(text[1:]); !ok {
				return hop, "", false, false
			}
			if strings.EqualFold(name, "for") {
				if given {
					return hop, "", false, false
				}
				given, hop = true, parseNode(value)
			}
		}
		text = strings.TrimLeft(text, " \t")
		switch {
		case text == "":
			return hop, "", false, true
		case text[0] == ',':
			return hop, text[1:], true, true
		case text[0] != ';':
			return hop, "", false, false
		}
		text = text[1:]
	}
}

// cutToken cuts a token of HTTP off the beginning of text; it may be empty.
func cutToken(text string) (token, rest string) {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i:]
}

// cutValue cuts a token or a quoted string off the beginning of text.
func cutValue(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		value, rest = cutToken(text)
		return value, rest, value != ""
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// parseNode returns the address of a hop, with or without a port; an invalid one for
// names, for "unknown" and for whatever else is none.
func parseNode(text string) netip.Addr {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return plainAddr(ap.Addr())
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return netip.Addr{}
		}
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return plainAddr(ip)
}

// plainAddr is an address as it is compared: without a zone, and an IPv4 one as such.
func plainAddr(ip netip.Addr) netip.Addr { return ip.Unmap().WithZone("") }

// addressKey is what shares and wrong tokens are counted by: an IP address, and of IPv6 the
// network that one customer has to itself.
func addressKey(ip netip.Addr) string {
	if ip.Is6() && !ip.IsLoopback() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
