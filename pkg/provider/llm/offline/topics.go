package offline

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// tag returns the language tag used in files.
func (l language) tag() string { return l.phrase("en", "de") }

// topicLines returns the lines of the topics that match an intent and the utterance, best first. A question
// about the world matches a topic by its words. Anything else matches a topic by its intent, and by its words
// if it has any.
func (t *turn) topicLines(intent string) [][]string {
	type fit struct {
		score int
		lines []string
	}
	var found []fit
	for i := range t.req.Persona.Topics {
		topic := &t.req.Persona.Topics[i]
		lines := topic.Lines[t.lang.tag()]
		meant := slices.Contains(topic.Intents, intent)
		if len(lines) == 0 || !meant && (len(topic.Intents) > 0 || !isAsking(intent)) {
			continue
		}
		score := 1
		if len(topic.Words) > 0 {
			if score = scoreEntries(t.plain, topic.Words, t.lang); score == 0 {
				continue
			}
		}
		found = append(found, fit{score, lines})
	}
	slices.SortStableFunc(found, func(a, b fit) int { return b.score - a.score })
	out := make([][]string, 0, len(found))
	for _, f := range found {
		out = append(out, f.lines)
	}
	return out
}

// isAsking reports whether an intent is a question about the world, or empty.
func isAsking(intent string) bool { return intent == "" || asking[intent] }

// scoreEntries returns the weight of the longest entry of words that was said, or 0 if none was. If there are
// no entries in the language, those of all languages count.
func scoreEntries(said []string, words map[string][]string, lang language) int {
	best := 0
	weigh := func(entries []string) {
		for _, entry := range entries {
			best = max(best, 2*saidInOrder(said, entry))
		}
	}
	if own := words[lang.tag()]; len(own) > 0 {
		weigh(own)
		return best
	}
	for _, entries := range words {
		weigh(entries)
	}
	return best
}

// saidInOrder returns the number of words of an entry if all of them were said in order, or else 0.
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

// isWordSaid reports whether said is word, one of its forms, or a misspelling of it.
func isWordSaid(said, word string) bool {
	if said == word || len(said) > len(word) && isForm(said, word) {
		return true
	}
	if rest, ok := strings.CutPrefix(word, said); ok && len(said) > 3 && (rest == "s" || rest == "n" || rest == "en") {
		return true
	}
	if len(word) < shortestSpelt || said == "" || said[0] != word[0] {
		return false
	}
	limit := 2
	if len(word) >= 9 {
		limit = 3
	}
	return words.Distance([]byte(said), []byte(word), limit) < limit
}
