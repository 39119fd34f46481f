package mixer_test

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// model is a simple reference implementation of the mixer: it keeps all sound, has no
// goroutines, and is advanced from one instant to the next.
type model struct {
	lead   time.Duration
	trails int  // frames of silence after sound
	silent bool // there is no outlet

	now, next, floor time.Duration
	idle             bool // there was no line to play
	line             *modelLine
	tail             []int16
	trail            int  // frames of silence left to write
	trailed          bool // the last frame was one of them
	frames           []heard
	notes            []event
}

// event is a note with its time counted from the start.
type event struct {
	told
	at time.Duration
}

type modelLine struct {
	id        uint64
	sentences []modelSentence
	index     int // of the sentence that plays
	off       int // in the sentence's samples
	closed    bool
	over      bool // stopped or finished
	paused    bool
	flowing   bool
	stirred   bool
	dryAt     time.Duration
	rising    int // samples still to fade in
	ducked    bool
	less      int // fade steps below the written level
}

type modelSentence struct {
	samples  []int16
	complete bool
}

func (l *modelLine) open() bool {
	n := len(l.sentences)
	return n > 0 && !l.sentences[n-1].complete
}

func (l *modelLine) begin() {
	if !l.closed {
		l.end()
		l.sentences = append(l.sentences, modelSentence{})
	}
}

func (l *modelLine) add(samples []int16) {
	if l.open() {
		s := &l.sentences[len(l.sentences)-1]
		s.samples = append(s.samples, samples...)
	}
}

func (l *modelLine) end() {
	if l.open() {
		l.sentences[len(l.sentences)-1].complete = true
	}
}

// played returns how much sound lies before the line's position.
func (l *modelLine) played() time.Duration {
	n := l.off
	for _, s := range l.sentences[:l.index] {
		n += len(s.samples)
	}
	return audio.Duration(n, audio.SampleRate)
}

func (m *model) note(kind mixer.Kind, sentence int) {
	m.notes = append(m.notes, event{told{m.line.id, kind, sentence, m.line.played()}, m.now})
}

// pass skips sentences that are complete and played.
func (m *model) pass() {
	l := m.line
	for l.index < len(l.sentences) {
		s := l.sentences[l.index]
		if m.silent && l.off < len(s.samples) {
			l.off, l.stirred, l.dryAt = len(s.samples), true, 0
		}
		if !s.complete || l.off < len(s.samples) {
			return
		}
		m.note(mixer.SentenceEnded, l.index)
		l.index, l.off, l.stirred, l.dryAt = l.index+1, 0, true, 0
	}
}

// sounds reports whether the line has a sample, or the end of a sentence, from sample n
// of the frame on.
func (m *model) sounds(n int) bool {
	l := m.line
	if l == nil || l.index == len(l.sentences) {
		return false
	}
	s := l.sentences[l.index]
	return len(s.samples) > l.off && (s.complete || len(s.samples)-l.off >= audio.FrameSamples-n)
}

// settle does the work that does not depend on a frame.
func (m *model) settle() {
	l := m.line
	if l == nil {
		return
	}
	m.pass()
	switch {
	case m.sounds(0):
	case l.closed && l.index == len(l.sentences):
		m.note(mixer.Finished, 0)
		l.over, m.line = true, nil
	case l.stirred:
		if l.open() && l.dryAt == 0 {
			l.dryAt = max(m.now, m.next) + 200*time.Millisecond
		}
		if m.now >= l.dryAt {
			m.note(mixer.Dry, 0)
			l.flowing, l.stirred, l.dryAt = false, false, 0
		}
	}
}

func (m *model) play(l *modelLine) {
	if l.over || m.line == l {
		return
	}
	if m.line != nil {
		m.stop(m.line)
	}
	m.line, l.paused = l, false
}

func (m *model) pause(l *modelLine) {
	if m.line != l {
		return
	}
	m.fall(l)
	if l.off > 0 {
		l.rising = ms(5)
	}
	l.ducked, l.less = false, 0
	l.paused, l.flowing, l.dryAt, m.line = true, false, 0, nil
}

func (m *model) duck(l *modelLine, down bool) {
	if m.line == l {
		l.ducked = down
	}
}

// soften returns the next sample at the line's current level.
func (l *modelLine) soften(v int16) int16 {
	if l.ducked {
		l.less = min(l.less+1, 768)
	} else {
		l.less = max(l.less-1, 0)
	}
	return int16(int(v) * (32768 - 32*l.less) / 32768)
}

func (m *model) stop(l *modelLine) {
	if m.line == l {
		m.fall(l)
		m.line = nil
	}
	l.over = true
	m.notes = slices.DeleteFunc(m.notes, func(e event) bool { return e.line == l.id })
}

// fall starts the fade-out of l, unless l was silent.
func (m *model) fall(l *modelLine) {
	if !l.flowing || l.off == 0 || m.trailed || m.idle && m.now > m.next {
		return
	}
	rest := l.sentences[l.index].samples[l.off:]
	rest = slices.Clone(rest[:min(len(rest), ms(5))])
	for i, s := range rest {
		rest[i] = int16(int(l.soften(s)) * (len(rest) - i) / (len(rest) + 1))
	}
	if len(rest) > 0 {
		m.tail = rest
	}
}

// advance moves the clock to end and does all work due until then.
func (m *model) advance(end time.Duration) {
	for {
		m.settle()
		var then []time.Duration
		if m.sounds(0) || len(m.tail) > 0 || m.trail > 0 {
			if m.idle {
				m.floor, m.next, m.idle = m.now, max(m.next, m.now), false
			}
			due := max(m.next-m.lead, m.floor)
			if due <= m.now {
				m.frame()
				continue
			}
			then = append(then, due)
		} else {
			m.idle = true
		}
		if m.line != nil && m.line.dryAt > 0 {
			then = append(then, m.line.dryAt)
		}
		if len(then) == 0 || slices.Min(then) > end {
			m.now = end
			return
		}
		m.now = slices.Min(then)
	}
}

func (m *model) frame() {
	h := heard{at: m.now}
	if m.trailed = !m.sounds(0) && len(m.tail) == 0; m.trailed {
		m.trail--
	} else {
		m.trail = m.trails
	}
	n := 0
	if m.sounds(0) {
		starts, before := !m.line.flowing, len(m.notes)
		for n < len(h.samples) && m.sounds(n) {
			n += m.sample(h.samples[n:])
			m.pass()
		}
		m.line.flowing, m.line.stirred, m.line.dryAt = true, true, 0
		if starts {
			m.note(mixer.Started, 0)
			last := m.notes[len(m.notes)-1]
			m.notes = slices.Insert(m.notes[:len(m.notes)-1], before, last)
		}
	}
	for i, s := range m.tail {
		h.samples[i] = int16(min(max(int(h.samples[i])+int(s), -32768), 32767))
	}
	m.tail = nil
	m.frames = append(m.frames, h)
	m.next += frame
}

// sample copies the sentence's samples into dst and returns how many there were.
func (m *model) sample(dst []int16) int {
	l := m.line
	n := copy(dst, l.sentences[l.index].samples[l.off:])
	for i := range dst[:n] {
		if l.rising > 0 {
			dst[i] = int16(int(dst[i]) * (ms(5) - l.rising + 1) / (ms(5) + 1))
			l.rising--
		}
		dst[i] = l.soften(dst[i])
	}
	l.off += n
	return n
}
