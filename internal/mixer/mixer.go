// Package mixer plays what a table's NPCs say: it takes the sound of one line
// at a time, cuts it into frames, hands those to the transport when they are
// due, and tells what was heard of each sentence.
//
// It starts no goroutine: [Mixer.Run] is its owner's. It decides nothing: who may
// speak is the floor's, what is said the NPC's.
package mixer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// ErrStopped is returned to the writer of a line that will not be played any
// further.
var ErrStopped = errors.New("line stopped")

// Outlet takes the table's sound.
type Outlet interface {
	// Write takes the next 20 ms. It is called by one goroutine, keeps no
	// reference to frame and may wait (back-pressure) until ctx ends.
	Write(ctx context.Context, frame *audio.Frame) error
}

// Options adjust a [Mixer]. The zero value gives a frame each 20 ms.
type Options struct {
	// Unpaced plays as fast as the outlet takes it, as suits a file. If false,
	// a frame is given each 20 ms.
	Unpaced bool
	// Lead is how far before its time a frame may be given to the outlet, for
	// outlets with a buffer of their own: so much is given at once at the
	// beginning or after a delay, and still sounds after a Pause or a Stop. If
	// zero, frames are given on time.
	Lead time.Duration
	// Trail is how much silence follows what sounds once nothing is left, for outlets that
	// may play their last sound again, or hold it back, when they get no more. Sound that
	// comes meanwhile takes its place. If zero, none does.
	Trail time.Duration
	// OnFrame, if not nil, is called after each frame that the outlet took,
	// with how much later than due it was handed over. It is called by Run's
	// goroutine and must return at once.
	OnFrame func(late time.Duration)
}

// Kind is what a [Note] tells.
type Kind uint8

// The kinds of notes.
const (
	// Started: a frame with sound of the line was written, the first after
	// Play or Dry.
	Started Kind = iota + 1
	// SentenceEnded: Sentence was played to its end. Each sentence ends once,
	// in order.
	SentenceEnded
	// Dry: nothing is left to play though the line is open. Inside a sentence
	// that is told only after 200 ms. It comes at most once after each Started
	// or SentenceEnded.
	Dry
	// Finished: the line is closed and all of it was played. It is the last
	// note about a line.
	Finished
	// Failed: the outlet refused the line's sound; the rest of the line passes
	// without sound, as fast as it comes. It is told once for a line.
	Failed
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Started:
		return "started"
	case SentenceEnded:
		return "sentence ended"
	case Dry:
		return "dry"
	case Finished:
		return "finished"
	case Failed:
		return "failed"
	}
	return "unknown"
}

// Note tells what happened to a line.
type Note struct {
	Line     uint64
	Kind     Kind
	Sentence int // SentenceEnded: which, from 0
	// At is when the frame was handed to the outlet, or when it happened if
	// there was no frame.
	At time.Time
	// Played is how much of the line's sound had been played. For SentenceEnded
	// it is where the sentence ended, for Started the end of the frame.
	Played time.Duration
	Err    error // Failed: the outlet's
}

// Stats counts what a [Mixer] has done.
type Stats struct {
	Frames uint64 // frames the outlet took
	Moved  uint64 // times a frame was so late that those after it were moved too
}

// Mixer plays lines, one at a time. All its methods are safe for concurrent
// use; none but Run waits.
type Mixer struct {
	out   Outlet
	opts  Options
	wake  chan struct{} // one token: there is news for Run
	ready chan struct{} // one token: there are notes
	done  chan struct{} // closed when Run has returned
	pool  sync.Pool     // of *block

	frame audio.Frame // owned by Run's goroutine

	mu    sync.Mutex // guards the fields below; taken before a line's
	line  *Line      // plays; nil if none
	tail  fade       // of a line cut off, still to be played
	notes []Note     // not yet taken: at most what was played since
	fresh bool       // there was nothing to play when Run last looked
	trail int        // frames of silence that are still to follow
	after bool       // the last frame was one of them
	pace  pace
	given given
	stats Stats
}

// given is what the frame on its way to the outlet holds.
type given struct {
	line   *Line // nil if the frame holds none's sound
	spell  int   // the line's when the frame was made
	starts bool  // the line was silent before
	played time.Duration
	ended  []Note // of the sentences that end in it
}

// New returns a mixer that plays on out. If out is nil there is no sound:
// sentences pass as soon as they are complete. o may be nil.
func New(out Outlet, o *Options) *Mixer {
	m := &Mixer{
		out:   out,
		wake:  make(chan struct{}, 1),
		ready: make(chan struct{}, 1),
		done:  make(chan struct{}),
		fresh: true,
	}
	if o != nil {
		m.opts = *o
	}
	m.pace.unpaced, m.pace.lead = m.opts.Unpaced, max(m.opts.Lead, 0)
	m.pool.New = func() any { return new(block) }
	return m
}

// Ready returns a channel that receives when TakeNotes has something.
func (m *Mixer) Ready() <-chan struct{} { return m.ready }

// TakeNotes appends to dst what happened since the last call and returns it.
func (m *Mixer) TakeNotes(dst []Note) []Note {
	m.mu.Lock()
	defer m.mu.Unlock()
	dst = append(dst, m.notes...)
	clear(m.notes)
	m.notes = m.notes[:0]
	return dst
}

// Stats returns the counts so far.
func (m *Mixer) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	s.Moved = m.pace.moved
	return s
}

// Play lets l be played from now on, one that was paused from where that was, with a
// fade-in of 5 ms; another that plays is stopped as by Stop.
// It does nothing if l plays, was stopped, has been played to its end or
// belongs to another mixer.
func (m *Mixer) Play(l *Line) {
	m.mu.Lock()
	if m.line != l && l.startPlaying(m) {
		if m.line != nil {
			m.cutLine(m.line, stopped)
		}
		m.line = l
	}
	m.mu.Unlock()
	wakeup.Signal(m.wake)
}

// Pause silences l within a frame, with a fade-out of 5 ms. It does nothing unless
// l plays.
func (m *Mixer) Pause(l *Line) {
	m.mu.Lock()
	if m.line == l {
		m.cutLine(l, paused)
	}
	m.mu.Unlock()
	wakeup.Signal(m.wake)
}

// Duck takes l down by 12 dB from the next frame on, or back up, within 20 ms either
// way. A Pause ends it. It does nothing unless l plays.
func (m *Mixer) Duck(l *Line, down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.line != l {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ducked = down
}

// Stop silences l for good, within a frame and with a fade-out of 5 ms. No
// note about l can be taken once it has returned; [Line.Ended] tells how many
// of its sentences were played.
func (m *Mixer) Stop(l *Line) {
	m.mu.Lock()
	m.cutLine(l, stopped)
	m.mu.Unlock()
	wakeup.Signal(m.wake)
}

// cutLine ends or interrupts l; m.mu is held.
func (m *Mixer) cutLine(l *Line, to state) {
	starved := m.after || m.fresh && m.pace.isOver(time.Now())
	if f := l.cutTo(to); m.line == l {
		m.line = nil
		if f.n > 0 && !starved {
			m.tail = f
		}
	}
	if to == stopped {
		m.notes = slices.DeleteFunc(m.notes, func(n Note) bool { return n.Line == l.id })
	}
}
