// Package mixer plays the lines of a table's NPCs. It takes the sound of one line at a time, cuts it into
// frames, hands them to the transport on time, and reports how much of each sentence was heard. For example:
//
//	l := mixer.NewLine(1)
//	m.Play(l)
//	l.Begin()
//	l.Append(samples)
//	l.Close()
//
// It starts no goroutine: its owner calls [Mixer.Run]. It makes no decisions: the floor decides who may
// speak, and the NPC chooses the words.
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

// ErrStopped is returned to the writer of a line that will not be played further.
var ErrStopped = errors.New("line stopped")

// Outlet receives the table's sound.
type Outlet interface {
	// Write sends the next 20 ms. It is called by one goroutine, keeps no reference to frame, and may block
	// until ctx ends, which slows the mixer down.
	Write(ctx context.Context, frame *audio.Frame) error
}

// Options configures a [Mixer]. With the zero value, it writes a frame every 20 ms.
type Options struct {
	// Unpaced plays as fast as the outlet accepts frames, for example into a file. If false, a frame is
	// written every 20 ms.
	Unpaced bool
	// Lead is how far ahead of time frames may be written, for outlets with their own buffer. That much is
	// written at once at the beginning or after a delay, and is still heard after a Pause or a Stop. If zero,
	// frames are written on time.
	Lead time.Duration
	// Trail is how much silence follows once nothing is left to play, for outlets that may repeat or hold
	// back the last sound when they receive no more. New sound replaces it. If zero, there is none.
	Trail time.Duration
	// OnFrame, if not nil, is called after each frame that the outlet accepted, with how late it was handed
	// over. Run's goroutine calls it. It must return at once.
	OnFrame func(late time.Duration)
}

// Kind is the kind of a [Note].
type Kind uint8

// The kinds of notes.
const (
	// Started means that a frame with sound of the line was written, the first after Play or Dry.
	Started Kind = iota + 1
	// SentenceEnded means that Sentence was played to its end. It is sent once per sentence, in order.
	SentenceEnded
	// Dry means that nothing is left to play although the line is open. Within a sentence, it is sent only
	// after 200 ms. It is sent at most once after each Started or SentenceEnded.
	Dry
	// Finished means that the line is closed and all of it was played. It is the last note about a line.
	Finished
	// Failed means that the outlet rejected the line's sound. The rest of the line passes without sound, as
	// fast as it is written. It is sent once per line.
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

// LineEvent reports an event of a line.
type LineEvent struct {
	Line     uint64
	Kind     Kind
	Sentence int // for SentenceEnded: the sentence's index, from 0
	// At is when the frame was handed to the outlet, or the time of the event if there was no frame.
	At time.Time
	// Played is how much of the line's sound had been played. For SentenceEnded it is the end of the
	// sentence, for Started the end of the frame.
	Played time.Duration
	Err    error // for Failed: the outlet's error
}

// Stats are the counters of a [Mixer].
type Stats struct {
	Frames uint64 // frames that the outlet accepted
	Moved  uint64 // times that a late frame moved the schedule
}

// Mixer plays lines, one at a time. All methods are safe for concurrent use; only Run blocks.
type Mixer struct {
	out   Outlet
	opts  Options
	wake  chan struct{} // one token: Run should check again
	ready chan struct{} // one token: there are notes
	done  chan struct{} // closed when Run has returned
	pool  sync.Pool     // of *block

	frame audio.Frame // owned by Run's goroutine

	mu        sync.Mutex  // guards the fields below; acquired before a line's
	line      *Line       // the line being played; nil if none
	fadeTail  fade        // of a line cut off, still to be played
	events    []LineEvent // notes not yet taken
	idle      bool        // there was nothing to play when Run last checked
	trailLeft int         // frames of silence still to be played
	trailing  bool        // the last frame was one of them
	pace      pace
	written   frameInfo
	stats     Stats
}

// frameInfo describes the frame that is being handed over.
type frameInfo struct {
	line     *Line // nil if the frame has no line's sound
	playSpan int   // the line's spell when the frame was made
	starts   bool  // the line was silent before
	played   time.Duration
	ended    []LineEvent // notes of the sentences that end in it
}

// New returns a mixer that plays on out. If out is nil, there is no sound, and sentences pass as soon as they
// are complete. o may be nil.
func New(out Outlet, o *Options) *Mixer {
	m := &Mixer{
		out:   out,
		wake:  make(chan struct{}, 1),
		ready: make(chan struct{}, 1),
		done:  make(chan struct{}),
		idle:  true,
	}
	if o != nil {
		m.opts = *o
	}
	m.pace.unpaced, m.pace.lead = m.opts.Unpaced, max(m.opts.Lead, 0)
	m.pool.New = func() any { return new(block) }
	return m
}

// Ready returns a channel that receives when DrainEvents has notes.
func (m *Mixer) Ready() <-chan struct{} { return m.ready }

// DrainEvents appends the notes since the last call to dst and returns it.
func (m *Mixer) DrainEvents(dst []LineEvent) []LineEvent {
	m.mu.Lock()
	defer m.mu.Unlock()
	dst = append(dst, m.events...)
	clear(m.events)
	m.events = m.events[:0]
	return dst
}

// Stats returns the current counters.
func (m *Mixer) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	s.Moved = m.pace.moved
	return s
}

// Play plays l from now on. A paused line continues where it was paused, with a fade-in of 5 ms. Another line
// that is playing is stopped as by Stop. Play does nothing if l is playing, stopped or finished, or belongs
// to another mixer.
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

// Pause silences l within a frame, with a fade-out of 5 ms. It does nothing unless l is playing.
func (m *Mixer) Pause(l *Line) {
	m.mu.Lock()
	if m.line == l {
		m.cutLine(l, paused)
	}
	m.mu.Unlock()
	wakeup.Signal(m.wake)
}

// Duck lowers l by 12 dB from the next frame on, or raises it again, within 20 ms. Pause resets it. It does
// nothing unless l is playing.
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

// Stop silences l for good, within a frame and with a fade-out of 5 ms. After it returns, DrainEvents returns
// no notes about l; [Line.Ended] returns how many of its sentences were played.
func (m *Mixer) Stop(l *Line) {
	m.mu.Lock()
	m.cutLine(l, stopped)
	m.mu.Unlock()
	wakeup.Signal(m.wake)
}

// cutLine pauses or stops l. m.mu is held.
func (m *Mixer) cutLine(l *Line, to state) {
	starved := m.trailing || m.idle && m.pace.allHeard(time.Now())
	if f := l.cutTo(to); m.line == l {
		m.line = nil
		if f.n > 0 && !starved {
			m.fadeTail = f
		}
	}
	if to == stopped {
		m.events = slices.DeleteFunc(m.events, func(n LineEvent) bool { return n.Line == l.id })
	}
}
