package rig

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Word is a word of a text, and its end relative to the text's beginning.
type Word struct {
	Text string
	End  time.Duration
}

// SpreadWords spreads the words of a text over its duration.
func SpreadWords(text string, d time.Duration) []Word {
	fields := strings.Fields(text)
	total := max(1, utf8.RuneCountInString(strings.Join(fields, " ")))
	var out []Word
	at := 0
	for _, f := range fields {
		at += utf8.RuneCountInString(f)
		out = append(out, Word{f, d * time.Duration(at) / time.Duration(total)})
		at++
	}
	return out
}

// Words holds a player's words and their times for a fake recogniser, which
// cannot get words from sound. It is safe for concurrent use; the zero value
// has no words.
type Words struct {
	mu    sync.Mutex   // guards words
	words []spokenWord // not transcribed yet, in order
}

type spokenWord struct {
	text string
	end  time.Time
}

// maxWords bounds the words waiting for a recogniser that never asks; beyond it
// the oldest are dropped.
const maxWords = 1000

// Add adds words that begin at start.
func (w *Words) Add(start time.Time, words ...Word) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, word := range words {
		w.words = append(w.words, spokenWord{word.Text, start.Add(word.End)})
	}
	w.words = slices.Delete(w.words, 0, max(0, len(w.words)-maxWords))
}

// CutOff drops the words that are unfinished by now.
func (w *Words) CutOff(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words = slices.DeleteFunc(w.words, func(word spokenWord) bool { return word.end.After(now) })
}

// Said returns the words that are finished by now and, with forget, drops them.
func (w *Words) Said(now time.Time, forget bool) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var said []string
	for _, word := range w.words {
		if word.end.After(now) {
			break
		}
		said = append(said, word.text)
	}
	if forget {
		w.words = slices.Delete(w.words, 0, len(said))
	}
	return strings.Join(said, " ")
}
