package mixer

import (
	"context"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// block is the piece in which lines keep sound: 100 ms.
type block [audio.SampleRate / 10]int16

// state is where a line stands. stopped and finished are final.
type state uint8

const (
	waiting  state = iota // never played: to playing, stopped
	playing               // to paused, stopped, finished
	paused                // to playing, stopped
	stopped               // by Stop, or because another line played
	finished              // closed and played to its end
)

// Line is what one NPC says at one go, sentence by sentence. One goroutine
// writes it (Begin, Append, End, Close, Room), before or while a [Mixer] plays
// it, and any may take back (Withdraw); a line belongs to the mixer that first plays it. What was played is
// forgotten. How far the writer may be ahead is for
// the writer to bound, with Room.
type Line struct {
	id   uint64
	room chan struct{} // one token: Room is to look again

	mu    sync.Mutex // guards the fields below
	state state
	owner *Mixer // that first played it; nil before
	spell int    // counts plays and cuts: tells one stretch of playing from the next

	// Places count the line's samples from 0.
	blocks  []*block
	base    int64   // place of the first sample of blocks
	written int64   // place after the last sample
	pos     int64   // place of the next sample to play
	start   int64   // place where sentence index begins
	index   int     // the first sentence that has not been played to its end
	ends    []int64 // where the sentences from index on end, as far as they are complete
	open    bool    // the sentence after those of ends has begun
	closed  bool
	begun   int   // sentences begun
	ended   int   // sentences that ended, with their frames written
	brokeAt int64 // since Stop: the end of the sentence index, 0 if that was not written

	flowing bool      // Started was told and nothing has interrupted since
	stirred bool      // something was played since the last Dry
	dryAt   time.Time // when the sentence counts as dry; zero while sound flows
	failed  bool      // the outlet refused it
	fadeIn  int       // samples still to be faded in
	ducked  bool      // it is to sound softly, under a player's voice
	gain    int       // what it is played with, of unity; on its way to what ducked says
	hungry  bool      // the mixer wants to be woken when there is more
	most    int64     // what Room waits for, in samples; negative if it does not
}

// NewLine returns an empty line that notes will name id.
func NewLine(id uint64) *Line {
	return &Line{id: id, room: make(chan struct{}, 1), most: -1, gain: unity}
}

// Begin begins the next sentence and returns its index, from 0. It ends one
// that is still open. After Close it does nothing and returns -1.
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

// Append adds a copy of samples, mono at audio.SampleRate, to the sentence
// that is open; without one it does nothing. It never blocks.
func (l *Line) Append(samples []int16) {
	if wake := l.appendAll(samples); wake != nil {
		wakeup.Signal(wake)
	}
}

// appendAll stores samples at once: of a part, the mixer could not make a frame, and would
// have silence follow what came before. A second of sound takes some 20 µs.
func (l *Line) appendAll(samples []int16) (wake chan struct{}) {
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
	return l.wakeLocked()
}

// End tells that the open sentence is complete, if there is one.
func (l *Line) End() {
	l.mu.Lock()
	wake := l.endLocked()
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// EndAt ends the open sentence at a place in the line, counted from its first
// sample, and begins the next with what is beyond: for a writer that learns only
// afterwards where a sentence ended. What has been played cannot be divided any
// more: then the sentence ends where playing is. Without an open sentence it does
// nothing.
func (l *Line) EndAt(at time.Duration) {
	l.mu.Lock()
	var wake chan struct{}
	if l.open && l.state != stopped {
		l.ends = append(l.ends, min(max(samplesIn(at), l.pos, l.lastEnd()), l.written))
		l.begun++
		wake = l.wakeLocked()
	}
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// Withdraw takes back what was written of the open sentence from a place in the line
// on, counted from its first sample. What has been played stays; what plays fades out
// within 5 ms.
func (l *Line) Withdraw(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open || l.state == stopped {
		return
	}
	to := max(samplesIn(at), l.lastEnd(), l.pos)
	if l.flowing && to == l.pos && to > l.lastEnd() {
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
		l.wakeWriter()
	}
}

// lastEnd is where the open sentence begins.
func (l *Line) lastEnd() int64 {
	if n := len(l.ends); n > 0 {
		return l.ends[n-1]
	}
	return l.start
}

// Written returns how much sound the line has been given.
func (l *Line) Written() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return durationAt(l.written)
}

// Played returns how much of the line has been played, up to where it was paused or
// stopped.
func (l *Line) Played() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return durationAt(l.pos)
}

// Close tells that there are no more sentences. It ends one that is open.
func (l *Line) Close() {
	l.mu.Lock()
	l.closed = true
	wake := l.endLocked()
	if wake == nil {
		wake = l.wakeLocked()
	}
	l.mu.Unlock()
	if wake != nil {
		wakeup.Signal(wake)
	}
}

// Room waits until at most most of sound is unplayed. It returns [ErrStopped]
// if the line will not be played further, and ctx's error if that ends first.
// A line that is not played, or is paused, makes no room.
func (l *Line) Room(ctx context.Context, most time.Duration) error {
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

// hasRoom reports whether at most samples are unplayed. If not, a token comes
// when that changes; over is closed when it never will.
func (l *Line) hasRoom(samples int64) (ok bool, over <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most = -1
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
	l.most = samples
	return false, over, nil
}

// Ended returns how many of the line's sentences were played to their end. It
// holds after Stop too, when notes can no longer be taken.
func (l *Line) Ended() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// Partly returns how much was played of the sentence in which the line was stopped, and how
// long it is as far as it was written; whole says that it was written to its end. It is zero
// before Stop, and where the line was stopped between sentences or not played at all.
func (l *Line) Partly() (played, written time.Duration, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stopped || l.index != l.ended || l.pos <= l.start {
		return 0, 0, false
	}
	end := max(l.brokeAt, l.pos)
	if l.brokeAt == 0 {
		end = l.written
	}
	return durationAt(l.pos - l.start), durationAt(end - l.start), l.brokeAt > 0
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
	return l.wakeLocked()
}

// wakeLocked returns the channel of a mixer that waits for what has just been
// written, nil if none does.
func (l *Line) wakeLocked() chan struct{} {
	if !l.hungry || l.open && len(l.ends) == 0 && !l.failed && l.owner.out != nil && !l.hasFrame() {
		return nil
	}
	l.hungry = false
	return l.owner.wake
}

func (l *Line) newBlock() *block {
	if l.owner == nil {
		return new(block)
	}
	return l.owner.pool.Get().(*block)
}
