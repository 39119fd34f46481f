package table

import (
	"strings"
	"time"
	"unicode"
)

const (
	// echoWindow is how long after a sentence its echo may come.
	echoWindow = 5 * time.Second
	// echoLag is how long after a sentence the echo of its end may be heard. Of short transcripts only those
	// within this time count as an echo, because a player who says such words later means them.
	echoLag = 400 * time.Millisecond
	// echoWords is the lowest number of words with which a transcript can be an echo of words that were not said
	// within echoLag.
	echoWords = 3
	// echoShare is the share of its words that must occur in what NPCs said.
	echoShare = 0.8
	// echoMemory is for how long, after a player's microphone has picked up an NPC, voice alone does not count
	// as an interruption by that player.
	echoMemory = 2 * time.Minute
	// maxRemarks bounds how many sentences of NPCs are remembered.
	maxRemarks = 8
)

// interruptingWords are words with which players interrupt. A short transcript that begins with one is never an echo.
var interruptingWords = map[string]bool{
	"stop": true, "wait": true, "no": true, "yes": true, "what": true, "why": true, "who": true, "halt": true, "hey": true, "enough": true, "quiet": true,
	"stopp": true, "warte": true, "nein": true, "ja": true, "was": true, "warum": true, "wer": true, "genug": true, "ruhe": true,
}

// remark is a sentence an NPC said.
type remark struct {
	text string
	at   time.Time
}

// remarks are the last sentences of NPCs.
type remarks struct{ recent []remark }

func (r *remarks) add(text string, at time.Time) {
	if len(r.recent) >= maxRemarks {
		r.recent = append(r.recent[:0], r.recent[1:]...)
	}
	r.recent = append(r.recent, remark{text, at})
}

// echo compares a transcript with what NPCs said just before.
type echo struct {
	recent  []remark
	playing string    // the sentence that is playing
	ended   time.Time // when the player's voice ended
	now     time.Time
}

// matches reports whether a transcript repeats what NPCs said just before, because the player's microphone is
// near a loudspeaker.
func (e echo) matches(text string) bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return false
	}
	if len(words) < echoWords {
		return !interruptingWords[words[0]] && e.containsRun(words, echoLag)
	}
	return e.containsRun(words, echoWindow) || e.containsMost(words)
}

// containsRun reports whether an NPC said the words in this order at most lag before the player's voice
// ended.
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

// containsMost reports whether NPCs said nearly all of the words.
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
	out := []remark{{e.playing, e.now}}
	for _, r := range e.recent {
		if e.now.Sub(r.at) <= echoWindow {
			out = append(out, r)
		}
	}
	return out
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
