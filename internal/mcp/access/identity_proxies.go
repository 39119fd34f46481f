package access

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the addresses of reverse proxies that are trusted to name their clients. No other sender is.
type proxies []netip.Prefix

// parseProxies parses addresses and networks, such as "192.0.2.7" and "192.0.2.0/24".
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

// client returns the address of the sender of r, directly or through trusted proxies: the last hop in the
// proxy headers that is not a trusted proxy. If the headers end early, are malformed, or contradict each
// other (one of them may then come from the client), it is the address of the proxy that sent them. It is
// invalid if RemoteAddr is.
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

// lastHop follows the hops in a header's lines backwards from peer, because every proxy appends to the end,
// to the first that is not a trusted proxy. hops parses one line; a hop that it cannot parse is invalid.
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

// listedHops parses a line of X-Forwarded-For.
func listedHops(line string) []netip.Addr {
	var hops []netip.Addr
	for text := range strings.SplitSeq(line, ",") {
		hops = append(hops, parseNode(strings.Trim(text, " \t")))
	}
	return hops
}

// forwardedHops parses a line of Forwarded (RFC 7239). A malformed line yields one invalid hop, because
// otherwise a client's text at its beginning could hide a proxy's addition.
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

// forwardedElement parses one element: name-value pairs separated by semicolons. hop is invalid if there is
// no valid "for"; more says that a comma follows; ok is false if the element is malformed.
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

// cutToken cuts an HTTP token, which may be empty, from the beginning of text.
func cutToken(text string) (token, rest string) {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i:]
}

// cutValue cuts a token or a quoted string from the beginning of text.
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

// parseNode parses the address of a hop, with or without a port. It returns an invalid address for names, for
// "unknown" and for anything else.
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

// plainAddr normalises an address for comparison: without a zone, and with IPv4-mapped addresses as IPv4.
func plainAddr(ip netip.Addr) netip.Addr { return ip.Unmap().WithZone("") }

// addressKey returns the key for counting by address: the IP address or, for IPv6, its /64 network, which one
// customer has alone.
func addressKey(ip netip.Addr) string {
	if ip.Is6() && !ip.IsLoopback() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
