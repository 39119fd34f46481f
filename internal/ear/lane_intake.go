package ear

import (
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// capacity is how many packets an intake holds: 640 ms. A power of two.
	capacity = 32
	// jitterWait is how long packets wait for one that is missing before them,
	// and jitterFrames how many may wait.
	jitterWait   = 60 * time.Millisecond
	jitterFrames = int(jitterWait / audio.FrameDuration)
	// maxFill is the longest gap that is concealed; a longer one is a jump.
	maxFill = 5
	// maxJump is how far ahead a sequence number may be before it can only be
	// a new stream.
	maxJump = 100
	// maxPayload is in bytes: the most a datagram carries.
	maxPayload = 1500
)

// Packet is 20 ms of one speaker, as a transport brings it.
type Packet struct {
	// Seq counts the packets of a stream, as in RTP: it wraps, and does not
	// count what the sender left out in silence.
	Seq uint16
	// Frame is the sound, or nil if Payload is.
	Frame *audio.Frame
	// Payload is the sound for the lane's [Decoder], at most 1500 bytes.
	Payload []byte
}

// LaneStats count what happened to packets.
type LaneStats struct {
	// Packets were pushed.
	Packets uint64
	// Dropped were the oldest when the intake was full, or belonged to a
	// stream that was replaced.
	Dropped uint64
	// Late came after their turn, twice or out of a stream's order.
	Late uint64
	// Lost never came in time; gaps of up to 100 ms are concealed.
	Lost uint64
	// Broken held nothing that could be decoded.
	Broken uint64
}

// Intake is the end of a lane that the transport pushes packets into. It is
// safe for concurrent use and never blocks: it holds 640 ms and drops the
// oldest when full.
type Intake struct {
	ready chan struct{} // holds one token when there may be something to take

	mu      sync.Mutex // guards the fields below
	slots   [capacity]slot
	free    []*audio.Frame // of slots that held sound
	held    int
	running bool      // want is meant
	want    uint16    // sequence number of the next packet to take
	last    time.Time // when the newest packet in time arrived
	stats   LaneStats
}

// slot holds a packet: its sound, or its payload. The payload's room is kept, which is no
// more than the largest that came took; frames wait in the intake's free list, for sound is
// much larger, and of 640 ms of it little is held at a time.
type slot struct {
	full    bool
	at      time.Time
	payload []byte
	frame   *audio.Frame // nil if the packet is a payload
}

// taken is what pop found.
type taken uint8

const (
	nothing taken = iota
	sound
	gap
)

// Ready receives when there may be something to tick for.
func (i *Intake) Ready() <-chan struct{} { return i.ready }

// Push leaves a packet that arrived now. It copies what p points to.
func (i *Intake) Push(now time.Time, p Packet) {
	if i.putPacket(now, p) {
		wakeup.Signal(i.ready)
	}
}

// LaneStats returns the counts so far.
func (i *Intake) Stats() LaneStats {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.stats
}

func (i *Intake) putPacket(now time.Time, p Packet) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stats.Packets++
	if p.Frame == nil && (len(p.Payload) == 0 || len(p.Payload) > maxPayload) {
		i.stats.Broken++
		return false
	}
	if !i.running || i.held == 0 && now.Sub(i.last) >= silenceAfter {
		// What a silence swallowed is not missing, and a sender whose packets
		// were all late for so long has begun again.
		i.beginStream(p.Seq)
	}
	if !i.makeRoomFor(p.Seq) {
		return false
	}
	s := &i.slots[p.Seq%capacity]
	if s.full {
		i.stats.Late++ // the same packet again
		return false
	}
	s.full, s.at, s.payload = true, now, append(s.payload[:0], p.Payload...)
	if p.Frame != nil {
		s.payload, s.frame = s.payload[:0], i.takeFree()
		*s.frame = *p.Frame
	}
	i.held++
	i.last = now
	return true
}

