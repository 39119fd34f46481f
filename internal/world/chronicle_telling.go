package world

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// leastTelling is how many words that mean something make a sentence beside a question worth
// writing down.
const leastTelling = 3

// Phrases are the sentences by which NPCs tell nothing: that they do not know, that they will
// not say, that there is fog again. The zero value has none.
type Phrases struct {
	by map[string]map[string]bool // NPC, "" for everybody, to keys of sentences
}

// Add adds the sentences of lines of an NPC, or of everybody's if npc is empty. Of a line with
// {answer} those around it are meant.
func (p *Phrases) Add(npc string, lines ...string) {
	if p.by == nil {
		p.by = map[string]map[string]bool{}
	}
	if p.by[npc] == nil {
		p.by[npc] = map[string]bool{}
	}
	for _, l := range lines {
		for _, s := range sentencesOf(l) {
			if !strings.Contains(s, "{answer}") {
				p.by[npc][words.Key(s)] = true
			}
		}
	}
}

func (p *Phrases) has(npc, sentence string) bool {
	key := words.Key(sentence)
	return p.by[npc][key] || p.by[""][key]
}

func sentencesOf(text string) []string {
	var cut speech.Splitter
	return append(cut.Push(text), cut.Flush()...)
}

// tells reports whether a line tells anything: beside what it asks, and beside the phrases of
// the NPC that said it.
func (p *Phrases) tells(l memory.Line) bool {
	asks := false
	var rest []string
	for _, s := range sentencesOf(l.Text) {
		switch {
		case isQuestion(s):
			asks = true
		case l.NPC == "" || !p.has(l.NPC, s):
			rest = append(rest, s)
		}
	}
	if !asks {
		return len(rest) > 0
	}
	text := strings.Join(rest, " ")
	if len(speech.FindSalient(text)) > 0 {
		return true
	}
	called := words.Split(l.To)
	n := 0
	for _, w := range words.Split(text) {
		if !words.Stop(w) && !slices.Contains(called, w) {
			n++
		}
	}
	return n >= leastTelling
}

// isQuestion reports whether a sentence asks. One that nobody ended is known by its first word,
// after the name of whom it is for.
func isQuestion(sentence string) bool {
	s := strings.TrimRight(strings.TrimSpace(sentence), "\"'”“’»« )*")
	if s == "" || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "?!") {
		return s != ""
	}
	if strings.ContainsAny(s[len(s)-1:], ".!") || strings.HasSuffix(s, "…") {
		return false
	}
	if head, rest, ok := strings.Cut(s, ","); ok && len(strings.Fields(head)) <= 3 {
		s = rest
	}
	ws := words.Split(s)
	return len(ws) > 1 && slices.Contains(askingWords, ws[0])
}

var askingWords = strings.Fields("who whom whose what where why how which did do does wer wen wem wessen was wo wohin woher warum wieso weshalb wie welche welcher welches")
