package web

import (
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

// slotFree is how long after its last packet a slot may be somebody else's.
const slotFree = time.Second

// reordered is how many packets after one from before it may still come.
const reordered = 50

// slot is one stream to a guest that brings other players' voices, one at a time, as one
// stream that goes on: packets of who speaks next follow those of who spoke before.
type slot struct {
	track *webrtc.TrackLocalStaticRTP

	who      *guest // whose packets it brings; nil while nobody spoke
	withheld uint32 // of theirs, as of the last packet
	last     time.Time
	sequence uint16 // added to theirs
	first    uint16 // the first of theirs
	young    int    // packets until none from before the first can come any more
	moved    uint32 // added to their timestamps
	lastSeq  uint16 // sent
	lastTime uint32
}

// slots are the streams to one guest.
type slots struct {
	mu  sync.Mutex // guards all
	all []slot
}

// take returns the slot of somebody who speaks, and whether a stretch of their packets begins:
// with a slot that was somebody else's, or after packets of theirs that nobody was to hear. It
// is nil if all are others'. It is called with mu held.
func (s *slots) take(who *guest, now time.Time) (found *slot, begins bool) {
	for i := range s.all {
		one := &s.all[i]
		if one.who == who {
			return one, one.withheld != who.voice.withheld.Load()
		}
		if (one.who == nil || now.Sub(one.last) > slotFree) && (found == nil || one.last.Before(found.last)) {
			found = one
		}
	}
	return found, found != nil
}

// forward sends a packet of who speaks on.
func (s *slots) forward(who *guest, now time.Time, p *rtp.Packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, begins := s.take(who, now)
	if one == nil {
		return
	}
	one.withheld = who.voice.withheld.Load()
	out := rtp.Packet{Header: rtp.Header{Version: 2}, Payload: p.Payload}
	if !one.rewrite(&out.Header, &p.Header, who, now, begins) {
		return
	}
	_ = one.track.WriteRTP(&out) // who has left is told of elsewhere
}

// rewrite makes the header of a packet that goes on where the slot is. It reports false for
// one from before its speaker had the slot.
func (o *slot) rewrite(out, in *rtp.Header, who *guest, now time.Time, begins bool) bool {
	if begins {
		passed := uint32(samplesPerFrame)
		if !o.last.IsZero() {
			passed = max(passed, uint32(now.Sub(o.last).Seconds()*sampleRate))
		}
		o.sequence, o.first = o.lastSeq+1-in.SequenceNumber, in.SequenceNumber
		o.moved = o.lastTime + passed - in.Timestamp
		o.who, o.young = who, reordered
		out.Marker = true
	} else if o.young > 0 {
		o.young--
		if int16(in.SequenceNumber-o.first) < 0 {
			return false
		}
	}
	out.SequenceNumber, out.Timestamp = in.SequenceNumber+o.sequence, in.Timestamp+o.moved
	if begins || int16(out.SequenceNumber-o.lastSeq) > 0 {
		o.lastSeq, o.lastTime = out.SequenceNumber, out.Timestamp
	}
	o.last = now
	return true
}

// free gives back what was somebody's who leaves.
func (s *slots) free(who *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.all {
		if s.all[i].who == who {
			s.all[i].who = nil
		}
	}
}
