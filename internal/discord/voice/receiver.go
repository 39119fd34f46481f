package voice

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/disgoorg/godave"
	"golang.org/x/time/rate"
)

const (
	// maxDatagram is in bytes; longer datagrams are truncated and fail to decrypt.
	maxDatagram = 2048
	// discoveryTries bounds the requests for the bot's own address, discoveryWait apart.
	discoveryTries = 5
	discoveryWait  = time.Second
	// maxReadFailures bounds the consecutive read errors of a session.
	maxReadFailures = 50
	// Up to heldFrames frames of an unknown stream are held until its user is known, for at most heldFor,
	// because later sound would get no answer. Up to heldStreams streams are held.
	heldFrames  = 25
	heldFor     = 2 * time.Second
	heldStreams = 16
	// A user may send packetRate packets per second, slightly more than speech has, and bursts of
	// packetBurst, because a bad connection can hold back packets for some seconds. More is not speech, and
	// would cost others money to transcribe.
	packetRate  = 55
	packetBurst = 4 * packetRate
	// otherVoice is how long a user's latest microphone must be silent before another stream of the same user
	// is heard.
	otherVoice = 500 * time.Millisecond
)

// receiver handles UDP datagrams from the server. Only one goroutine uses it.
type receiver struct {
	s              *session
	udp            net.Conn
	ready          ready
	roster         *roster // as last seen
	voices         map[string]*stream
	pendingStreams map[uint32]*pendingStream
	buffer         [maxDatagram]byte
}

// pendingStream holds end-to-end encrypted frames of a stream whose user is unknown.
type pendingStream struct {
	frames []pendingFrame // at most heldFrames; the oldest is dropped
}

type pendingFrame struct {
	seq     uint16
	payload []byte
	at      time.Time
}

func newReceiver(s *session, udp net.Conn, r ready) *receiver {
	return &receiver{s: s, udp: udp, ready: r, roster: s.roster.Load(), voices: map[string]*stream{}, pendingStreams: map[uint32]*pendingStream{}}
}

// run receives until ctx ends or the socket is closed.
func (rx *receiver) run(ctx context.Context) {
	if !rx.discover(ctx) {
		return
	}
	failed := 0
	for ctx.Err() == nil {
		_ = rx.udp.SetReadDeadline(time.Time{})
		rx.loadRoster()
		n, err := rx.udp.Read(rx.buffer[:])
		switch {
		case err == nil:
			failed = 0
			rx.handleDatagram(rx.buffer[:n], time.Now())
		case errors.Is(err, os.ErrDeadlineExceeded): // woken by publishRoster
		case errors.Is(err, net.ErrClosed):
			return
		default: // for example an ICMP error from a router
			if failed++; failed > maxReadFailures {
				rx.s.fail(fmt.Errorf("the sound connection broke: %w", err))
				return
			}
		}
	}
}

// discover requests the bot's own address as the server sees it. It reports whether it received the address.
func (rx *receiver) discover(ctx context.Context) bool {
	request := Discovery{SSRC: rx.ready.SSRC}.Append(nil)
	for range discoveryTries {
		if ctx.Err() != nil {
			return false
		}
		again := time.Now().Add(discoveryWait)
		if _, err := rx.udp.Write(request); err == nil && rx.awaitDiscovery(again) {
			return true
		}
		if !sleep(ctx, time.Until(again)) {
			return false
		}
	}
	rx.s.fail(fmt.Errorf("no answer over UDP from Discord's voice server at %v; allow the program to send UDP to that port and receive from it", rx.ready.Addr))
	return false
}

// awaitDiscovery waits for the response until a time.
func (rx *receiver) awaitDiscovery(until time.Time) bool {
	for time.Now().Before(until) {
		_ = rx.udp.SetReadDeadline(until)
		n, err := rx.udp.Read(rx.buffer[:])
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				continue // woken, or timed out
			}
			return false
		}
		d, err := ParseDiscovery(rx.buffer[:n])
		if err == nil && d.Addr.IsValid() && d.SSRC == rx.ready.SSRC {
			rx.s.discovered <- d.Addr
			return true
		}
	}
	return false
}

// handleDatagram handles a datagram.
func (rx *receiver) handleDatagram(data []byte, now time.Time) {
	count := &rx.s.c.count
	if n, ok := ParseKeepAlive(data); ok {
		if at := rx.s.beatenAt.Load(); at != 0 {
			rx.s.echoed.Store(n)
			count.udpRoundTrip.Store(now.UnixNano() - at)
		}
		return
	}
	if _, err := ParseDiscovery(data); !errors.Is(err, ErrNotDiscovery) {
		return // a repeated response
	}
	count.packets.Add(1)
	h, err := Parse(data)
	switch {
	case err != nil && isReport(data):
		count.ignored.Add(1)
		return
	case err != nil:
		count.malformed.Add(1)
		return
	case h.PayloadType != PayloadType:
		count.ignored.Add(1)
		return
	}
	t := rx.s.transport.Load()
	if t == nil {
		count.transport.Add(1) // no key yet
		return
	}
	h, payload, err := t.open.Open(data)
	switch {
	case errors.Is(err, ErrSealed):
		count.transport.Add(1)
	case errors.Is(err, ErrPadding):
		count.padding.Add(1)
	case err != nil:
		count.malformed.Add(1)
	case len(payload) == 0: // only padding, which measures the connection
		count.ignored.Add(1)
	default:
		rx.handleFrame(h.SSRC, h.Sequence, payload, now)
	}
}

