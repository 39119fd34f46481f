package scenario

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
)

// spokenWord is a player's word and its time.
type spokenWord struct {
	text     string
	from, to time.Time
}

const (
	// wordsKept bounds the stored words of a player.
	wordsKept = 10_000
	// transit is how long a word may end after its sound has arrived, because
	// generated speech ends with silence.
	transit = 100 * time.Millisecond
	// wordEdge is how much of a word may be missing.
	wordEdge = 100 * time.Millisecond
)

// spokenLog holds a player's words for a model that receives only sound,
// because the scripted model cannot get words from sound. It is safe for
// concurrent use.
type spokenLog struct {
	mu    sync.Mutex // guards words
	words []spokenWord
}

// add adds words that begin at start.
func (l *spokenLog) add(start time.Time, words []rig.Word) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := start
	for _, w := range words {
		to := start.Add(w.End)
		from := to.Add(-spokenFor(w.Text)) // there may be a pause before the word
		if from.Before(before) {
			from = before
		}
		l.words = append(l.words, spokenWord{w.Text, from, to})
		before = to
	}
	l.words = slices.Delete(l.words, 0, max(0, len(l.words)-wordsKept))
}

// cutOff drops words that are unfinished by now.
func (l *spokenLog) cutOff(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words = slices.DeleteFunc(l.words, func(w spokenWord) bool { return w.to.After(now) })
}

// saidLine is a part of a player's speech.
type saidLine struct {
	text     string
	from, to time.Time
}

// before returns the words in the last d before a time.
func (l *spokenLog) before(by time.Time, d time.Duration) saidLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.words)
	for n > 0 && l.words[n-1].to.After(by.Add(transit)) {
		n--
	}
	if n == 0 {
		return saidLine{}
	}
	last := l.words[n-1].to
	first := n
	for first > 0 && !l.words[first-1].from.Before(last.Add(-d-wordEdge)) {
		first--
	}
	var said []string
	for _, w := range l.words[first:n] {
		said = append(said, w.text)
	}
	if len(said) == 0 {
		return saidLine{}
	}
	return saidLine{strings.Join(said, " "), l.words[first].from, last}
}

// lastSaid returns a player's latest words, see talker.
func (st *stage) lastSaid(speaker string, by time.Time, spoken time.Duration) (line saidLine) {
	for name, m := range st.microphones {
		if speaker != "" && !strings.EqualFold(name, speaker) {
			continue
		}
		if said := m.said.before(by, spoken); said.to.After(line.to) {
			line = said
		}
	}
	return line
}
