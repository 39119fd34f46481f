package discord

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Frames for messages that exist only in English.
var (
	quoted      = Text{"%s", "„%s“"}
	englishOnly = Text{"%s", "das ging nicht; die Meldung dazu gibt es nur auf Englisch: „%s“"}
)

// Translate translates an English text of another package. It quotes a text it does not know, such as a
// vendor's message.
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
	// maxNested bounds the nesting of messages.
	maxNested = 4
	// maxTranslated bounds the length of a message to look up, in bytes.
	maxTranslated = 4000
)

// messageOpenings matches prefixes that users need not see: the refusing tool, and that its arguments were
// invalid.
var messageOpenings = regexp.MustCompile(`^(calling "[^"]*": |invalid arguments: )+`)

// inGerman translates a message of another package if it is known: a single text, or a reason and a hint.
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

// oneInGerman translates a text of elsewhere.
func oneInGerman(text string, depth int) (string, bool) {
	for _, m := range messages() {
		if said, ok := m.translate(text, depth); ok {
			return said, true
		}
	}
	return "", false
}

// foreignMessage matches a text of elsewhere.
type foreignMessage struct {
	is    *regexp.Regexp
	verbs string // of the arguments, in order
	de    string // takes the arguments as strings
}

// messages returns the matchers for elsewhere.
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

// formatVerb matches a format verb with an optional argument index.
var formatVerb = regexp.MustCompile(`%(\[\d+\])?[dqsv]`)

// translate translates a text if it is this message. An argument of %v is itself a message.
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
