package voice

import "time"

// Stats count what a connection has done since it was made.
type Stats struct {
	// Connected tells whether sound can be sent now.
	Connected bool
	Channel   string
	// Mode is how packets are encrypted on the way to Discord.
	Mode string
	// DAVE is the version of the end-to-end encryption in force, 0 without it.
	DAVE int
	// Connections were made, Resumed of them went on where another one broke off.
	Connections, Resumed uint64
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
	Late    uint64 // came twice or out of order
	// Unknown were dropped because nobody said in time whose they were.
	Unknown uint64
	// Ignored are no microphone's, such as video.
	Ignored uint64
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

// Sent counts packets of sound that went out.
type Sent struct {
	Packets uint64
	// Late went out more than 5 ms after their time.
	Late uint64
	// Dropped could not be sent.
	Dropped uint64
}
