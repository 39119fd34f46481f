package voice

import (
	"sync/atomic"
	"time"
)

// Stats count what a connection has done since it was made.
type Stats struct {
	// Connected tells whether sound can be sent now.
	Connected bool
	Channel   string
	// Mode is how packets are encrypted on the way to Discord.
	Mode string
	// DAVE is the version of the end-to-end encryption in force, 0 without it.
	// Encrypted tells that what is said now is encrypted so, for Members of the
	// channel in the given Epoch.
	DAVE      int
	Encrypted bool
	Members   int
	Epoch     uint64
	// Connections were made, of which voice sessions; Resumed are connections to
	// the gateway that went on with one.
	Connections, Resumed uint64
	// BadMessages of the gateway made no sense.
	BadMessages uint64
	// GatewayRoundTrip and UDPRoundTrip are zero until measured.
	GatewayRoundTrip, UDPRoundTrip time.Duration
	In                             Received
	Out                            Sent
}

// Received counts packets of sound that came in.
type Received struct {
	Packets uint64 // came, whatever became of them
	Heard   uint64 // were handed on
	Lost    uint64 // are missing in their streams
	Late    uint64 // came twice, or long after their time
	// Unknown were dropped because nobody said in time whose they were.
	Unknown uint64
	// Ignored are no microphone's, such as video.
	Ignored uint64
	// Flooded came faster than anybody speaks, and were dropped.
	Flooded uint64
	// Malformed are no packets at all.
	Malformed uint64
	// Transport failed to decrypt on the way from Discord.
	Transport uint64
	// Padding, NoKey, Passthrough, Replay, TooOld and Broken failed to decrypt
	// from end to end: because of what the packet ended in, of a sender who is
	// not in the group, of clear sound where there must be none, of a frame
	// that came twice, of a key given up, of anything else.
	Padding, NoKey, Passthrough, Replay, TooOld, Broken uint64
}

// Failed is how many packets failed to decrypt, for whatever cause.
func (r *Received) Failed() uint64 {
	return r.Transport + r.Padding + r.NoKey + r.Passthrough + r.Replay + r.TooOld + r.Broken
}

// Sent counts packets of sound that went out.
type Sent struct {
	Packets uint64
	// Late went out more than 5 ms after their time.
	Late uint64
	// Dropped could not be sent.
	Dropped uint64
}

// counters are what Stats reads.
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
