package speech

import (
	"slices"
	"strings"
	"unicode"
)

// maxSpokenStage bounds the stage directions dropStage looks for, in runes.
const maxSpokenStage = 120

// dropStage removes stage directions in asterisks, brackets and parentheses,
// and the asterisks of what is none.
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
			i += end + 1 // also the address of a link in Markdown
			out = append(out, ' ')
			continue
		}
		if r != '*' { // also the low line
			out = append(out, r)
		}
	}
	return out
}

// stageCloser returns what ends a stage direction that r begins, 0 for none.
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

// isDirection reports whether content says what someone does rather than what
// they say.
func isDirection(content []rune, starred bool) bool {
	words := strings.Fields(string(content))
	if len(words) == 0 {
		return false
	}
	first := strings.ToLower(strings.TrimFunc(words[0], func(r rune) bool { return !isWord(r) }))
	return slices.Contains(stageVerbs, first) || starred && len(words) == 1 && noises[first] || starred && len(words) > 1 && slices.Contains(stageMoves, first)
}

// beginsSentence reports whether a sentence begins behind text.
func beginsSentence(text []rune) bool {
	for i := len(text) - 1; i >= 0 && i >= len(text)-maxGap; i-- {
		if text[i] != ' ' {
			return isStop(text[i])
		}
	}
	return true
}

// isGesture reports whether content, which opener begins and nothing but the start of
// a sentence stands before, says what someone does or how they speak.
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

// manners are how somebody speaks, where the word has no ending that tells.
var manners = wordSet("leise laut langsam still ernst traurig wütend fröhlich müde trocken schroff freundlich soft quiet loud dry " +
	"nervös ruhig aufgeregt heiser panisch hastig zornig verlegen spöttisch höhnisch beiseite genervt gelangweilt verwirrt streng sanft angry nervous sad happy calm tired excited hoarse beat pause aside annoyed bored confused stern gentle")

// noises are what somebody does with the voice, in asterisks in the middle of a sentence.
var noises = wordSet("cough coughs sigh ahem hic hicks gulp snort sniff groan giggle chuckle gasp hust seufz räusper schluck schnief stöhn kicher lach schnaub hicks ächz gähn yawn sob")

// soundVerbs are what things do that a narrator tells of.
var soundVerbs = wordSet("yells shouts screams cries calls brüllt schreit ruft kreischt rumbles creaks slams rings echoes crackles crashes howls booms opens closes knarrt grollt knallt quietscht ertönt donnert läutet kracht knistert heult schlägt fällt öffnet klingelt dröhnt")

// isManner reports whether content, which opener begins at the start of a sentence and
// follows stands behind, says how or to whom somebody speaks, or what happens: it begins
// small before a sentence that begins large, or it is a sentence of a narrator.
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
		return said && opener == '*' && len(words) > 1 && unicode.IsLower(content[0]) && (acts || gestures[first] || strings.HasSuffix(first, "s") || isSomebody(plainWord(words[len(words)-1])))
	case !unicode.IsUpper(next):
		return false
	case unicode.IsLower(content[0]) && opener != '[':
		return !strings.ContainsFunc(string(content), unicode.IsDigit)
	case opener == '*' && len(words) > 1 && content[len(content)-1] == '.':
		return slices.Contains(narrators, first) || acts
	}
	return len(words) > 1 && len(words) < 6 && acts && unicode.IsUpper(content[0])
}

// isGenderForm reports whether the sign at i joins the two ends of a German noun, as in
// "Held:innen".
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

// stageMoves make a stage direction of several words in asterisks.
var stageMoves = []string{
	"walks", "turns", "looks", "points", "slams", "raises", "lifts", "steps", "stares", "shakes", "takes", "draws", "pours", "wipes",
	"slowly", "quietly", "suddenly", "dreht", "geht", "schaut", "blickt", "zeigt", "hebt", "zieht", "schüttelt", "stellt", "langsam", "leise",
}
