package guard

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// promptWords is the NPC's part of the prompt, prepared for comparison.
type promptWords struct {
	lines  [][]string      // stems, by sentence
	stems  map[string]bool // content words of all sentences
	orders map[uint64]bool // sequences of orderRun stems from the instructions that every NPC gets
}

func newPromptWords(npc config.NPC, orders string) *promptWords {
	p := &promptWords{stems: map[string]bool{}, orders: map[uint64]bool{}}
	for _, line := range strings.FieldsFunc(orders, func(r rune) bool { return strings.ContainsRune(".!?\n", r) }) {
		s := readWords(line, nil)
		for i := range s.words {
			if sum, ok := s.sumRun(i); ok {
				p.orders[sum] = true
			}
		}
	}
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

// Limits from which a sentence counts as read out from the prompt.
const (
	mostRun      = 6   // consecutive words of the prompt
	mostOfLine   = 0.8 // share of a line of the prompt
	leastSummary = 5   // content words of a summary
	mostSummary  = 0.75
)

// quotesLines reports whether a sentence reads out the prompt or summarises it.
func (p *promptWords) quotesLines(s *sentence) bool {
	if p.quotesOrders(s) {
		return true
	}
	for _, line := range p.lines {
		run, first := longestRun(s, line)
		if run >= mostRun || run >= 3 && first && float64(run) >= mostOfLine*float64(len(line)) {
			return true
		}
	}
	content, known, marked := 0, 0, s.has(describing)
	for i := range s.words {
		w := &s.words[i]
		marked = marked || i > 0 && (w.text == "who" || w.text == "that" || (w.text == "der" || w.text == "die" || w.text == "das") && strings.Contains(s.gap(i), ","))
		if functionWords[w.text] || describing[w.text] || len(w.text) <= 2 {
			continue
		}
		content++
		if p.stems[w.stem] {
			known++
		}
	}
	switch {
	case known >= leastSummary && float64(known) >= mostSummary*float64(content):
		return true
	case !marked:
		return false
	}
	return known >= 3 && float64(known) >= 0.5*float64(content) || s.has(describing) && known >= 4
}

// describing are words used to describe a part.
var describing = newWordSet(`
	supposed described description gist setup summary summarised summarized short basically essentially character role part
	soll solle beschrieben beschreibung kurz zusammengefasst zusammenfassung figur charakter rolle spiele spielen play kurzfassung kern`)

// orderRun is the number of consecutive words from which a sentence counts as quoting the instructions.
const orderRun = 7

// scriptOf returns the hashes of the sentences that an NPC's file makes it say. They are meant to be heard.
func scriptOf(npc config.NPC) map[uint64]bool {
	sums := map[uint64]bool{}
	add := func(lines []string) {
		for _, line := range lines {
			for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(".!?", r) }) {
				if s := readWords(part, nil); len(s.words) > 0 {
					sums[s.sum()] = true
				}
			}
		}
	}
	for _, lines := range npc.Lines {
		add(lines)
	}
	for _, topic := range npc.Topics {
		for _, lines := range topic.Lines {
			add(lines)
		}
	}
	return sums
}

// sum returns the hash of all stems of a sentence.
func (s *sentence) sum() uint64 { return sumStems(s.words) }

// sumRun returns the hash of orderRun stems from a word on, if there are that many.
func (s *sentence) sumRun(from int) (uint64, bool) {
	if from+orderRun > len(s.words) {
		return 0, false
	}
	return sumStems(s.words[from : from+orderRun]), true
}

func sumStems(words []word) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := uint64(offset)
	for _, w := range words {
		for i := range len(w.stem) {
			sum = (sum ^ uint64(w.stem[i])) * prime
		}
		sum = (sum ^ ' ') * prime
	}
	return sum
}

// quotesOrders reports whether a sentence quotes the instructions that every NPC gets.
func (p *promptWords) quotesOrders(s *sentence) bool {
	for i := range s.words {
		if sum, ok := s.sumRun(i); ok && p.orders[sum] {
			return true
		}
	}
	return false
}

// longestRun returns how many consecutive words a sentence shares with a line, and whether they begin the
// line.
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

var acted = newWordSet(`spiele spielen play playing portray verkörpere`)

