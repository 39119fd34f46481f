package mixer

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// dryAfter is how long a sentence may be without sound before its line counts as dry. A speaker takes that
// long to breathe.
const dryAfter = 200 * time.Millisecond

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
			if !m.writeFrame(ctx) {
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
	until, ready := m.advanceLine(now)
	if !ready && m.fadeTail.n == 0 && m.trailLeft == 0 {
		m.idle = true
		return until, false
	}
	due := m.pace.nextDue(now, m.idle)
	m.idle = false
	if now.Before(due) {
		if until.IsZero() || due.Before(until) {
			until = due
		}
		return until, false
	}
	m.mixFrame(ready)
	return time.Time{}, true
}

// advanceLine handles everything that needs no frame. It reports whether the line has sound for a frame, and
// if not, when it counts as dry. m.mu is held.
func (m *Mixer) advanceLine(now time.Time) (dryAt time.Time, ready bool) {
	l := m.line
	if l == nil {
		return time.Time{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.out == nil || l.failed {
		l.skipWritten()
	}
	before := len(m.events)
	m.events = l.finishSentences(m.events, now)
	l.ended = l.index
	switch {
	case l.hasFrame():
		ready = true
	case l.closed:
		m.events = append(m.events, l.newEvent(Finished, now))
		l.state = finished
		l.freeBlocks()
		m.line = nil
	case l.playedSinceDry:
		if l.dryAt.IsZero() && l.open {
			l.dryAt = m.pace.endOfSound(now).Add(dryAfter)
		}
		if now.Before(l.dryAt) {
			dryAt = l.dryAt
			break
		}
		m.events = append(m.events, l.newEvent(Dry, now))
		l.startReported, l.playedSinceDry, l.dryAt = false, false, time.Time{}
	}
	l.needsInput = !ready && m.line != nil
	if len(m.events) > before {
		wakeup.Signal(m.ready)
	}
	return dryAt, ready
}

// mixFrame fills m.frame with the line's sound, if ready, and the fade of a line that was cut off. Otherwise
// it is silence. m.mu is held.
func (m *Mixer) mixFrame(ready bool) {
	if m.trailing = !ready && m.fadeTail.n == 0; m.trailing {
		m.trailLeft--
	} else {
		m.trailLeft = int(m.opts.Trail / audio.FrameDuration)
	}
	n := 0
	m.written.line = nil
	if ready {
		n = m.mixLine(m.line)
	}
	clear(m.frame[n:])
	m.fadeTail.addTo(&m.frame)
}

func (m *Mixer) mixLine(l *Line) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.written.line, m.written.playSpan = l, l.playSpan
	m.written.starts = !l.startReported
	l.startReported = true
	n, m.written.ended = l.readFrame(&m.frame, m.written.ended[:0])
	m.written.played = durationAt(l.pos)
	return n
}

// writeFrame writes m.frame to the outlet. It returns false if ctx ended meanwhile.
func (m *Mixer) writeFrame(ctx context.Context) bool {
	at := time.Now()
	err := m.out.Write(ctx, &m.frame)
	if err != nil && ctx.Err() != nil {
		return false
	}
	late := m.recordWrite(at, err)
	if err == nil && m.opts.OnFrame != nil {
		m.opts.OnFrame(late)
	}
	return true
}

// recordWrite records the outcome of writing m.frame at time at, and returns how late the frame was.
func (m *Mixer) recordWrite(at time.Time, err error) (late time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	late = m.pace.recordWrite(at)
	if err == nil {
		m.stats.Frames++
	}
	g := &m.written
	if l := g.line; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.state != stopped {
			m.queueEvents(l, at, err)
		}
	}
	return late
}

// queueEvents queues the notes about a frame with sound of l. m.mu and l.mu are held.
func (m *Mixer) queueEvents(l *Line, at time.Time, err error) {
	g := &m.written
	here := l.playSpan == g.playSpan // not paused meanwhile
	switch {
	case err != nil && !l.failed:
		l.failed, l.startReported = true, false
		m.events = append(m.events, LineEvent{Line: l.id, Kind: Failed, At: at, Played: g.played, Err: err})
	case err == nil && g.starts && here:
		m.events = append(m.events, LineEvent{Line: l.id, Kind: Started, At: at, Played: g.played})
	}
	for _, n := range g.ended {
		n.At = at
		m.events = append(m.events, n)
		l.ended = n.Sentence + 1
	}
	if len(m.events) > 0 {
		wakeup.Signal(m.ready)
	}
}
