package app

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

const (
	// udpTime bounds each of udpTries attempts to get an answer over UDP.
	udpTime  = time.Second
	udpTries = 2
	// quicGreased is a version of QUIC that no server supports. RFC 9000 requires servers to answer with the
	// versions that they do support, and RFC 9287 reserves versions of this form for that.
	quicGreased = 0x1a2a3a4a
	// quicLeast is the minimal size of a first packet of QUIC.
	quicLeast = 1200
)

// udpFinding checks whether UDP packets, which voice needs, get out and back. Discord's voice servers answer
// only admitted clients, but its web servers support QUIC and answer an unknown version.
func udpFinding(ctx context.Context, cfg *config.Config) finding {
	const part = "udp"
	const fix = "voice channels need UDP to the internet, from any port to any port; check whether a firewall or container blocks it"
	address := "discord.com:443"
	if u, err := url.Parse(cfg.Discord.APIURL); err == nil && u.Host != "" {
		address = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443"))
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp", address)
	if err != nil {
		return finding{part, false, "no UDP to the internet: " + err.Error(), fix}
	}
	defer conn.Close()
	for range udpTries {
		if took, ok := probeVersions(ctx, conn); ok {
			return finding{part: part, ok: true, state: fmt.Sprintf("%s answers in %d ms", address, took.Milliseconds())}
		}
	}
	return finding{part, true, address + " does not answer over UDP", fix}
}

// probeVersions sends a first packet of an unsupported version. It reports whether any answer came, and how
// soon.
func probeVersions(ctx context.Context, conn net.Conn) (time.Duration, bool) {
	until := time.Now().Add(udpTime)
	if t, ok := ctx.Deadline(); ok && t.Before(until) {
		until = t
	}
	if conn.SetDeadline(until) != nil {
		return 0, false
	}
	start := time.Now()
	if _, err := conn.Write(versionProbe()); err != nil {
		return 0, false
	}
	_, err := conn.Read(make([]byte, quicLeast))
	return time.Since(start), err == nil
}

// versionProbe returns a first packet with a long header: flags, version, and two connection ids of eight
// bytes.
func versionProbe() []byte {
	p := make([]byte, quicLeast)
	p[0] = 0xc0
	binary.BigEndian.PutUint32(p[1:], quicGreased)
	p[5] = 8
	copy(p[6:], "glyphoxa")
	p[14] = 8
	copy(p[15:], "glyphoxa")
	return p
}
