package speech

import (
	"slices"
	"strings"
	"unicode"
)

// maxStage is the maximum length of a stage direction.
const maxStage = 200

// narrators are words that begin a stage direction that is a sentence of its own.
var narrators = []string{
	"he", "she", "they", "it", "his", "her", "their", "the", "with", "in",
	"er", "sie", "es", "sein", "seine", "der", "die", "das", "ein", "eine", "mit",
}

// stageDirection reports whether rest begins with a stage direction between runs of n marks, and its length.
// Emphasis is not a stage direction. In doubt, the text is spoken.
func (s *Scrubber) stageDirection(rest []rune, n int, final bool) (verdict, int) {
	if len(rest) <= n {
		return noIfFinal(final), 0
	}
	if isWord(s.state.prev) || unicode.IsSpace(rest[n]) {
		return no, 0
	}
	mark, end := rest[0], n
	for ; end < len(rest) && rest[end] != mark; end++ {
		if end > maxStage || strings.ContainsRune("\n<{`", rest[end]) {
			return no, 0
		}
	}
	if end+n >= len(rest) && !final {
		return wait, 0
	}
	if end+n > len(rest) || runLength(rest[end:], mark) != n || unicode.IsSpace(rest[end-1]) || end+n < len(rest) && isWord(rest[end+n]) {
		return no, 0
	}
	content := rest[n:end]
	if mark == '*' && n == 1 && s.isStageDirection(content) || s.isStrongStage(content) {
		return yes, end + n
	}
	return no, 0
}

// isStageDirection reports whether the content between marks is not speech. Within a phrase, only content
// that begins like a stage direction counts: *kratzt sich am Kopf*, but not *very angry*.
func (s *Scrubber) isStageDirection(content []rune) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 || !hasWord(content) {
		return false
	}
	first := plainWord(words[0])
	switch {
	case gestures[first] && (len(words) > 1 || !s.state.midPhrase || strings.HasSuffix(first, "s") || strings.HasSuffix(first, "t")):
		return true
	case s.state.midPhrase:
		return len(words) > 1 && (beginsWithVerb(first, plainWord(words[1])) || isSubjectPronoun(first) && (len(words) > 2 || gestures[plainWord(words[1])]))
	case strings.ContainsRune("!?", content[len(content)-1]):
		return false
	case unicode.IsLower(content[0]):
		return len(words) > 1 || hasStageEnding(first)
	}
	return len(words) > 1 && (slices.Contains(narrators, first) || s.isName(first))
}

// isSubjectPronoun reports whether a narrator may refer to the NPC by this word.
func isSubjectPronoun(word string) bool {
	return word == "he" || word == "she" || word == "er" || word == "sie"
}

// plainWord returns a word in lower case, without punctuation around it.
func plainWord(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !isWord(r) }))
}

// isStrongStage reports whether the content between marks of strong emphasis, or between underscores, is a
// stage direction.
func (s *Scrubber) isStrongStage(content []rune) bool {
	words := strings.Fields(string(content))
	return len(words) > 0 && unicode.IsLower(content[0]) && gestures[plainWord(words[0])] &&
		(len(words) > 1 || !s.state.midPhrase) && s.isStageDirection(content)
}

// beginsWithVerb reports whether two words look like a verb in the third person and its object.
func beginsWithVerb(first, second string) bool {
	if len(first) < 4 || slices.Contains(noVerbs, first) {
		return false
	}
	return (strings.HasSuffix(first, "s") || strings.HasSuffix(first, "t")) && slices.Contains(afterVerbs, second)
}

// noVerbs are words that end like verbs in the third person.
var noVerbs = []string{
	"this", "always", "perhaps", "across", "that's", "what's", "it's", "nicht", "erst", "jetzt", "sonst", "fast", "recht", "selbst",
	"dort", "seit", "acht", "echt", "weit", "must", "just", "last", "most", "best", "that", "what", "right", "doesn't", "don't", "can't",
}

// afterVerbs are words that follow the verb of a stage direction.
var afterVerbs = []string{
	"his", "her", "their", "the", "a", "an", "at", "up", "down", "over", "back", "around", "away", "towards", "toward", "to", "into",
	"sich", "den", "dem", "die", "das", "der", "ein", "eine", "einen", "auf", "an", "zur", "zum", "seine", "seinen", "ihre", "ihren",
}

// hasStageEnding reports whether a single word looks like a verb or adverb of a stage direction in English or
// German.
func hasStageEnding(word string) bool {
	if gestures[word] {
		return true
	}
	for _, ending := range []string{"s", "t", "ing", "nd", "ly"} {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// isName reports whether word begins one of the NPC's names.
func (s *Scrubber) isName(word string) bool {
	return slices.ContainsFunc(s.names, func(name []rune) bool {
		return strings.EqualFold(strings.Fields(string(name))[0], word)
	})
}
