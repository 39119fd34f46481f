package offline

import (
	"fmt"
	"strings"
	"sync"
)

// Occasions of an NPC's stock lines, in addition to the intents of talk.
const (
	lineGreeting = "greeting"
	lineUnknown  = "unknown"
	lineRefusal  = "refusal"
	lineAnswer   = "answer"
	lineRoll     = "roll"
	lineRecall   = "recall"
	lineFailed   = "failed"
	lineAtLoss   = "at_loss"
	lineRecalled = "recalled"
)

// stock holds the default lines by language and occasion, for NPCs without lines of their own.
var stock = sync.OnceValue(func() (all [len(languages)]map[string][]string) {
	for _, l := range languages {
		all[l] = readSections(fmt.Sprintf("words/stock.%s.txt", l.tag()))
	}
	return all
})

// Phrases returns the default lines in every language that contain no placeholder for a result or a name.
func Phrases() (out []string) {
	for _, l := range languages {
		for _, lines := range stock()[l] {
			for _, line := range lines {
				if !strings.Contains(line, "{") {
					out = append(out, line)
				}
			}
		}
	}
	return out
}

func stockLines(l language, occasion string) []string { return stock()[l][occasion] }

// substitutes lists the occasions to fall back to if an NPC has no lines for one.
var substitutes = map[string][]string{
	lineRoll:      {lineAnswer},
	lineRecall:    {lineAnswer},
	talkSmalltalk: {lineUnknown},
	lineUnknown:   {lineRefusal},
	lineRefusal:   {lineUnknown},
}

// pickLine returns a line for an occasion with answer filled in.
func (t *turn) pickLine(occasion, answer string) string {
	sources := t.linesFor(occasion)
	if answer == "" {
		return t.pickFrom(sources...)
	}
	line := "{answer}"
	for _, lines := range sources {
		if l, ok := t.freshLine(lines); ok {
			line = l
			break
		}
	}
	if !strings.Contains(line, "{answer}") {
		line += " {answer}"
	}
	t.used.addLine(strings.ReplaceAll(line, "{answer}", ""))
	// A single pass leaves braces in the answer unchanged.
	return strings.TrimSpace(strings.NewReplacer(
		"{answer}", answer, "{name}", t.req.Persona.Name, "{speaker}", t.speaker,
	).Replace(line))
}

// linesFor returns the sources of lines for an occasion: the NPC's own lines for it or a substitute, then the
// default lines.
func (t *turn) linesFor(occasion string) (sources [][]string) {
	for _, o := range append([]string{occasion}, substitutes[occasion]...) {
		if own := t.ownLines(o); len(own) > 0 {
			sources = append(sources, own)
			break
		}
	}
	for _, o := range append([]string{occasion}, substitutes[occasion]...) {
		if lines := stockLines(t.lang, o); len(lines) > 0 && o != lineRoll {
			return append(sources, lines)
		}
	}
	return append(sources, stockLines(t.lang, lineUnknown))
}

// ownLines returns the NPC's lines for an occasion if they are in the turn's language.
func (t *turn) ownLines(occasion string) []string {
	if l := t.req.Persona.Language; l != "" && l != t.lang.tag() {
		return nil
	}
	return spoken(t.req.Persona.Lines[occasion])
}

// spoken returns the lines that are not empty.
func spoken(lines []string) []string {
	var out []string
	for _, l := range lines {
		if oneLine(l, 0) != "" {
			out = append(out, l)
		}
	}
	return out
}

var (
	moodWords     = patterns("how are|is|do you|ye|things|life|business", "how's it|life|business", "what's up|new", "wie geht's|gehts", "wie geht es dir|euch|ihnen", "wie geht es$", "wie läuft's|läufts")
	questionWords = wordsOf("who what where when why how which whose can could would will do does did is are wer was wo wann warum wieso wie welche welcher welches wen wem kann kannst könntest hast ist sind weißt weisst")
)

func (u *utterance) isQuestion() bool {
	return u.toks[len(u.toks)-1].stop == '?' || questionWords[u.toks[0].fold]
}
