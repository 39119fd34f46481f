package ear

// This file uses words to decide whether a speaker has finished, as people do who do not wait for a long
// silence: a question is complete, "because" is not.
//
// It supports English and German, with or without punctuation from the recogniser.

import (
	"strings"
	"unicode"
)

// maxText is the length in bytes to which a text is cut; its end is kept.
const maxText = 1 << 10

// TurnReader judges the texts of one recogniser and learns whether that writes full stops. The zero value has
// seen none. It must not be used concurrently.
type TurnReader struct{ stops bool }

// Judge is [TurnJudge], refined by punctuation. A statement with a full stop is complete. If the recogniser
// has written full stops before, a statement without one is unfinished, and a question without a question
// mark is open.
func (r *TurnReader) Judge(text string) Outlook {
	text = strings.TrimSpace(text)
	stopped := hasAnySuffix(text, ".", "!", "?") && !strings.HasSuffix(text, "...")
	r.stops = r.stops || stopped
	o := TurnJudge(text)
	switch {
	case o == Open && stopped:
		return Complete
	case o == Open && r.stops:
		return Unfinished
	case o == Complete && r.stops && !stopped:
		return Open
	}
	return o
}

// TurnJudge returns what the text so far suggests about the end of the utterance. It never panics.
func TurnJudge(text string) Outlook {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		text = text[len(text)-maxText:]
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	if len(words) == 0 {
		return Unknown
	}
	last := words[len(words)-1]
	switch {
	case strings.HasSuffix(text, "?"):
		return Complete
	case hasAnySuffix(text, ",", ";", ":", "-", "–", "—", "…", "..."), hanging[last] && !ends(words):
		return Unfinished
	case len(words) <= 4 && questions[last] && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "!"): // "Bartok, what"
		return Unfinished
	case answers(words), strings.HasSuffix(text, "!"):
		return Complete
	case len(words) == 1: // a name, and the request follows
		return Unfinished
	}
	clause := lastClause(text, words)
	if calls(clause) || corrects(clause) || counts(clause) || supposes(clause) {
		return Unfinished
	}
	if isQuestion(clause) || orders(clause) {
		return Complete
	}
	return Open
}

func hasAnySuffix(text string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(text, s) {
			return true
		}
	}
	return false
}

// ends reports a phrase whose last word usually requires more, but not here: "come in", "what is it for",
// "wie heißt du".
func ends(words []string) bool {
	n := len(words)
	return n >= 2 && (particles[words[n-1]] && movers[words[n-2]] || subjects[words[n-1]] && !articles[words[n-1]] && isQuestion(words) || n >= 3 && prepositions[words[n-1]] && questions[words[0]])
}

// answers reports a complete answer, greeting or thanks: "yes", "no thank you".
func answers(words []string) bool {
	if len(words) > 4 {
		return false
	}
	for _, w := range words {
		if !replies[w] {
			return false
		}
	}
	return true
}

// lastClause returns the words after the last sentence end within text.
func lastClause(text string, words []string) []string {
	text = strings.TrimRight(text, ".!? ")
	at := strings.LastIndexAny(text, ".!?;")
	if at < 0 {
		return words
	}
	n := len(strings.FieldsFunc(text[at:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }))
	return words[max(len(words)-n, 0):]
}

// calls reports a form of address without a request: "Captain Harrow".
func calls(words []string) bool { return len(words) <= 3 && titles[words[0]] }

// corrects reports a speaker who retracts a word and has yet to say the right one: "no wait".
func corrects(words []string) bool { return len(words) > 2 && regrets[words[len(words)-1]] }

// counts reports a speaker who counts, or reads out figures.
func counts(words []string) bool {
	n := len(words)
	return n > 2 && numbers[words[n-1]] && numbers[words[n-2]]
}

// supposes reports a condition whose consequence is still missing, which has fewer than two subjects.
func supposes(words []string) bool {
	if len(words) > 10 || !conditions[words[0]] {
		return false
	}
	actors := 0
	for _, w := range words[1:] {
		if nominatives[w] {
			actors++
		}
	}
	return actors < 2
}

// lead is the number of words, such as a name or "well", that may come before the beginning of a sentence.
const lead = 3

// isQuestion reports a question that names its subject.
func isQuestion(words []string) bool {
	for i, w := range words[:min(len(words), lead)] {
		left := len(words) - i
		if questions[w] && left >= 3 || inverted[w] && left >= 3 && subjects[words[i+1]] {
			return true
		}
		if subjects[w] {
			return false
		}
	}
	return false
}

// orders reports a request that names the thing wanted.
func orders(words []string) bool {
	for i, w := range words[:min(len(words), lead)] {
		if requests[w] && len(words)-i >= 3 {
			return true
		}
		if subjects[w] {
			return false
		}
	}
	return false
}
