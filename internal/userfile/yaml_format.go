package userfile

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// checkFormat returns why s does not have the given format, and how to fix it, or "" if it does. Messages
// show values as they are written in the file. They never show URLs, because those may contain credentials.
func checkFormat(format string, s scalarText) (what, fix string) {
	switch format {
	case "url":
		if !isWebAddress(s.text) {
			return "is no web address", "write it as https://host/path"
		}
	case "address":
		host, port, err := net.SplitHostPort(s.text)
		if err != nil || strings.ContainsAny(host, " /") || !isPort(port) {
			return s.shown() + " is no address to listen on", `write "host:port", such as 127.0.0.1:8787`
		}
	case "origin":
		if !isOrigin(s.text) {
			return s.shown() + " is no origin", "write scheme://host, such as https://table.example, without a path"
		}
	case "host":
		if u, err := url.Parse("http://" + s.text); err != nil || u.Host != s.text || u.Hostname() == "" ||
			strings.Contains(s.text, "*") || u.Port() != "" && !isPort(u.Port()) {
			return s.shown() + " is no host name", "write the name alone, such as table.example, without https:// and path"
		}
	case "network":
		return checkNetwork(s)
	case "clock":
		if t, err := time.Parse("15:04", s.text); err != nil || t.Format("15:04") != s.text {
			return s.shown() + " is no time of day", "write it as 18:00"
		}
	case "time":
		if _, err := time.Parse(time.RFC3339, s.text); err != nil {
			return s.shown() + " is no point in time", "write it as 2027-01-31T20:00:00Z"
		}
	case "language":
		if _, err := language.Parse(s.text); err != nil {
			return s.shown() + " is no language", "write its short form, such as en, de or pt-BR"
		}
	case "number":
		if strings.Trim(s.text, "0123456789") != "" || len(s.text) > 20 {
			return s.shown() + " is no id", "write the number, such as 123456789012345678"
		}
	case "id":
		if !idPattern.MatchString(s.text) {
			return s.shown() + " is no id", "use up to 64 lower-case letters a to z, digits, - and _"
		}
	case "path":
		if strings.HasPrefix(s.text, "~") {
			return `a path must not begin with "~"`, "write ${HOME} instead"
		}
	}
	return "", ""
}

// checkNetwork is checkFormat for an IP address or a network.
func checkNetwork(s scalarText) (what, fix string) {
	p, err := netip.ParsePrefix(s.text)
	ip, noIP := netip.ParseAddr(s.text)
	switch {
	case err == nil && p.Masked() != p:
		return s.shown() + " names an address within its network", "write " + p.Masked().String() + " for the network, or the address alone"
	case err != nil && (noIP != nil || ip.Zone() != ""):
		return s.shown() + " is neither an address nor a network", "write it as 192.0.2.7 or 192.0.2.0/24"
	}
	return "", ""
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		(u.Port() == "" || isPort(u.Port()))
}

// isOrigin reports whether s is an origin as browsers send it: a scheme, a host and optionally a port.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Hostname() != "" && s == u.Scheme+"://"+u.Host &&
		!strings.Contains(s, "*") && (u.Port() == "" || isPort(u.Port()))
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
