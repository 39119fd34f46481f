package mixer

import (
	"context"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// block is the unit in which lines store sound: 100 ms.
type block [audio.SampleRate / 10]int16

// state is the state of a line. stopped and finished are final.
type state uint8

const (
	waiting  state = iota // never played: to playing, stopped
	playing               // to paused, stopped, finished
	paused                // to playing, stopped
	stopped               // by Stop, or because another line played
	finished              // closed and played to its end
)

// Line is what one NPC says in one go, sentence by sentence. One goroutine writes it (Begin, Append, End,
// Close, Room), before or while a [Mixer] plays it. Any goroutine may call Withdraw. A line belongs to the
// mixer that first plays it. Sound that has been played is released. The writer bounds how far it is ahead,
// with Room.
type Line struct {
	id   uint64
	room chan struct{} // one token: Room should check again

	mu       sync.Mutex // guards the fields below
	state    state
	owner    *Mixer // the mixer that first played it; nil before
	playSpan int    // number of plays and cuts, which distinguishes one stretch of playback from the next

	// Positions count the line's samples from 0.
	blocks         []*block
	base           int64   // position of the first sample of blocks
	written        int64   // position after the last sample
	pos            int64   // position of the next sample to play
	start          int64   // position where sentence index begins
	index          int     // the first sentence not played to its end
	ends           []int64 // ends of the complete sentences from index on
	open           bool    // the sentence after those in ends has begun
	closed         bool
	begun          int   // sentences begun
	ended          int   // sentences played to their end, with their frames handed over
	cutSentenceEnd int64 // after Stop: the end of sentence index, or 0 if it was not written

	startReported  bool      // Started was reported and playback not interrupted since
	playedSinceDry bool      // something was played since the last Dry
	dryAt          time.Time // when the sentence counts as dry; zero while there is sound
	failed         bool      // the outlet rejected its sound
	fadeIn         int       // samples still to be faded in
	ducked         bool      // play softly, because a player is speaking
	gain           int       // current gain relative to unity, moving to the target set by ducked
	needsInput     bool      // the mixer wants to be woken when more is written
	roomLimit      int64     // the samples Room waits for; negative if it does not
}

// NewLine returns an empty line. Notes refer to it by id.
func NewLine(id uint64) *Line {
	return &Line{id: id, room: make(chan struct{}, 1), roomLimit: -1, gain: unity}
}

// Begin begins the next sentence and returns its index, from 0. It ends an open sentence. After Close it does
// nothing and returns -1.
func (l *Line) Begin() int {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return -1
	}
	wake := l.endLocked()
	l.open = true
	l.begun++
	index := l.begun - 1
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
	return index
}

// Append adds a copy of samples, mono at audio.SampleRate, to the open sentence. Without one it does nothing.
// It never blocks.
func (l *Line) Append(samples []int16) {
	if wake := l.appendLocked(samples); wake != nil {
		wakeup.Signal(wake)
	}
}

// appendLocked stores all samples under one lock. Otherwise the mixer might find too few for a frame and insert
// silence. A second of sound takes about 20 µs.
func (l *Line) appendLocked(samples []int16) (wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || l.state == stopped || len(samples) == 0 {
		return nil
	}
	for len(samples) > 0 {
		at := int(l.written - l.base)
		if at == len(l.blocks)*len(block{}) {
			l.blocks = append(l.blocks, l.newBlock())
		}
		n := copy(l.blocks[at/len(block{})][at%len(block{}):], samples)
		l.written += int64(n)
		samples = samples[n:]
	}
	return l.takeWakeChannel()
}

