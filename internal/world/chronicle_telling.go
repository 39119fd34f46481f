package world

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// minInformativeWords is the number of meaningful words beside a question that make a line worth recording.
const minInformativeWords = 3

// Phrases are NPCs' sentences without content, for example that they do not know or will not say. The zero
// value is empty.
type Phrases struct {
	by map[string]map[string]bool // NPC, "" for all, to keys of sentences
}

// Add adds the sentences of an NPC's lines, or of all NPCs if npc is empty. In a line with {answer}, it adds
// the sentences around it.
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

// isInformative reports whether a line says anything besides questions and phrases of the NPC.
func (p *Phrases) isInformative(l memory.Line) bool {
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
	return n >= minInformativeWords
}

// isQuestion reports whether a sentence is a question. Without a final punctuation mark, its first word after
// the addressee decides.
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
