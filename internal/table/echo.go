package table

import (
	"strings"
	"time"
	"unicode"
)

const (
	// echoWindow is how long after a sentence its echo may come.
	echoWindow = 5 * time.Second
	// echoLag is how long after a sentence the echo of its end may sound: whoever
	// says one of its words later means it.
	echoLag = 400 * time.Millisecond
	// echoWords is how many words a transcript needs to be taken for an echo when
	// they are not just what was being said, in that order.
	echoWords = 3
	// echoShare is how many of its words must be the NPC's.
	echoShare = 0.8
	// echoMemory is for how long a player whose microphone picked up an NPC is
	// not taken to interrupt by voice alone.
	echoMemory = 2 * time.Minute
	// maxRemarks bounds what is remembered of what NPCs said.
	maxRemarks = 8
)

// retorts are what players say to interrupt, be it an NPC's word or not.
var retorts = map[string]bool{
	"stop": true, "wait": true, "no": true, "yes": true, "what": true, "why": true, "who": true, "halt": true, "hey": true, "enough": true, "quiet": true,
	"stopp": true, "warte": true, "nein": true, "ja": true, "was": true, "warum": true, "wer": true, "genug": true, "ruhe": true,
}

// remark is a sentence an NPC said.
type remark struct {
	text string
	at   time.Time
}

// remarks are what NPCs said lately.
type remarks struct{ lately []remark }

func (r *remarks) add(text string, at time.Time) {
	if len(r.lately) >= maxRemarks {
		r.lately = append(r.lately[:0], r.lately[1:]...)
	}
	r.lately = append(r.lately, remark{text, at})
}

// echo compares a transcript with what NPCs said just now.
type echo struct {
	lately []remark
	saying string    // the sentence under way
	ended  time.Time // when the player's voice did
	now    time.Time
}

// hears reports whether a transcript is what NPCs said just now, as a microphone
// near a loudspeaker hears it.
func (e echo) hears(text string) bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return false
	}
	if len(words) < echoWords {
		return !retorts[words[0]] && e.containsRun(words, echoLag)
	}
	return e.containsRun(words, echoWindow) || e.containsMost(words)
}

// containsRun reports whether the words were said, in that order, no longer than lag
// before the player's voice ended.
func (e echo) containsRun(words []string, lag time.Duration) bool {
	run := " " + strings.Join(words, " ") + " "
	for _, r := range e.recentRemarks() {
		if e.ended.Sub(r.at) > lag {
			continue
		}
		if strings.Contains(" "+strings.Join(wordsOf(r.text), " ")+" ", run) {
			return true
		}
	}
	return false
}

// containsMost reports whether nearly all of the words were said.
func (e echo) containsMost(words []string) bool {
	said := map[string]int{}
	for _, r := range e.recentRemarks() {
		for _, w := range wordsOf(r.text) {
			said[w]++
		}
	}
	known := 0
	for _, w := range words {
		if said[w] > 0 {
			said[w]--
			known++
		}
	}
	return float64(known) >= echoShare*float64(len(words))
}

func (e echo) recentRemarks() []remark {
	out := []remark{{e.saying, e.now}}
	for _, r := range e.lately {
		if e.now.Sub(r.at) <= echoWindow {
			out = append(out, r)
		}
	}
	return out
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
