package mixer

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// patience is how long a sentence may be without sound before its line counts as dry. A speaker takes that
// long to breathe.
const patience = 200 * time.Millisecond

// Run plays until ctx ends and returns nil. It is called once. After it returns, there are no further notes,
// and Room returns [ErrStopped].
func (m *Mixer) Run(ctx context.Context) error {
	defer close(m.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop() // until there is a time to wait for
	defer timer.Stop()
	for ctx.Err() == nil {
		until, write := m.nextFrame(time.Now())
		if write {
			if !m.handOver(ctx) {
				return nil
			}
			continue
		}
		var alarm <-chan time.Time
		if !until.IsZero() {
			timer.Reset(time.Until(until))
			alarm = timer.C
		}
		select {
		case <-ctx.Done():
		case <-m.wake:
		case <-alarm:
		}
	}
	return nil
}

// nextFrame prepares m.frame if it is due. Otherwise it returns when to check again; zero means when woken.
func (m *Mixer) nextFrame(now time.Time) (until time.Time, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	until, ready := m.passSilently(now)
	if !ready && m.tail.n == 0 && m.trail == 0 {
		m.fresh = true
		return until, false
	}
	due := m.pace.nextDue(now, m.fresh)
	m.fresh = false
	if now.Before(due) {
		if until.IsZero() || due.Before(until) {
			until = due
		}
		return until, false
	}
	m.mixFrame(ready)
	return time.Time{}, true
}

// passSilently handles everything that needs no frame. It reports whether the line has sound for a frame, and
// if not, when it counts as dry. m.mu is held.
func (m *Mixer) passSilently(now time.Time) (dryAt time.Time, ready bool) {
	l := m.line
	if l == nil {
		return time.Time{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.out == nil || l.failed {
		l.skipWritten()
	}
	before := len(m.notes)
	m.notes = l.passEnded(m.notes, now)
	l.ended = l.index
	switch {
	case l.hasFrame():
		ready = true
	case l.closed:
		m.notes = append(m.notes, l.newNote(Finished, now))
		l.state = finished
		l.freeBlocks()
		m.line = nil
	case l.stirred:
		if l.dryAt.IsZero() && l.open {
			l.dryAt = m.pace.endOfSound(now).Add(patience)
		}
		if now.Before(l.dryAt) {
			dryAt = l.dryAt
			break
		}
		m.notes = append(m.notes, l.newNote(Dry, now))
		l.flowing, l.stirred, l.dryAt = false, false, time.Time{}
	}
	l.hungry = !ready && m.line != nil
	if len(m.notes) > before {
		wakeup.Signal(m.ready)
	}
	return dryAt, ready
}

// mixFrame fills m.frame with the line's sound, if ready, and the fade of a line that was cut off. Otherwise
// it is silence. m.mu is held.
func (m *Mixer) mixFrame(ready bool) {
	if m.after = !ready && m.tail.n == 0; m.after {
		m.trail--
	} else {
		m.trail = int(m.opts.Trail / audio.FrameDuration)
	}
	n := 0
	m.given.line = nil
	if ready {
		n = m.mixLine(m.line)
	}
	clear(m.frame[n:])
	m.tail.addTo(&m.frame)
}

func (m *Mixer) mixLine(l *Line) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.given.line, m.given.spell = l, l.spell
	m.given.starts = !l.flowing
	l.flowing = true
	n, m.given.ended = l.readFrame(&m.frame, m.given.ended[:0])
	m.given.played = durationAt(l.pos)
	return n
}

// handOver writes m.frame to the outlet. It returns false if ctx ended meanwhile.
func (m *Mixer) handOver(ctx context.Context) bool {
	at := time.Now()
	err := m.out.Write(ctx, &m.frame)
	if err != nil && ctx.Err() != nil {
		return false
	}
	late := m.noteHandover(at, err)
	if err == nil && m.opts.OnFrame != nil {
		m.opts.OnFrame(late)
	}
	return true
}

// noteHandover records the outcome of writing m.frame at time at, and returns how late the frame was.
func (m *Mixer) noteHandover(at time.Time, err error) (late time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	late = m.pace.noteHandover(at)
	if err == nil {
		m.stats.Frames++
	}
	g := &m.given
	if l := g.line; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.state != stopped {
			m.queueNotes(l, at, err)
		}
	}
	return late
}

// queueNotes queues the notes about a frame with sound of l. m.mu and l.mu are held.
func (m *Mixer) queueNotes(l *Line, at time.Time, err error) {
	g := &m.given
	here := l.spell == g.spell // not paused meanwhile
	switch {
	case err != nil && !l.failed:
		l.failed, l.flowing = true, false
		m.notes = append(m.notes, Note{Line: l.id, Kind: Failed, At: at, Played: g.played, Err: err})
	case err == nil && g.starts && here:
		m.notes = append(m.notes, Note{Line: l.id, Kind: Started, At: at, Played: g.played})
	}
	for _, n := range g.ended {
		n.At = at
		m.notes = append(m.notes, n)
		l.ended = n.Sentence + 1
	}
	if len(m.notes) > 0 {
		wakeup.Signal(m.ready)
	}
}
