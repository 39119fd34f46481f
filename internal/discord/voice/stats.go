package voice

import (
	"sync/atomic"
	"time"
)

// Stats counts a connection's events since it was created.
type Stats struct {
	// Connected reports whether sound can be sent now.
	Connected bool
	Channel   string
	// Mode is the transport encryption mode.
	Mode string
	// DAVE is the version of the end-to-end encryption in use, 0 without it. Encrypted reports whether sound
	// is sent encrypted now, for Members of the channel in the given Epoch.
	DAVE      int
	Encrypted bool
	Members   int
	Epoch     uint64
	// Connections counts the voice sessions, and Resumed the gateway connections that resumed one.
	Connections, Resumed uint64
	// BadMessages counts invalid gateway messages.
	BadMessages uint64
	// GatewayRoundTrip and UDPRoundTrip are zero until measured.
	GatewayRoundTrip, UDPRoundTrip time.Duration
	In                             Received
	Out                            Sent
}

// Received counts incoming packets of sound.
type Received struct {
	Packets uint64 // all received packets
	Heard   uint64 // passed to Hear
	Lost    uint64 // missing in their streams
	Late    uint64 // repeated, or much too late
	// Unknown packets were dropped because their user was not announced in time.
	Unknown uint64
	// Ignored packets are not from a microphone, for example video.
	Ignored uint64
	// Flooded packets exceeded the rate of speech and were dropped.
	Flooded uint64
	// Malformed datagrams are not RTP packets.
	Malformed uint64
	// Transport packets failed transport decryption.
	Transport uint64
	// Padding, NoKey, Passthrough, Replay, TooOld and Broken packets failed end-to-end decryption: because of
	// leftover padding, a sender without keys, an unencrypted frame, a repeated frame, an expired key, or any
	// other reason.
	Padding, NoKey, Passthrough, Replay, TooOld, Broken uint64
}

// Failed returns the number of packets that failed to decrypt.
func (r *Received) Failed() uint64 {
	return r.Transport + r.Padding + r.NoKey + r.Passthrough + r.Replay + r.TooOld + r.Broken
}

// Sent counts outgoing packets of sound.
type Sent struct {
	Packets uint64
	// Late packets were sent more than 5 ms late.
	Late uint64
	// Dropped packets could not be sent.
	Dropped uint64
}

// counters are the live values for Stats.
type counters struct {
	connections, resumed, badMessages                   atomic.Uint64
	gatewayRoundTrip, udpRoundTrip                      atomic.Int64 // nanoseconds
	packets, heard, lost, late                          atomic.Uint64
	unknown, ignored, flooded, malformed, transport     atomic.Uint64
	padding, noKey, passthrough, replay, tooOld, broken atomic.Uint64
	sent, sentLate, sentDropped                         atomic.Uint64
}

func (c *counters) stats() Stats {
	return Stats{
		Connections: c.connections.Load(), Resumed: c.resumed.Load(), BadMessages: c.badMessages.Load(),
		GatewayRoundTrip: time.Duration(c.gatewayRoundTrip.Load()), UDPRoundTrip: time.Duration(c.udpRoundTrip.Load()),
		In: Received{
			Packets: c.packets.Load(), Heard: c.heard.Load(), Lost: c.lost.Load(), Late: c.late.Load(),
			Unknown: c.unknown.Load(), Ignored: c.ignored.Load(), Flooded: c.flooded.Load(), Malformed: c.malformed.Load(), Transport: c.transport.Load(),
			Padding: c.padding.Load(), NoKey: c.noKey.Load(), Passthrough: c.passthrough.Load(),
			Replay: c.replay.Load(), TooOld: c.tooOld.Load(), Broken: c.broken.Load(),
		},
		Out: Sent{Packets: c.sent.Load(), Late: c.sentLate.Load(), Dropped: c.sentDropped.Load()},
	}
}
