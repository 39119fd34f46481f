package voice

import (
	"time"

	"golang.org/x/time/rate"
)

// stream numbers the packets of a user. Its zero value has had none.
type stream struct {
	begun   bool
	ssrc    uint32
	top     uint16    // the highest sequence number of the ssrc
	seen    uint64    // bit n: top-n came
	missing uint64    // bit n: top-n was counted as lost
	behind  uint16    // what follows the last packet that came much too late; 0 if none did
	shift   uint16    // what is added to a sequence number
	at      time.Time // when the last one came

	allowance *rate.Limiter // nil before the first packet
	floods    bool          // more came than it allows
}

const (
	// maxJump is how far ahead a sequence number may be of those before and belong
	// to the same stream.
	maxJump = 1000
	// history is how far back a packet may be and still be told from one that came.
	history = 64
)

// next returns the number of a packet, by how many more are missing than before,
// and whether it is to be heard: it is not if it came already, or too late to
// tell.
func (v *stream) next(ssrc uint32, seq uint16, now time.Time) (number uint16, lost int, ok bool) {
	ahead := int(int16(seq - v.top))
	begins := !v.begun || v.ssrc != ssrc || ahead > maxJump
	if ahead <= -history { // what is so late once is late; twice, it is a new stream
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
