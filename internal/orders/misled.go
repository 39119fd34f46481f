package orders

import (
	"slices"
	"strings"
)

// isRequest reports whether words ask a third party for something about an NPC: "please keep Bartok quiet",
// but not "Bartok, please be quiet".
func isRequest(f *frame, words []word, before, tokens []token, m *mention) bool {
	relayed := slices.ContainsFunc(before, func(t token) bool { return relaying[t.text] })
	if m.from == 0 || words[m.from-1].stop != 0 || !m.ours && (relayed || !has(tokens, asking|pleading)) {
		return false
	}
	if has(before, asking|causing|making|setting|turning|being|giving) {
		for _, c := range f.has {
			if has(tokens[len(before):], c) {
				return true
			}
		}
	}
	return before[len(before)-1].of&hushing != 0 && transitive[before[len(before)-1].text]
}

// misled reports whether words that fit a frame are not an order: a question to the person they name, an
// instruction that this person should give to others, or narration.
func misled(f *frame, words []word, before, tokens []token, m *mention) bool {
	if !has(tokens, causing|making|wanting|being|asking|setting) && slices.ContainsFunc(tokens, func(t token) bool { return participles[t.text] }) { // "who muted Bartok"
		return true
	}
	pleads := has(tokens, pleading)
	if isQuestion(words) && !has(tokens, asking) && !pleads {
		return true
	}
	if m == nil || m.npc == Everyone && f.alone {
		return false
	}
	after := tokens[len(before):]
	if f.made && (!has(before, making) || has(before, f.has[0]) || slices.ContainsFunc(before, func(t token) bool { return t.text == "it" || t.text == "es" })) {
		return true
	}
	if f.behind && !has(after, f.has[0]) || f.has[0] == step && has(before, step) && !has(before, setting) {
		return true
	}
	if m.from > 0 && towards[words[m.from-1].folded] || m.from > 1 && len(before) > 0 && articles[words[m.from-1].folded] && towards[words[m.from-2].folded] { // "talk to Bartok"
		if slices.ContainsFunc(f.has, func(c class) bool { return c&(speaking|talking|resuming|utterance) != 0 }) {
			return true
		}
	}
	if n := len(before); n > 1 && (before[n-1].text == "sagt" || before[n-1].text == "says") { // "Ruhe, sagt Bartok"
		return true
	}
	if slices.Contains(f.has, giving) && slices.ContainsFunc(before, func(t token) bool { return objects[t.text] }) { // "give me more time, Bartok"
		return true
	}
	if !f.plain && m.npc != Everyone && slices.ContainsFunc(after, func(t token) bool { return objects[t.text] }) { // "Bartok, give him his voice back"
		return true
	}
	vocative := len(words) > m.to && !has(before, asking|wanting|causing|making)
	if vocative && m.npc != Everyone { // "Bartok, let her talk", "Bartok, can you be quiet"
		for _, t := range after {
			if t.of&causing != 0 && t.of&(setting|giving) == 0 {
				return true
			}
		}
		if len(after) > 0 && after[0].of&asking != 0 && bluntly[first(after[0].text)] && !pleads {
			return true
		}
	}
	if has(before, is) && !has(after, allowing) && f.kind != EndSession && !pleads { // "is Bartok quiet"
		return !m.ours && !has(tokens, urging)
	}
	wished := slices.ContainsFunc(before, func(t token) bool { return t.text == "dass" })
	if has(after, is) && !has(after, allowing) && !pleads && !wished && !(f.plain && has(tokens, urging)) { // "Bartok is quiet"
		return true
	}
	if len(before) > 0 && len(words) > m.to && before[len(before)-1].of&allowing != 0 && !has(before, asking) && !pleads && !slices.ContainsFunc(before, func(t token) bool { return t.text == "you" || t.text == "ihr" || t.text == "dürft ihr" }) { // "may Bartok talk"
		return true
	}
	// "Bartok schweigt"
	if len(after) > 0 && after[0].of&telling != 0 && after[0].of&causing == 0 && !has(before, wanting|causing) && !m.ours && words[m.to-1].stop == 0 && !pleads && !wished && !has(after, leaving) {
		return f.kind != Resume || !has(after, urging)
	}
	return false
}

// isQuestion reports whether a question mark follows one of the words.
func isQuestion(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.stop == '?' })
}

func first(phrase string) string {
	w, _, _ := strings.Cut(phrase, " ")
	return w
}
