package offline

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/spelling"
)

// tag is the language as files name it.
func (l language) tag() string { return l.phrase("en", "de") }

// topicLines returns the lines of the topics that fit an intent and what is said,
// best first: those that know both before those that know either. Of topics known
// by intent alone only those come that fit, of those known by words alone all.
func (t *turn) topicLines(intent string, worded bool) [][]string {
	type fit struct {
		score int
		lines []string
	}
	var found []fit
	for i := range t.req.Persona.Topics {
		topic := &t.req.Persona.Topics[i]
		lines := topic.Lines[t.lang.tag()]
		meant := slices.Contains(topic.Intents, intent)
		if len(lines) == 0 || len(topic.Intents) > 0 && !meant || worded && len(topic.Words) == 0 {
			continue
		}
		score := 0
		if len(topic.Words) > 0 {
			if score = weighWords(t.plain, topic.Words); score == 0 {
				continue
			}
		}
		if meant {
			score += 2
		}
		if score > 0 {
			found = append(found, fit{score, lines})
		}
	}
	slices.SortStableFunc(found, func(a, b fit) int { return b.score - a.score })
	out := make([][]string, 0, len(found))
	for _, f := range found {
		out = append(out, f.lines)
	}
	return out
}

// weighWords is the weight of the longest entry of words that was said, 0 if none
// was. Names are the same in every language, so all languages' words count.
func weighWords(said []string, words map[string][]string) int {
	best := 0
	for _, entries := range words {
		for _, entry := range entries {
			if n := saidInOrder(said, entry); n > best {
				best = n
			}
		}
	}
	return 3 * best
}

// saidInOrder returns how many words an entry has if all of them were said in
// their order, else 0.
func saidInOrder(said []string, entry string) int {
	n, at := 0, 0
	for word := range strings.FieldsSeq(entry) {
		word = plainWord(word)
		for at < len(said) && !isWordSaid(said[at], word) {
			at++
		}
		if at == len(said) {
			return 0
		}
		at++
		n++
	}
	return n
}

// isWordSaid reports whether said is word, one of its forms, or word misspelt.
func isWordSaid(said, word string) bool {
	if said == word || isForm(said, word) {
		return true
	}
	if len(word) < shortestSpelt || said == "" || said[0] != word[0] {
		return false
	}
	limit := 2
	if len(word) >= 9 {
		limit = 3
	}
	return spelling.Distance([]byte(said), []byte(word), limit) < limit
}
