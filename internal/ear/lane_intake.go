package ear

import (
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// capacity is the number of packets an intake holds: 640 ms. It must be a power of two.
	capacity = 32
	// jitterWait is how long packets wait for a missing one before them, and jitterFrames is how many may
	// wait.
	jitterWait   = 60 * time.Millisecond
	jitterFrames = int(jitterWait / audio.FrameDuration)
	// maxFill is the longest gap in packets that is concealed. A longer one is skipped.
	maxFill = 5
	// maxJump is the distance between sequence numbers beyond which a packet must belong to a new stream.
	maxJump = 100
	// maxPayload is the maximum payload in bytes, because a datagram can carry no more.
	maxPayload = 1500
)

// Packet is 20 ms of one speaker's sound, as received from a transport.
type Packet struct {
	// Seq is the packet's sequence number in its stream, as in RTP. It wraps around, and does not count
	// packets that the sender left out during silence.
	Seq uint16
	// Frame is the decoded sound; nil if Payload is set.
	Frame *audio.Frame
	// Payload is the encoded sound for the lane's [Decoder], at most 1500 bytes.
	Payload []byte
}

// LaneStats counts packets by outcome.
type LaneStats struct {
	// Packets is the number of packets pushed.
	Packets uint64
	// Dropped is the number of packets discarded because the intake was full or a new stream replaced theirs.
	Dropped uint64
	// Late is the number of packets that arrived after their turn, twice, or out of a stream's order.
	Late uint64
	// Lost is the number of packets that did not arrive in time. Gaps of up to 100 ms are concealed.
	Lost uint64
	// Broken is the number of packets that could not be decoded.
	Broken uint64
}

// Intake is the queue of packets between the transport and a lane. It is safe for concurrent use and never
// blocks. It holds 640 ms and drops the oldest packet when it is full.
type Intake struct {
	ready chan struct{} // holds one token when there may be packets to handle

	mu       sync.Mutex // guards the fields below
	slots    [capacity]slot
	free     []*audio.Frame // unused frames of slots
	buffered int
	running  bool      // want is valid
	nextSeq  uint16    // sequence number of the next packet to take
	last     time.Time // arrival of the newest packet that was in time
	stats    LaneStats
}

// slot holds a packet, either as sound or as a payload. It keeps the payload's buffer, which grows only to
// the largest payload received. Frames are returned to the intake's free list, because a frame is much larger
// than a payload and few are held at a time.
type slot struct {
	full    bool
	at      time.Time
	payload []byte
	frame   *audio.Frame // nil if the packet has a payload
}

// popResult is the result of popNext.
type popResult uint8

const (
	popNothing popResult = iota
	popSound
	popGap
)

// Ready returns a channel that receives when the lane may need a Tick.
func (i *Intake) Ready() <-chan struct{} { return i.ready }

// Push adds a packet that arrived now. It copies the data p points to.
func (i *Intake) Push(now time.Time, p Packet) {
	if i.putPacket(now, p) {
		wakeup.Signal(i.ready)
	}
}

// Stats returns the current counters.
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
	if !i.running || i.buffered == 0 && now.Sub(i.last) >= silenceAfter {
		// Packets left out during a silence are not missing. And a sender whose packets have all been late
		// for so long has started a new stream.
		i.beginStream(p.Seq)
	}
	if !i.makeRoomFor(p.Seq) {
		return false
	}
	s := &i.slots[p.Seq%capacity]
	if s.full {
		i.stats.Late++ // a duplicate
		return false
	}
	s.full, s.at, s.payload = true, now, append(s.payload[:0], p.Payload...)
	if p.Frame != nil {
		s.payload, s.frame = s.payload[:0], i.acquireFrame()
		*s.frame = *p.Frame
	}
	i.buffered++
	i.last = now
	return true
}

// acquireFrame returns an unused frame.
func (i *Intake) acquireFrame() *audio.Frame {
	n := len(i.free)
	if n == 0 {
		return new(audio.Frame)
	}
	f := i.free[n-1]
	i.free = i.free[:n-1]
	return f
}

// clearSlot empties a slot.
func (i *Intake) clearSlot(s *slot) {
	s.full = false
	if s.frame != nil {
		i.free = append(i.free, s.frame)
		s.frame = nil
	}
}

// makeRoomFor makes room for packet seq, and reports whether the packet is still in time.
func (i *Intake) makeRoomFor(seq uint16) bool {
	ahead := int(int16(seq - i.nextSeq))
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

// beginStream starts a new stream at seq.
func (i *Intake) beginStream(seq uint16) {
	for n := range i.slots {
		if i.slots[n].full {
			i.clearSlot(&i.slots[n])
			i.stats.Dropped++
		}
	}
	i.running, i.nextSeq, i.buffered = true, seq, 0
}

// dropNext discards the next packet.
func (i *Intake) dropNext() {
	if s := &i.slots[i.nextSeq%capacity]; s.full {
		i.clearSlot(s)
		i.buffered--
		i.stats.Dropped++
	} else {
		i.stats.Lost++
	}
	i.nextSeq++
}

// popNext takes the next packet if it has arrived, or reports a gap if it is not worth waiting for. It stores
// a frame in dst or n bytes in payload. For a gap, payload is that of the packet after it, if that has
// arrived.
func (i *Intake) popNext(now time.Time, dst *audio.Frame, payload []byte) (at time.Time, n int, got popResult) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.buffered == 0 {
		return at, 0, popNothing
	}
	if i.slots[i.nextSeq%capacity].full {
		at, n = i.readBuffered(dst, payload)
		return at, n, popSound
	}
	missing, oldest := i.countMissing()
	if i.buffered < jitterFrames && now.Before(oldest.Add(jitterWait)) {
		return at, 0, popNothing
	}
	if missing > maxFill {
		i.stats.Lost += uint64(missing)
		i.nextSeq += uint16(missing)
		at, n = i.readBuffered(dst, payload)
		return at, n, popSound
	}
	i.stats.Lost++
	i.nextSeq++
	after := &i.slots[i.nextSeq%capacity]
	if after.full {
		n = copy(payload, after.payload)
	}
	return oldest, n, popGap
}

// readBuffered moves the next packet, which must have arrived, to dst or payload.
func (i *Intake) readBuffered(dst *audio.Frame, payload []byte) (time.Time, int) {
	s := &i.slots[i.nextSeq%capacity]
	if s.frame != nil {
		*dst = *s.frame
	}
	i.clearSlot(s)
	i.buffered--
	i.nextSeq++
	return s.at, copy(payload, s.payload)
}

// countMissing returns the number of packets missing before the first one that has arrived, and the arrival
// time of the oldest. At least one must have arrived, but not the next.
func (i *Intake) countMissing() (missing int, oldest time.Time) {
	for n := range capacity {
		s := &i.slots[(i.nextSeq+uint16(n))%capacity]
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

// nextDue returns when the next packet can be taken. It returns false if there is none.
func (i *Intake) nextDue() (time.Time, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.buffered == 0 {
		return time.Time{}, false
	}
	if s := &i.slots[i.nextSeq%capacity]; s.full {
		return s.at, true
	}
	_, oldest := i.countMissing()
	if i.buffered >= jitterFrames {
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
