package guard

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// promptWords is what the prompt says of an NPC, ready to be compared.
type promptWords struct {
	lines [][]string      // stems, per sentence
	stems map[string]bool // content words of all of them
}

func newPromptWords(npc config.NPC) *promptWords {
	p := &promptWords{stems: map[string]bool{}}
	texts := append(strings.FieldsFunc(npc.Personality, func(r rune) bool { return strings.ContainsRune(".!?\n", r) }), npc.BehaviorRules...)
	for _, text := range texts {
		s := readWords(text, nil)
		var line []string
		for _, w := range s.words {
			line = append(line, w.stem)
			if !functionWords[w.text] && len(w.text) > 2 {
				p.stems[w.stem] = true
			}
		}
		if len(line) >= 3 {
			p.lines = append(p.lines, line)
		}
	}
	return p
}

// Bounds of what is read out of a prompt.
const (
	mostRun      = 6   // words in a row that are the prompt's
	mostOfLine   = 0.8 // of a line of the prompt
	leastSummary = 5   // content words
	mostSummary  = 0.75
)

// readsOut reports whether a sentence reads the prompt out, or tells it in short.
func (p *promptWords) readsOut(s *sentence) bool {
	for _, line := range p.lines {
		run, first := longestRun(s, line)
		if run >= mostRun || run >= 3 && first && float64(run) >= mostOfLine*float64(len(line)) {
			return true
		}
	}
	content, known := 0, 0
	for i := range s.words {
		w := &s.words[i]
		if functionWords[w.text] || len(w.text) <= 2 {
			continue
		}
		content++
		if p.stems[w.stem] {
			known++
		}
	}
	return known >= leastSummary && float64(known) >= mostSummary*float64(content)
}

// longestRun is how many words in a row a sentence shares with a line, and whether they
// begin the line.
func longestRun(s *sentence, line []string) (longest int, first bool) {
	for i := range s.words {
		for j := range line {
			if s.words[i].stem != line[j] || i > 0 && j > 0 && s.words[i-1].stem == line[j-1] {
				continue
			}
			n := 1
			for i+n < len(s.words) && j+n < len(line) && s.words[i+n].stem == line[j+n] {
				n++
			}
			if n > longest {
				longest, first = n, j == 0
			}
		}
	}
	return longest, first
}

var promptPhrases = [][]string{
	{"system", "prompt"}, {"systemprompt"}, {"system-prompt"}, {"secret", "knowledge"}, {"geheimes", "wissen"}, {"behavior", "rules"}, {"behaviour", "rules"},
	{"verhaltensregeln"}, {"my", "prompt"}, {"mein", "prompt"}, {"meinem", "prompt"}, {"been", "instructed", "to"}, {"was", "instructed", "to"}, {"am", "instructed", "to"},
	{"i'm", "instructed", "to"}, {"wurde", "angewiesen"}, {"bin", "angewiesen"}, {"ich", "spiele", "einen"}, {"ich", "spiele", "eine"}, {"i", "play", "a"}, {"i", "am", "playing"}, {"i'm", "playing"},
	{"knowledge", "scope"}, {"my", "setup"}, {"initial", "instructions"}, {"mein", "text", "lautet"}, {"wurde", "instruiert"}, {"wurde", "programmiert"}, {"der", "prompt"},
	{"end", "of", "prompt"}, {"above", "instructions"}, {"anweisungen", "lauten"}, {"my", "guidelines"}, {"meine", "vorgaben"}, {"meinen", "vorgaben"}, {"systemnachricht"}, {"system", "message"},
}

var (
	orders     = newWordSet(`instructions anweisungen anweisung instruction vorgaben direktiven directives guidelines`)
	ordersTell = newWordSet(`say says tell tells told forbid forbids require state read steht stehen verbieten verlangen besagen sagen schreiben must dass that in lauten heißt vor`)
	ruleWords  = newWordSet(`rule regel`)
)

// tellsPrompt reports whether a sentence tells what the model was told about its part.
func (t *Turn) tellsPrompt(s *sentence) bool {
	if n := s.label(); n > 0 && n <= 3 && (headings[s.at(n-1)] == Prompt || n == 2 && ruleWords[s.at(0)] && s.words[1].number >= 0) {
		return true
	}
	if hasPhrase(s, promptPhrases) || t.card.prompt.readsOut(s) {
		return true
	}
	mine := false
	for i := range s.words {
		w, next := s.at(i), s.at(i+1)
		mine = mine || w == "my" || w == "meine" || w == "meinen" || w == "meiner"
		switch {
		case mine && orders[w] && (ordersTell[next] || ordersTell[s.at(i+2)] || s.at(0) == "in" && s.has(ordersTell)):
			return true
		case (w == "you" && next == "are" || w == "du" && next == "bist") && (t.card.own[s.at(i+2)] || t.card.own[s.at(i+3)]):
			return true
		}
	}
	return false
}
