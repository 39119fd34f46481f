package web

import (
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

// slotFree is how long after its last packet a slot can be given to another speaker.
const slotFree = time.Second

// reordered is the number of packets after a stretch's first within which earlier ones may still arrive.
const reordered = 50

// slot is a stream to a guest that carries other players' voices, one at a time, as one continuous stream:
// packets of the next speaker follow those of the previous one.
type slot struct {
	track *webrtc.TrackLocalStaticRTP

	speaker      *guest // current speaker; nil before the first
	notForwarded uint32 // the speaker's withheld count at the last packet
	last         time.Time
	sequence     uint16 // added to the speaker's sequence numbers
	first        uint16 // the speaker's first sequence number
	young        int    // packets during which earlier ones may still arrive
	moved        uint32 // added to the speaker's timestamps
	lastSeq      uint16 // last sent
	lastTime     uint32
}

// slots are the streams to one guest.
type slots struct {
	mu  sync.Mutex // guards all
	all []slot
}

// acquire returns the slot of a speaker, and whether a new stretch begins: in a slot that was another's, or
// after withheld packets. It returns nil if all slots are in use. The caller must hold mu.
func (s *slots) acquire(who *guest, now time.Time) (found *slot, begins bool) {
	for i := range s.all {
		one := &s.all[i]
		if one.speaker == who {
			return one, one.notForwarded != who.voice.notForwarded.Load()
		}
		if (one.speaker == nil || now.Sub(one.last) > slotFree) && (found == nil || one.last.Before(found.last)) {
			found = one
		}
	}
	return found, found != nil
}

// forward sends a speaker's packet to the guest.
func (s *slots) forward(who *guest, now time.Time, p *rtp.Packet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, begins := s.acquire(who, now)
	if one == nil {
		return
	}
	one.notForwarded = who.voice.notForwarded.Load()
	out := rtp.Packet{Header: rtp.Header{Version: 2}, Payload: p.Payload}
	if !one.rewrite(&out.Header, &p.Header, who, now, begins) {
		return
	}
	_ = one.track.WriteRTP(&out) // a guest who has left is handled elsewhere
}

// rewrite sets the header of a packet so that it continues the slot's stream. It returns false for a packet
// from before the stretch.
func (o *slot) rewrite(out, in *rtp.Header, who *guest, now time.Time, begins bool) bool {
	if begins {
		passed := uint32(samplesPerFrame)
		if !o.last.IsZero() {
			passed = max(passed, uint32(now.Sub(o.last).Seconds()*sampleRate))
		}
		o.sequence, o.first = o.lastSeq+1-in.SequenceNumber, in.SequenceNumber
		o.moved = o.lastTime + passed - in.Timestamp
		o.speaker, o.young = who, reordered
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

// free frees the slot of a speaker who leaves.
func (s *slots) free(who *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.all {
		if s.all[i].speaker == who {
			s.all[i].speaker = nil
		}
	}
}