// isReport reports whether a datagram is RTCP.
func isReport(data []byte) bool {
	return len(data) > 1 && data[0]>>6 == 2 && data[1] >= 192 && data[1] <= 223
}

// handleFrame handles a transport-decrypted frame, or holds it until its user is known.
func (rx *receiver) handleFrame(ssrc uint32, seq uint16, payload []byte, now time.Time) {
	src, known := rx.roster.sources[ssrc]
	switch {
	case !known:
		rx.storePending(ssrc, pendingFrame{seq: seq, payload: append([]byte(nil), payload...), at: now})
	case !src.microphone:
		rx.s.c.count.ignored.Add(1)
	default:
		rx.deliverFrame(src.user, ssrc, seq, payload, now)
	}
}

// deliverFrame decrypts a user's frame end to end and passes it on.
func (rx *receiver) deliverFrame(user string, ssrc uint32, seq uint16, payload []byte, now time.Time) {
	count := &rx.s.c.count
	v := rx.voices[user]
	if v == nil {
		v = &stream{}
		rx.voices[user] = v
	}
	if !rx.allow(user, v, now) {
		return
	}
	if v.ssrc != ssrc && v.begun && rx.roster.voices[user] != ssrc && now.Sub(v.at) < otherVoice {
		count.ignored.Add(1)
		return
	}
	number, lost, ok := v.next(ssrc, seq, now)
	count.lost.Add(uint64(lost)) // -1 for a late packet that was counted as lost
	if !ok {
		count.late.Add(1)
		return
	}
	opus := make([]byte, len(payload))
	n, err := rx.s.dave.Decrypt(godave.UserID(user), payload, opus)
	if err != nil {
		count.countDecryption(err)
		return
	}
	count.heard.Add(1)
	rx.s.c.opts.OnPacket(user, Packet{Seq: number, Payload: opus[:n]})
}

// allow reports whether the rate limit of a user allows a packet at a time.
func (rx *receiver) allow(user string, v *stream, now time.Time) bool {
	if v.allowance == nil {
		v.allowance = rate.NewLimiter(packetRate, packetBurst)
	}
	if v.allowance.AllowN(now, 1) {
		return true
	}
	rx.s.c.count.flooded.Add(1)
	if !v.floods {
		v.floods = true
		rx.s.c.opts.Logger.Warn("a user sends more sound than there can be", "guild", rx.s.c.opts.Guild, "user", user)
	}
	return false
}

// storePending stores a frame of an unknown user. A new stream replaces the oldest.
func (rx *receiver) storePending(ssrc uint32, f pendingFrame) {
	h := rx.pendingStreams[ssrc]
	if h == nil {
		if len(rx.pendingStreams) >= heldStreams {
			rx.dropOldestStream()
		}
		h = &pendingStream{}
		rx.pendingStreams[ssrc] = h
	}
	if len(h.frames) == heldFrames {
		h.frames = append(h.frames[:0], h.frames[1:]...)
		rx.s.c.count.unknown.Add(1)
	}
	h.frames = append(h.frames, f)
}

func (rx *receiver) dropOldestStream() {
	var oldest uint32
	var at time.Time
	for ssrc, h := range rx.pendingStreams {
		if last := h.frames[len(h.frames)-1].at; at.IsZero() || last.Before(at) {
			oldest, at = ssrc, last
		}
	}
	rx.s.c.count.unknown.Add(uint64(len(rx.pendingStreams[oldest].frames)))
	delete(rx.pendingStreams, oldest)
}

// loadRoster loads the current roster: it drops users who left, and releases held frames of newly known
// streams.
func (rx *receiver) loadRoster() {
	r := rx.s.roster.Load()
	if r == rx.roster {
		return
	}
	rx.roster = r
	for user := range rx.voices {
		if _, ok := r.voices[user]; !ok {
			delete(rx.voices, user)
		}
	}
	now := time.Now()
	for ssrc, h := range rx.pendingStreams {
		if _, known := r.sources[ssrc]; !known {
			continue
		}
		delete(rx.pendingStreams, ssrc)
		for _, f := range h.frames {
			if now.Sub(f.at) > heldFor {
				rx.s.c.count.unknown.Add(1)
				continue
			}
			rx.handleFrame(ssrc, f.seq, f.payload, now)
		}
	}
}