// End marks the open sentence, if any, as complete.
func (l *Line) End() {
	l.mu.Lock()
	wake := l.endLocked()
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// EndAt ends the open sentence at a position in the line, counted from its first sample, and begins the next
// with the sound after it. It is for a writer that learns only afterwards where a sentence ended. Sound that
// has been played cannot be divided; then the sentence ends at the playback position. Without an open
// sentence it does nothing.
func (l *Line) EndAt(at time.Duration) {
	l.mu.Lock()
	var wake chan struct{}
	if l.open && l.state != stopped {
		l.ends = append(l.ends, min(max(samplesIn(at), l.pos, l.lastEnd()), l.written))
		l.begun++
		wake = l.takeWakeChannel()
	}
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// Withdraw removes the sound of the open sentence from a position in the line on, counted from its first
// sample. Sound that has been played stays. If that part is being played, it fades out within 5 ms.
func (l *Line) Withdraw(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || l.state == stopped {
		return
	}
	to := max(samplesIn(at), l.lastEnd(), l.pos)
	if l.startReported && to == l.pos && to > l.lastEnd() {
		n := min(l.written-to, int64(fadeSamples))
		for i := range n {
			at := int(to - l.base + i)
			b := l.blocks[at/len(block{})]
			b[at%len(block{})] = int16(int64(b[at%len(block{})]) * (n - i) / (n + 1))
		}
		to += n
	}
	if to < l.written {
		l.written = to
		l.notifyWriter()
	}
}

// lastEnd returns the position where the open sentence begins.
func (l *Line) lastEnd() int64 {
	if n := len(l.ends); n > 0 {
		return l.ends[n-1]
	}
	return l.start
}

// Written returns the duration of the sound written to the line.
func (l *Line) Written() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return durationAt(l.written)
}

// Played returns how much of the line has been played, up to where it was paused or stopped.
func (l *Line) Played() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return durationAt(l.pos)
}

// Close marks the line as complete. It ends an open sentence.
func (l *Line) Close() {
	l.mu.Lock()
	l.closed = true
	wake := l.endLocked()
	if wake == nil {
		wake = l.takeWakeChannel()
	}
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// AwaitRoom waits until at most most of sound is unplayed. It returns [ErrStopped] if the line will not be played
// further, or ctx's error if ctx ends first. While a line is not played, or is paused, no room becomes free.
func (l *Line) AwaitRoom(ctx context.Context, most time.Duration) error {
	most = max(most, 0)
	samples := samplesIn(most)
	for {
		ok, over, err := l.hasRoom(samples)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return ErrStopped
		case <-l.room:
		}
	}
}

// hasRoom reports whether at most samples are unplayed. If not, l.room receives a token when that changes.
// over is closed when it never will.
func (l *Line) hasRoom(samples int64) (ok bool, over <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roomLimit = -1
	if l.state == stopped {
		return false, nil, ErrStopped
	}
	if l.owner != nil {
		over = l.owner.done
		select {
		case <-over:
			return false, nil, ErrStopped
		default:
		}
	}
	if l.written-l.pos <= samples {
		return true, nil, nil
	}
	l.roomLimit = samples
	return false, over, nil
}

// Ended returns how many of the line's sentences were played to their end. It remains valid after Stop, when
// notes about the line are no longer available.
func (l *Line) Ended() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// PartlyPlayed returns how much of a sentence was played when the line was stopped within it, and the sentence's
// length as far as it was written. whole reports that it was written to its end. All are zero before Stop,
// and if the line was stopped between sentences or not played at all.
func (l *Line) PartlyPlayed() (played, written time.Duration, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stopped || l.index != l.ended || l.pos <= l.start {
		return 0, 0, false
	}
	end := max(l.cutSentenceEnd, l.pos)
	if l.cutSentenceEnd == 0 {
		end = l.written
	}
	return durationAt(l.pos - l.start), durationAt(end - l.start), l.cutSentenceEnd > 0
}

func (l *Line) endLocked() (wake chan struct{}) {
	if !l.open {
		return nil
	}
	l.open = false
	if l.state == stopped {
		return nil
	}
	l.ends = append(l.ends, l.written)
	return l.takeWakeChannel()
}

// takeWakeChannel returns the wake channel of a mixer that waits for the data just written, or nil.
func (l *Line) takeWakeChannel() chan struct{} {
	if !l.needsInput || l.open && len(l.ends) == 0 && !l.failed && l.owner.out != nil && !l.hasFrame() {
		return nil
	}
	l.needsInput = false
	return l.owner.wake
}

func (l *Line) newBlock() *block {
	if l.owner == nil {
		return new(block)
	}
	return l.owner.pool.Get().(*block)
}
