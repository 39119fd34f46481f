package guard

import (
	"slices"
	"strings"
)

// Bounds of what counts as the same again.
const (
	leastRepeated = 5   // words of a sentence that is not to be said twice
	mostRemember  = 64  // sentences
	mostWords     = 120 // of a sentence that are compared
	fillers       = 3   // words that make no other sentence of one
)

// saidBefore is what an NPC said in its last turns and in this one.
type saidBefore struct {
	asked bool // the player wants to hear it again
	texts [][]string
	now   int // texts from here on are of this turn
}

// newSaidBefore remembers the sentences of the last turns.
func newSaidBefore(before []string, asked *sentence) saidBefore {
	b := saidBefore{asked: asksAgain(asked)}
	if len(before) > mostRemember {
		before = before[len(before)-mostRemember:]
	}
	for _, text := range before {
		s := readWords(text, nil)
		b.hears(&s)
	}
	b.now = len(b.texts)
	return b
}

var againWords = newWordSet(`again repeat once nochmal nochmals wiederhole wiederholen wiederhol wiederholt`)

// asksAgain reports whether a player wants to hear something once more.
func asksAgain(s *sentence) bool {
	if s.has(againWords) {
		return true
	}
	for i := range s.words {
		switch w, next := s.at(i), s.at(i+1); {
		case w == "noch" && (next == "mal" || next == "einmal" || next == "ein"),
			w == "wie" && next == "bitte", w == "wie" && next == "war",
			(w == "was" || w == "wo" || w == "wann" || w == "wer") && (next == "hast" || next == "habt" || next == "haben" || next == "sagtest" || next == "sagtet" || next == "war"),
			w == "did" && next == "you" && (s.at(i+2) == "say" || s.at(i+2) == "tell"),
			w == "you" && next == "said", w == "was" && next == "that", w == "come" && next == "again", w == "pardon", w == "gesagt",
			w == "didn't" && (next == "hear" || next == "catch" || next == "get"), w == "one" && next == "more" && s.at(i+2) == "time",
			w == "nicht" && (next == "verstanden" || next == "gehort"):
			return true
		}
	}
	return false
}

// repeats reports whether a sentence says what was said before.
func (b *saidBefore) repeats(s *sentence, mottos []string) bool {
	if len(s.words) < leastRepeated || len(s.words) > mostWords {
		return false
	}
	for _, motto := range mottos {
		if sameWords(s, strings.Fields(motto)) {
			return false
		}
	}
	for i, text := range b.texts {
		if (i >= b.now || !b.asked) && sameWords(s, text) {
			return true
		}
	}
	return false
}

// sameWords reports whether two sentences are the same but for a few words in one of
// them that add nothing.
func sameWords(s *sentence, text []string) bool {
	long, short := len(s.words), len(text)
	extra := long - short
	if extra < 0 {
		extra = -extra
	}
	if min(long, short) < leastRepeated || extra > fillers || extra > min(long, short)/2 {
		return false
	}
	// The longer one goes through the shorter one.
	i, j, missed := 0, 0, 0
	for i < len(s.words) && j < len(text) {
		switch {
		case s.words[i].text == text[j]:
			i++
			j++
		case long > short:
			i++
			missed++
		case long < short:
			j++
			missed++
		default:
			i++
			j++
			missed += 2
		}
		if missed > fillers {
			return false
		}
	}
	missed += len(s.words) - i + len(text) - j
	if missed == 2 && long == short {
		return min(long, short) >= 9 // a word was replaced
	}
	return missed <= fillers && missed == extra
}

// hears remembers a sentence.
func (b *saidBefore) hears(s *sentence) {
	if len(s.words) < leastRepeated || len(s.words) > mostWords {
		return
	}
	if len(b.texts) >= 2*mostRemember {
		return
	}
	text := make([]string, len(s.words))
	for i := range s.words {
		text[i] = s.words[i].text
	}
	b.texts = append(b.texts, text)
}

// quotedIn are the quotations in texts, folded: an NPC's mottos in its rules.
func quotedIn(texts []string) (all []string) {
	for _, text := range texts {
		parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\"“”„«»", r) })
		for i := 1; i < len(parts); i += 2 {
			var words []string
			for _, w := range readWords(parts[i], nil).words {
				words = append(words, w.text)
			}
			all = append(all, strings.Join(words, " "))
		}
	}
	return slices.Clip(all)
}
