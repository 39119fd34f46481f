package voice

import (
	"time"

	"golang.org/x/time/rate"
)

// stream numbers a user's packets. The zero value has received none.
type stream struct {
	begun   bool
	ssrc    uint32
	top     uint16    // highest sequence number of the ssrc
	seen    uint64    // bit n: top-n was received
	missing uint64    // bit n: top-n was counted as lost
	behind  uint16    // successor of the last packet that was much too late; 0 if none
	shift   uint16    // added to a sequence number
	at      time.Time // when the last packet arrived

	allowance *rate.Limiter // nil before the first packet
	floods    bool          // the limit was exceeded
}

const (
	// maxJump is how far ahead a sequence number may be within the same stream.
	maxJump = 1000
	// history is how far back a packet may be to be recognised as new or repeated.
	history = 64
)

// next returns a packet's number, the change in the number of lost packets, and whether the packet should be
// heard. It should not if it is a repetition, or too old to tell.
func (v *stream) next(ssrc uint32, seq uint16, now time.Time) (number uint16, lost int, ok bool) {
	ahead := int(int16(seq - v.top))
	begins := !v.begun || v.ssrc != ssrc || ahead > maxJump
	if ahead <= -history { // one very old packet is late; two in a row are a new stream
		begins = begins || v.behind == seq && v.behind != 0
		v.behind = seq + 1
	}
	if begins {
		if v.begun {
			v.shift = v.top + v.shift + 1 - seq
		}
		*v = stream{begun: true, ssrc: ssrc, top: seq, seen: 1, shift: v.shift, at: now, allowance: v.allowance, floods: v.floods}
		return seq + v.shift, 0, true
	}
	v.at = now
	if ahead > 0 {
		v.seen = v.seen<<ahead | 1
		v.missing = v.missing<<ahead | (1<<ahead-1)&^1
		v.top = seq
		return seq + v.shift, ahead - 1, true
	}
	bit := uint64(1) << -ahead
	if -ahead >= history || v.seen&bit != 0 {
		return 0, 0, false
	}
	v.seen |= bit
	if v.missing&bit != 0 {
		v.missing &^= bit
		lost = -1
	}
	return seq + v.shift, lost, true
}
