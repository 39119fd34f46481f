package guard

import (
	"slices"
	"strings"
)

// Limits of what counts as a repetition.
const (
	minRepeatedWords = 5   // minimum number of words of a repeated sentence
	maxRemembered    = 64  // sentences remembered
	maxComparedWords = 120 // maximum number of words of a compared sentence
	fillers          = 3   // extra words that do not make a sentence different
)

// repetitionCheck holds an NPC's words of its last turns and of this one.
type repetitionCheck struct {
	repeatRequested bool // the player asked to hear it again
	texts           [][]string
	turnStart       int // texts from this index on belong to this turn
}

// newRepetitionCheck remembers the sentences of the last turns.
func newRepetitionCheck(before []string, asked *sentence) repetitionCheck {
	b := repetitionCheck{repeatRequested: asksToRepeat(asked)}
	if len(before) > maxRemembered {
		before = before[len(before)-maxRemembered:]
	}
	for _, text := range before {
		s := readWords(text, nil)
		b.recordHeard(&s)
	}
	b.turnStart = len(b.texts)
	return b
}

var againWords = newWordSet(`again repeat once nochmal nochmals wiederhole wiederholen wiederhol wiederholt`)

// asksToRepeat reports whether a player asks to hear something again.
func asksToRepeat(s *sentence) bool {
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

// repeats reports whether a sentence repeats an earlier one.
func (b *repetitionCheck) repeats(s *sentence, mottos []string) bool {
	if len(s.words) < minRepeatedWords || len(s.words) > maxComparedWords {
		return false
	}
	for _, motto := range mottos {
		if sameWords(s, strings.Fields(motto)) {
			return false
		}
	}
	for i, text := range b.texts {
		if (i >= b.turnStart || !b.repeatRequested) && sameWords(s, text) {
			return true
		}
	}
	return false
}

// sameWords reports whether two sentences are equal except for a few insignificant words in one of them.
func sameWords(s *sentence, text []string) bool {
	long, short := len(s.words), len(text)
	extra := long - short
	if extra < 0 {
		extra = -extra
	}
	if min(long, short) < minRepeatedWords || extra > fillers || extra > min(long, short)/2 {
		return false
	}
	// Match the shorter one within the longer one.
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
		return min(long, short) >= 9 // one word was replaced
	}
	return missed <= fillers && missed == extra
}

// recordHeard remembers a sentence.
func (b *repetitionCheck) recordHeard(s *sentence) {
	if len(s.words) < minRepeatedWords || len(s.words) > maxComparedWords {
		return
	}
	if len(b.texts) >= 2*maxRemembered {
		return
	}
	text := make([]string, len(s.words))
	for i := range s.words {
		text[i] = s.words[i].text
	}
	b.texts = append(b.texts, text)
}

// quotedIn returns the quotations in texts, folded. In an NPC's rules, they are its mottos.
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
