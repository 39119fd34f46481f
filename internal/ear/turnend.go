package ear

// This file judges by words whether a speaker has ended, as people do who do not
// wait for a silence to be long: a question is complete, "because" is not.
//
// It knows English and German, and expects what speech recognition brings: with
// punctuation or without.

import (
	"strings"
	"unicode"
)

// maxText is how much of the end of a text is looked at, in bytes.
const maxText = 1 << 10

// TurnReader judges the texts of one recogniser, and learns whether it sets full stops. The zero
// value has seen none. It belongs to one goroutine.
type TurnReader struct{ stops bool }

// TurnJudge says what text tells of the end of the utterance, as the function of that name
// does. A statement with a full stop is complete. One without is not, if there have been
// texts with one, and a question without its mark may go on.
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

// TurnJudge says what text, as far as it is understood, tells of the end of the utterance. It
// never panics.
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
	case len(words) == 1: // a name, and then what is wanted of it
		return Unfinished
	}
	clause := lastClause(text, words)
	if calls(clause) || corrects(clause) || counts(clause) || supposes(clause) {
		return Unfinished
	}
	if asks(clause) || orders(clause) {
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

// ends reports a phrase whose last word usually asks for more and does not here: "come
// in", "what is it for", "wie heißt du".
func ends(words []string) bool {
	n := len(words)
	return n >= 2 && (particles[words[n-1]] && movers[words[n-2]] || subjects[words[n-1]] && !articles[words[n-1]] && asks(words) || n >= 3 && prepositions[words[n-1]] && questions[words[0]])
}

// answers reports a whole answer, greeting or thanks: "yes", "no thank you".
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

// lastClause returns the words after the last end of a sentence inside of text.
func lastClause(text string, words []string) []string {
	text = strings.TrimRight(text, ".!? ")
	at := strings.LastIndexAny(text, ".!?;")
	if at < 0 {
		return words
	}
	n := len(strings.FieldsFunc(text[at:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }))
	return words[max(len(words)-n, 0):]
}

// calls reports somebody who is called, and nothing that is wanted: "Captain Harrow".
func calls(words []string) bool { return len(words) <= 3 && titles[words[0]] }

// corrects reports one who takes back a word and has yet to say the right one: "no wait".
func corrects(words []string) bool { return len(words) > 2 && regrets[words[len(words)-1]] }

// counts reports one who counts, or reads figures out.
func counts(words []string) bool {
	n := len(words)
	return n > 2 && numbers[words[n-1]] && numbers[words[n-2]]
}

// supposes reports a condition of which nothing follows yet: one who acts, not two.
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

// lead is how many words may come before what a sentence begins with: a name, a "well".
const lead = 3

// asks reports a question with something in it that is asked.
func asks(words []string) bool {
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

// orders reports a request with something in it that is wanted.
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
