package retrieve

import (
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// form is the syntactic form of a line. A question needs a lower score than a statement, because most lines
// that merely share words with a rule or a memory are not questions.
type form uint8

const (
	empty     form = iota // nothing to search for
	statement             // no question
	question              // a yes-or-no question
	openQuery             // a question for who, what, where, when, why or how
)

// fewestWords is the minimum number of words of a line worth searching for.
const fewestWords = 3

var (
	// openers are folded words that begin an open question.
	openers = set(`what whats who whos whom whose where wheres when why which how hows
wer wen wem wessen wo woher wohin wann warum wieso weshalb welche welcher welches welchen welchem wie
womit wovon wofur woruber wodurch woran worauf wobei wozu worin`)
	// verbs are folded verbs that begin a yes-or-no question.
	verbs = set(`can could may might must should shall do does did is are am was were has have had will would isn doesn don didn
kann konnte konnten darf durfen muss mussen soll sollte sollten hat hab habe haben hast ist sind bin war waren wird werden
gibt gilt zahlt geht gehen bekomme kriege krieg brauche braucht`)
)

// reach is the number of words of a clause in which an opener is looked for: "and what", "on which day".
const reach = 3

// formOf returns the form of a line. Recognisers write no question marks, so formOf also considers the first
// words of each clause.
func formOf(line string) form {
	if len(words.Split(line)) < fewestWords || !words.HasContent(line) {
		return empty
	}
	found := statement
	if strings.Contains(line, "?") {
		found = question
	}
	for clause := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(".!?…,;:–—", r) }) {
		all := words.Split(clause)
		if len(all) < fewestWords {
			continue
		}
		for _, w := range all[:reach] {
			if openers[w] {
				return openQuery
			}
		}
		if verbs[all[0]] {
			found = question
		}
	}
	return found
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}