// takeFree returns a frame that nothing is kept in.
func (i *Intake) takeFree() *audio.Frame {
	n := len(i.free)
	if n == 0 {
		return new(audio.Frame)
	}
	f := i.free[n-1]
	i.free = i.free[:n-1]
	return f
}

// clearSlot leaves a slot empty.
func (i *Intake) clearSlot(s *slot) {
	s.full = false
	if s.frame != nil {
		i.free = append(i.free, s.frame)
		s.frame = nil
	}
}

// makeRoomFor makes room for seq and reports whether its time is not past.
func (i *Intake) makeRoomFor(seq uint16) bool {
	ahead := int(int16(seq - i.want))
	switch {
	case ahead > maxJump || ahead < -maxJump:
		i.beginStream(seq)
	case ahead < 0:
		i.stats.Late++
		return false
	case ahead >= capacity:
		for range ahead - capacity + 1 {
			i.dropNext()
		}
	}
	return true
}

// beginStream expects a new stream from seq on.
func (i *Intake) beginStream(seq uint16) {
	for n := range i.slots {
		if i.slots[n].full {
			i.clearSlot(&i.slots[n])
			i.stats.Dropped++
		}
	}
	i.running, i.want, i.held = true, seq, 0
}

// dropNext gives up the packet to be taken next.
func (i *Intake) dropNext() {
	if s := &i.slots[i.want%capacity]; s.full {
		i.clearSlot(s)
		i.held--
		i.stats.Dropped++
	} else {
		i.stats.Lost++
	}
	i.want++
}

// popNext takes the next packet if it is there, or tells of a gap when it is not
// worth waiting for. It stores a frame in dst or n bytes in payload; for a
// gap, n are those of the packet after it, if it is held.
func (i *Intake) popNext(now time.Time, dst *audio.Frame, payload []byte) (at time.Time, n int, got taken) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held == 0 {
		return at, 0, nothing
	}
	if i.slots[i.want%capacity].full {
		at, n = i.takeHeld(dst, payload)
		return at, n, sound
	}
	missing, oldest := i.countMissing()
	if i.held < jitterFrames && now.Before(oldest.Add(jitterWait)) {
		return at, 0, nothing
	}
	if missing > maxFill {
		i.stats.Lost += uint64(missing)
		i.want += uint16(missing)
		at, n = i.takeHeld(dst, payload)
		return at, n, sound
	}
	i.stats.Lost++
	i.want++
	after := &i.slots[i.want%capacity]
	if after.full {
		n = copy(payload, after.payload)
	}
	return oldest, n, gap
}

// takeHeld moves the next packet, which is held, to dst or payload.
func (i *Intake) takeHeld(dst *audio.Frame, payload []byte) (time.Time, int) {
	s := &i.slots[i.want%capacity]
	if s.frame != nil {
		*dst = *s.frame
	}
	i.clearSlot(s)
	i.held--
	i.want++
	return s.at, copy(payload, s.payload)
}

// countMissing returns how many packets are missing before the first held one, and
// when the oldest held one arrived. At least one is held, none is next.
func (i *Intake) countMissing() (missing int, oldest time.Time) {
	for n := range capacity {
		s := &i.slots[(i.want+uint16(n))%capacity]
		if !s.full {
			continue
		}
		if missing == 0 {
			missing = n
		}
		if oldest.IsZero() || s.at.Before(oldest) {
			oldest = s.at
		}
	}
	return missing, oldest
}

// nextDue returns when something can be taken, if anything is held.
func (i *Intake) nextDue() (time.Time, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held == 0 {
		return time.Time{}, false
	}
	if s := &i.slots[i.want%capacity]; s.full {
		return s.at, true
	}
	_, oldest := i.countMissing()
	if i.held >= jitterFrames {
		return oldest, true
	}
	return oldest.Add(jitterWait), true
}

// countBroken counts a payload that could not be decoded.
func (i *Intake) countBroken() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stats.Broken++
}
