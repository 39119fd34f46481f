package speech

import (
	"slices"
	"strings"
	"unicode"
)

// maxSpokenStage is the maximum length of the stage directions that dropStage finds, in runes.
const maxSpokenStage = 120

// dropStage removes stage directions in asterisks, brackets and parentheses, and asterisks around anything
// else.
func dropStage(text []rune) []rune {
	out := make([]rune, 0, len(text))
	for i := 0; i < len(text); i++ {
		r := text[i]
		closer := stageCloser(r)
		if closer == 0 {
			out = append(out, r)
			continue
		}
		rest := text[i+1 : min(len(text), i+1+maxSpokenStage)]
		if end := slices.Index(rest, closer); end > 0 && (isDirection(rest[:end], r == '*') || beginsSentence(out) && (isGesture(rest[:end], r) || isManner(rest[:end], r, text[i+end+2:], len(out) > 0)) ||
			r == '(' && i > 0 && text[i-1] == ']') {
			i += end + 1 // including the address of a Markdown link
			out = append(out, ' ')
			continue
		}
		if r != '*' { // and underscores, too
			out = append(out, r)
		}
	}
	return out
}

// stageCloser returns the mark that closes a stage direction opened by r, or 0 if r opens none.
func stageCloser(r rune) rune {
	switch r {
	case '*', '_':
		return r
	case '[':
		return ']'
	case '(':
		return ')'
	}
	return 0
}

// isDirection reports whether content describes actions rather than speech.
func isDirection(content []rune, starred bool) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 {
		return false
	}
	first := strings.ToLower(strings.TrimFunc(words[0], func(r rune) bool { return !isWord(r) }))
	return slices.Contains(stageVerbs, first) || starred && len(words) == 1 && noises[first] || starred && len(words) > 1 && slices.Contains(stageMoves, first)
}

// beginsSentence reports whether a new sentence begins after text.
func beginsSentence(text []rune) bool {
	for i := len(text) - 1; i >= 0 && i >= len(text)-maxGap; i-- {
		if text[i] != ' ' {
			return isStop(text[i])
		}
	}
	return true
}

// isGesture reports whether content, at the beginning of a sentence and opened by opener, describes what
// someone does or how they speak.
func isGesture(content []rune, opener rune) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 || len(words) > 8 {
		return false
	}
	first := strings.ToLower(strings.TrimFunc(words[0], func(c rune) bool { return !isWord(c) }))
	if len(words) == 1 {
		manner := strings.HasSuffix(first, "ly") || strings.HasSuffix(first, "ing") || strings.HasSuffix(first, "nd") || manners[first]
		return opener != '*' && opener != '_' && (manner || gestures[first]) || (opener == '*' || opener == '_') && gestures[first] && hasStageEnding(first) && len(first) > 4
	}
	return gestures[first] && unicode.IsLower(firstOf(strings.TrimLeft(words[0], "*_")))
}

// manners are words for how someone speaks that have no telling ending.
var manners = wordSet("leise laut langsam still ernst traurig wütend fröhlich müde trocken schroff freundlich soft quiet loud dry " +
	"nervös ruhig aufgeregt heiser panisch hastig zornig verlegen spöttisch höhnisch beiseite genervt gelangweilt verwirrt streng sanft angry nervous sad happy calm tired excited hoarse beat pause aside annoyed bored confused stern gentle")

// noises are vocal sounds that may appear in asterisks within a sentence.
var noises = wordSet("cough coughs sigh ahem hic hicks gulp snort sniff groan giggle chuckle gasp hust seufz räusper schluck schnief stöhn kicher lach schnaub hicks ächz gähn yawn sob")

// soundVerbs are verbs by which a narrator describes sounds and events.
var soundVerbs = wordSet("yells shouts screams cries calls brüllt schreit ruft kreischt rumbles creaks slams rings echoes crackles crashes howls booms opens closes knarrt grollt knallt quietscht ertönt donnert läutet kracht knistert heult schlägt fällt öffnet klingelt dröhnt")

// isManner reports whether content, at the beginning of a sentence, opened by opener and followed by follows,
// describes how or to whom someone speaks, or what happens. It either begins in lower case before a sentence
// that begins in upper case, or is a sentence of a narrator.
func isManner(content []rune, opener rune, follows []rune, said bool) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 || len(words) > 8 || opener == '_' {
		return false
	}
	next := rune(0)
	for i := 0; i < len(follows) && i < maxGap && next == 0; i++ {
		if follows[i] != ' ' && follows[i] != '"' {
			next = follows[i]
		}
	}
	first := plainWord(words[0])
	acts := slices.ContainsFunc(words[1:], func(w string) bool { w = plainWord(w); return gestures[w] || soundVerbs[w] })
	switch {
	case next == 0:
		return said && opener == '*' && len(words) > 1 && unicode.IsLower(content[0]) && (acts || gestures[first] || strings.HasSuffix(first, "s") || isSubjectPronoun(plainWord(words[len(words)-1])))
	case !unicode.IsUpper(next):
		return false
	case unicode.IsLower(content[0]) && opener != '[':
		return !strings.ContainsFunc(string(content), unicode.IsDigit)
	case opener == '*' && len(words) > 1 && content[len(content)-1] == '.':
		return slices.Contains(narrators, first) || acts
	}
	return len(words) > 1 && len(words) < 6 && acts && unicode.IsUpper(content[0])
}

// isGenderForm reports whether the mark at i joins the two endings of a German noun, as in "Held:innen".
func isGenderForm(in []rune, i int) bool {
	if in[i] == '-' {
		return i > 0 && in[i-1] == '/' && isGenderForm(in, i-1)
	}
	j := i + 1
	if j < len(in) && in[j] == '-' {
		j++
	}
	if i == 0 || !unicode.IsLower(in[i-1]) || len(in)-j < len("innen") || string(in[j:j+len("innen")]) != "innen" {
		return false
	}
	return len(in) == j+len("innen") || !isWord(in[j+len("innen")])
}

// stageMoves are verbs and adverbs that begin a stage direction of several words in asterisks.
var stageMoves = []string{
	"walks", "turns", "looks", "points", "slams", "raises", "lifts", "steps", "stares", "shakes", "takes", "draws", "pours", "wipes",
	"slowly", "quietly", "suddenly", "dreht", "geht", "schaut", "blickt", "zeigt", "hebt", "zieht", "schüttelt", "stellt", "langsam", "leise",
}
