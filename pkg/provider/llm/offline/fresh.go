package offline

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// rememberedTurns is the number of turns within which an NPC does not repeat a sentence.
const rememberedTurns = 6

// usedSentences is the set of sentences an NPC said lately.
type usedSentences map[string]bool

// addLine adds the sentences of a line.
func (u usedSentences) addLine(line string) {
	for s := range sentencesOf(line) {
		u[s] = true
	}
}

// isFresh reports whether no sentence of a line was said lately, regardless of the answer inserted into it.
func (u usedSentences) isFresh(line string) bool {
	for s := range sentencesOf(strings.ReplaceAll(line, "{answer}", "")) {
		if u[s] {
			return false
		}
	}
	return true
}

// sentencesOf yields the sentences of a text, reduced to letters and digits for comparison.
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

// pickFrom returns a line from the first source that has one not said lately. The choice depends on the
// utterance and on how often the NPC spoke before, so that lines vary within a conversation but are the same
// when it is repeated.
func (t *turn) pickFrom(sources ...[]string) string {
	for _, lines := range sources {
		if line, ok := t.freshLine(lines); ok {
			return t.renderLine(line)
		}
	}
	for _, occasion := range []string{lineAtLoss, lineUnknown} {
		if line, ok := t.freshLine(stockLines(t.lang, occasion)); ok {
			return t.renderLine(line)
		}
	}
	for _, lines := range sources {
		if len(lines) > 0 {
			return t.renderLine(lines[t.turnOf(len(lines))])
		}
	}
	return t.renderLine(stockLines(t.lang, lineUnknown)[0])
}

// freshLine returns the first line, starting at the turn's own offset, that was not said lately. It skips
// empty lines.
func (t *turn) freshLine(lines []string) (string, bool) {
	for i := range lines {
		line := oneLine(lines[(i+t.turnOf(len(lines)))%len(lines)], 0)
		if line != "" && t.used.isFresh(t.fillNames(line)) {
			return line, true
		}
	}
	return "", false
}

// turnOf returns the turn's start offset in a list of n lines.
func (t *turn) turnOf(n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.text)) // never fails
	return (int(h.Sum32()>>1) + t.replies) % n
}

// renderLine fills the names into a line and marks its sentences as used.
func (t *turn) renderLine(line string) string {
	line = t.fillNames(line)
	t.used.addLine(line)
	return line
}

func (t *turn) fillNames(line string) string {
	return strings.NewReplacer("{name}", t.req.Persona.Name, "{speaker}", t.speaker).Replace(line)
}
