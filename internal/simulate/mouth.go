package simulate

import (
	"strings"
	"sync"
	"time"
)

// mouth is what a player says and when, so that the simulated recognition can
// hear it: it knows no words from sound. It is safe for concurrent use.
type mouth struct {
	mu    sync.Mutex // guards words
	words []word     // not transcribed yet, in order
}

type word struct {
	text string
	end  time.Time
}

// maxWords bounds what waits for a recognition that never asks; the oldest are
// forgotten.
const maxWords = 1000

// say spreads the words of text evenly over the time from start to end.
func (m *mouth) say(text string, start, end time.Time) {
	words := strings.Fields(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, w := range words {
		m.words = append(m.words, word{w, start.Add(end.Sub(start) * time.Duration(i+1) / time.Duration(len(words)))})
	}
	if drop := len(m.words) - maxWords; drop > 0 {
		m.words = append(m.words[:0], m.words[drop:]...)
	}
}

// said returns the words that were finished by now and, with take, forgets
// them.
func (m *mouth) said(now time.Time, take bool) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	var b strings.Builder
	for n < len(m.words) && !m.words[n].end.After(now) {
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.words[n].text)
		n++
	}
	if take {
		m.words = append(m.words[:0], m.words[n:]...)
	}
	return b.String()
}