var promptPhrases = newPhrases([][]string{
	{"system", "prompt"}, {"systemprompt"}, {"system-prompt"}, {"secret", "knowledge"}, {"geheimes", "wissen"}, {"behavior", "rules"}, {"behaviour", "rules"},
	{"verhaltensregeln"}, {"my", "prompt"}, {"prompt", "says"}, {"prompt", "said"}, {"prompt", "tells"}, {"mein", "prompt"}, {"meinem", "prompt"}, {"been", "instructed", "to"}, {"was", "instructed", "to"}, {"am", "instructed", "to"},
	{"i'm", "instructed", "to"}, {"wurde", "angewiesen"}, {"bin", "angewiesen"}, {"i", "am", "playing"}, {"i'm", "playing"},
	{"knowledge", "scope"}, {"my", "setup"}, {"initial", "instructions"}, {"mein", "text", "lautet"}, {"wurde", "instruiert"}, {"wurde", "programmiert"}, {"der", "prompt"},
	{"end", "of", "prompt"}, {"above", "instructions"}, {"anweisungen", "lauten"}, {"my", "guidelines"}, {"meine", "vorgaben"}, {"meinen", "vorgaben"}, {"systemnachricht"}, {"system", "message"}, {"character", "sheet"}, {"character", "card"}, {"charakterbogen"}, {"role", "description"}, {"your", "instructions"},
	{"deine", "anweisungen"}, {"tools", "available"}, {"available", "tools"}, {"verfugbare", "werkzeuge"}, {"rollenbeschreibung"}, {"system", "instructions"},
})

var (
	orderWords = newWordSet(`
		instructions instruction anweisungen anweisung vorgaben vorgabe direktiven directives directive guidelines guideline richtlinien
		prompt prompts beschreibung rollenbeschreibung verhaltensregeln regeln rules konfiguration configuration programming
		charakterbogen card sheet`)
	ordersTell = newWordSet(`
		say says tell tells told forbid forbids forbidden require requires state states read steht stehen verbieten verbietet verlangen
		verlangt besagen besagt sagen sagt schreiben vorschreiben must dass that lauten lautet heißt vor not to nicht laut
		according allowed prevent prevents prohibit prohibits zufolge gemäß`)
	given   = newWordSet(`instructed angewiesen vorgegeben instruiert programmed programmiert angehalten vorgeschrieben`)
	passive = newWordSet(`was been am i'm were wurde bin mir hat worden ist war`)
	// loneHeadings are headings that are a whole line of a transcript.
	loneHeadings = newWordSet(`assistant user system human assistent nutzer benutzer mensch response input output instruction antwort eingabe ausgabe developer`)
)

// revealsPrompt reports whether a sentence reveals the prompt's description of the model's
// part.
func (t *Turn) revealsPrompt(s *sentence) bool {
	if len(s.words) <= 2 && loneHeadings[s.at(0)] && (len(s.words) == 1 || strings.Contains(s.gap(1), "#")) {
		return true
	}
	if hasPhrase(s, promptPhrases) || t.card.prompt.quotesLines(s) {
		return true
	}
	return t.mentionsOrders(s) || s.has(acted) && s.has(selfWords) && s.has(t.card.roles) || t.beginsWithHeading(s)
}

// mentionsOrders reports whether a sentence mentions instructions given to the NPC.
func (t *Turn) mentionsOrders(s *sentence) bool {
	mine, have, orders := -9, -9, -9
	for i := range s.words {
		w, next := s.at(i), s.at(i+1)
		switch {
		case (w == "you" && (next == "are" || next == "play") || w == "du" && (next == "bist" || next == "spielst")) && (t.card.own[s.at(i+2)] || t.card.own[s.at(i+3)]):
			return true
		case given[w] && (s.has(passive) || s.has(selfWords)):
			return true
		case w == "my" || strings.HasPrefix(w, "meine") || w == "mein":
			mine = i
		case w == "have" || w == "had" || w == "habe" || w == "hab" || w == "got" || w == "following" || w == "befolge" || w == "laut" || w == "per":
			have = i
		case orderWords[w]:
			orders = i
		case next == "to" && w == "according":
			have = i
		}
		if orders == i && (i-mine <= 3 && s.has(ordersTell) || i-have <= 2 && (ordersTell[next] || strings.Contains(s.gap(i+1), ",")) || i-mine <= 3 && i-have <= 4) && !(s.at(0) == "follow" || strings.HasPrefix(s.at(0), "halt")) {
			return true
		}
	}
	return false
}

// beginsWithHeading reports whether a sentence begins with a heading of a prompt.
func (t *Turn) beginsWithHeading(s *sentence) bool {
	n := s.label()
	for i := range min(n, 3) {
		if headings[s.at(i)] == Prompt {
			return true
		}
	}
	return n == 0 && len(s.words) > 1 && headings[s.at(0)] == Prompt && s.words[0].capital && s.words[1].capital && s.gap(1) == " " && !articleBefore(s.at(1))
}
