package speech

import (
	"slices"
	"strings"
	"unicode"
)

// maxStage is the length of the longest stage direction.
const maxStage = 200

// stageVerbs make a stage direction wherever they stand, as in "Well, *sighs*
// if you insist." Verbs that are also emphasised in speech are not among them.
var stageVerbs = []string{
	"smiles", "sighs", "laughs", "grins", "nods", "chuckles", "coughs", "pauses", "leans", "whispers", "growls", "winks",
	"shrugs", "frowns", "bows", "gasps", "groans", "grunts", "snorts", "scowls", "smirks", "sniffs", "glances", "gestures",
	"mutters", "mumbles", "murmurs", "yawns", "blinks", "beams", "cackles", "chortles", "squints", "giggles", "sneers",
	"smiling", "sighing", "laughing", "grinning", "nodding", "chuckling", "whispering", "shrugging", "frowning", "clears",
	"lächelt", "seufzt", "lacht", "grinst", "nickt", "kichert", "hustet", "räuspert", "flüstert", "knurrt", "zwinkert",
	"runzelt", "verbeugt", "zuckt", "schnaubt", "stöhnt", "murmelt", "brummt", "gähnt", "blinzelt", "schmunzelt",
	"lächelnd", "seufzend", "lachend", "grinsend", "nickend", "flüsternd",
}

// narrators begin a stage direction that is a sentence of its own.
var narrators = []string{
	"he", "she", "they", "it", "his", "her", "their", "the", "with", "in",
	"er", "sie", "es", "sein", "seine", "der", "die", "das", "ein", "eine", "mit",
}

// stageDirection reports whether rest begins with a stage direction in asterisks, and
// its length. Emphasis is none: rather too much is spoken than too little.
func (s *Scrubber) stageDirection(rest []rune, final bool) (verdict, int) {
	if len(rest) < 2 {
		return noIfFinal(final), 0
	}
	if isWord(s.state.prev) || unicode.IsSpace(rest[1]) {
		return no, 0
	}
	end := 1
	for ; end < len(rest) && rest[end] != '*'; end++ {
		if end > maxStage || strings.ContainsRune("\n<{`", rest[end]) {
			return no, 0
		}
	}
	if end+1 >= len(rest) && !final {
		return wait, 0
	}
	if end == len(rest) || unicode.IsSpace(rest[end-1]) || end+1 < len(rest) && (rest[end+1] == '*' || isWord(rest[end+1])) {
		return no, 0
	}
	if s.isStageDirection(rest[1:end]) {
		return yes, end + 1
	}
	return no, 0
}

func (s *Scrubber) isStageDirection(content []rune) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 || !hasWord(content) {
		return false
	}
	first := strings.ToLower(strings.TrimFunc(words[0], func(r rune) bool { return !isWord(r) }))
	switch {
	case slices.Contains(stageVerbs, first):
		return true
	case s.state.midPhrase:
		return false
	case strings.ContainsRune("!?", content[len(content)-1]):
		return false
	case unicode.IsLower(content[0]):
		return len(words) > 1 || hasStageEnding(first)
	}
	return len(words) > 1 && (slices.Contains(narrators, first) || s.isName(first))
}

// hasStageEnding reports whether a single word looks like a verb or adverb of
// a stage direction in English or German.
func hasStageEnding(word string) bool {
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
