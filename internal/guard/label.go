package guard

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is the maximum length of a label with the text in brackets after it, in bytes.
const maxLabel = 80

// formLabels are labels that models put before their speech. spokenLabels count only if they are the whole
// label. Removing one loses nothing even if the NPC did say "Answer: no."
var (
	formLabels = newWordSet(`
		speech npc nsc dialogue dialog response reply output assistant character charakter rede spoken utterance dialogzeile
		sprechtext erwiderung ausgabe`)
	spokenLabels = newWordSet(`answer antwort line text says say sagt zeile satz message nachricht content`)
)

// ownLabel returns the length of a label that assigns a sentence to the NPC, by name or role, or to the
// model: "Marl (whispering): ", "speech: ", "Nettle > ". It returns 0 if there is none.
func (t *Turn) ownLabel(raw string) int {
	if rest, ok := strings.CutPrefix(raw, "assistant "); ok && len(rest) > 0 && rest[0] >= 'A' && rest[0] <= 'Z' {
		return len(raw) - len(rest)
	}
	end := strings.IndexAny(raw[:min(len(raw), maxLabel)], ":>[(*")
	if end <= 0 {
		return 0
	}
	var room [8]word
	s := readWords(raw[:end], room[:0])
	if len(s.words) == 0 || len(s.words) > 4 || strings.ContainsAny(s.raw, ".!?;,") || !t.isOwnLabel(&s) {
		return 0
	}
	switch shut := map[byte]byte{'[': ']', '(': ')', '*': '*'}[raw[end]]; {
	case shut != 0:
		n := strings.IndexByte(raw[end+1:], shut)
		if n < 0 {
			return 0
		}
		end += n + 2
		for end < len(raw) && strings.IndexByte(" *", raw[end]) >= 0 {
			end++
		}
		if end >= len(raw) || raw[end] != ':' {
			return 0
		}
	case raw[end] == '>' && (raw[end-1] != ' ' || end+1 >= len(raw) || raw[end+1] != ' '):
		return 0
	}
	for end++; end < len(raw) && strings.IndexByte(" *_", raw[end]) >= 0; end++ {
	}
	if next, _ := utf8.DecodeRuneInString(raw[end:]); end == len(raw) || next == '/' {
		return 0
	}
	return end
}

// isOwnLabel reports whether words consist only of the NPC's names and roles, or of labels that models use.
func (t *Turn) isOwnLabel(s *sentence) bool {
	named := false
	for i := range s.words {
		w := &s.words[i]
		switch {
		case t.isOtherName(w.text):
			return false
		case t.card.own[w.text], t.card.isCalled(w.text), formLabels[w.text], spokenLabels[w.text] && len(s.words) == 1:
			named = true
		case !titles[w.text] && w.text != "the":
			return false
		}
	}
	return named
}

// isCalled reports whether a word is part of the NPC's role: "Pfarrer" in "Dorfpfarrer".
func (c *Card) isCalled(w string) bool {
	if len(w) < 4 {
		return false
	}
	if c.callings[w] || c.roles[w] {
		return true
	}
	for calling := range c.callings {
		if len(w) >= 5 && strings.HasSuffix(calling, w) {
			return true
		}
	}
	return false
}

// mostCalling is the maximum number of words in a personality that only names the NPC's role.
const mostCalling = 8

// callingsOf returns the words of a personality that only names the NPC's role.
func callingsOf(personality string) wordSet {
	set := wordSet{}
	s := readWords(personality, nil)
	if len(s.words) > mostCalling {
		return set
	}
	for i := range s.words {
		if w := s.at(i); !functionWords[w] {
			set[w] = true
		}
	}
	return set
}
