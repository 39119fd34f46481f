package discord

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// What is said of a message that there is in English alone.
var (
	quoted      = Text{"%s", "„%s“"}
	englishOnly = Text{"%s", "das ging nicht; die Meldung dazu gibt es nur auf Englisch: „%s“"}
)

// Translate puts what another part of the program says in English into a language. What
// is not known here, such as the words of a vendor, is quoted as it is.
func Translate(l Language, text string) string {
	if l == English {
		return text
	}
	if said, ok := inGerman(text, maxNested); ok {
		return said
	}
	return quoted.In(l, text)
}

const (
	// maxNested is how deep a message may be in others.
	maxNested = 4
	// maxTranslated bounds a message that is looked up, in bytes.
	maxTranslated = 4000
)

// messageOpenings are what the beginning of a message may be that is nobody's business: which tool
// refused, and that it was the arguments' fault.
var messageOpenings = regexp.MustCompile(`^(calling "[^"]*": |invalid arguments: )+`)

// inGerman is a message of another part of the program in German, if it is known: one text,
// or a reason and what to do.
func inGerman(text string, depth int) (string, bool) {
	if depth == 0 || len(text) > maxTranslated {
		return "", false
	}
	text = messageOpenings.ReplaceAllString(text, "")
	if said, ok := oneInGerman(text, depth); ok {
		return said, true
	}
	why, hint, both := strings.Cut(text, "; ")
	if !both {
		return "", false
	}
	why, ok := oneInGerman(why, depth)
	if !ok {
		return "", false
	}
	hint, ok = oneInGerman(hint, depth)
	return why + "; " + hint, ok
}

// oneInGerman is a text of elsewhere in German.
func oneInGerman(text string, depth int) (string, bool) {
	for _, m := range messages() {
		if said, ok := m.translate(text, depth); ok {
			return said, true
		}
	}
	return "", false
}

// foreignMessage is a text of elsewhere, ready to be recognised.
type foreignMessage struct {
	is    *regexp.Regexp
	verbs string // of what is filled in, in order
	de    string // takes them as texts
}

// messages are those of elsewhere.
var messages = sync.OnceValue(func() (all []foreignMessage) {
	for _, t := range elsewhere {
		var m foreignMessage
		m.is = regexp.MustCompile("(?s)^" + formatVerb.ReplaceAllStringFunc(regexp.QuoteMeta(t.EN), func(v string) string {
			m.verbs += v[len(v)-1:]
			switch v[len(v)-1] {
			case 'd':
				return `(-?\d+)`
			case 'q':
				return `("(?:[^"\\]|\\.)*")`
			}
			return `(.*?)`
		}) + "$")
		m.de = formatVerb.ReplaceAllString(t.DE, "%${1}s")
		all = append(all, m)
	}
	return all
})

// formatVerb is where something is filled in, with its number in brackets, if any.
var formatVerb = regexp.MustCompile(`%(\[\d+\])?[dqsv]`)

// translate puts a text into German if it is this message. What stands for %v in it is a
// message, too.
func (m *foreignMessage) translate(text string, depth int) (string, bool) {
	found := m.is.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	filled := make([]any, len(m.verbs))
	for i, part := range found[1:] {
		filled[i] = part
		if m.verbs[i] != 'v' {
			continue
		}
		said, ok := inGerman(part, depth-1)
		if !ok {
			said = quoted.In(German, part)
		}
		filled[i] = said
	}
	return fmt.Sprintf(m.de, filled...), true
}
