package offline

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// rememberedTurns is for how many turns an NPC says no sentence again.
const rememberedTurns = 6

// usedSentences are those an NPC said lately.
type usedSentences map[string]bool

// addLine keeps the sentences of a line the NPC spoke.
func (u usedSentences) addLine(line string) {
	for s := range sentencesOf(line) {
		u[s] = true
	}
}

// isFresh reports whether no sentence of a line was said lately, whatever answer
// stands in it.
func (u usedSentences) isFresh(line string) bool {
	for s := range sentencesOf(strings.ReplaceAll(line, "{answer}", "")) {
		if u[s] {
			return false
		}
	}
	return true
}

// sentencesOf yields the sentences of a text as they are compared: letters and
// digits alone.
func sentencesOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var b strings.Builder
		for _, r := range text + "." {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(unicode.ToLower(r))
			case strings.ContainsRune(".!?…", r) && b.Len() > 0:
				if !yield(b.String()) {
					return
				}
				b.Reset()
			}
		}
	}
}

// pickFrom says a line of the first source that has one which was not said lately.
// The choice depends on what was said and how often the NPC spoke before, so that
// lines vary in a conversation and are the same when it is repeated.
func (t *turn) pickFrom(sources ...[]string) string {
	for _, lines := range sources {
		if line, ok := t.freshLine(lines); ok {
			return t.say(line)
		}
	}
	for _, occasion := range []string{lineAtLoss, lineUnknown} {
		if line, ok := t.freshLine(stockLines(t.lang, occasion)); ok {
			return t.say(line)
		}
	}
	for _, lines := range sources {
		if len(lines) > 0 {
			return t.say(lines[t.turnOf(len(lines))])
		}
	}
	return t.say(stockLines(t.lang, lineUnknown)[0])
}

// freshLine returns the first line, from the turn's own place on, that was not said
// lately. Lines that say nothing are passed over.
func (t *turn) freshLine(lines []string) (string, bool) {
	for i := range lines {
		line := oneLine(lines[(i+t.turnOf(len(lines)))%len(lines)], 0)
		if line != "" && t.used.isFresh(t.fillNames(line)) {
			return line, true
		}
	}
	return "", false
}

// turnOf is where the turn begins in a list of n.
func (t *turn) turnOf(n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.text)) // never fails
	return (int(h.Sum32()>>1) + t.replies) % n
}

// say fills a line's places in. What is said twice in one turn is repeated, too.
func (t *turn) say(line string) string {
	line = t.fillNames(line)
	t.used.addLine(line)
	return line
}

func (t *turn) fillNames(line string) string {
	return strings.NewReplacer("{name}", t.req.Persona.Name, "{speaker}", t.speaker).Replace(line)
}
