package orders

import (
	"slices"
	"strings"
)

// candidate is an utterance with a place for whom it may be about.
type candidate struct {
	phrase string // folded, without courtesy; whom it is about is "@"
	npc    int
	about  bool // somebody
	asked  bool // as a question would be
	ours   bool // somebody by a word that nobody in a story uses
	told   bool // as a story would be: "Bartok schweigt"
}

// candidates are the ways to read who an utterance is about: the longest names first, and
// nobody last.
func candidates(words []word, room Room) (out []candidate) {
	for n := min(maxName, len(words)); n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			npc, ok := target(words[i:i+n], room)
			if !ok {
				continue
			}
			first := i
			for first > 0 && titles[words[first-1].folded] {
				first--
			}
			rest := append(slices.Clone(words[:first]), word{folded: "@"})
			p, asked := phrase(append(rest, words[i+n:]...))
			ours := npc == Everyone && slices.ContainsFunc(words[i:i+n], func(w word) bool { return ofTheProgram[w.folded] })
			verb, _, _ := strings.Cut(strings.TrimPrefix(p, "@ "), " ")
			told := strings.HasPrefix(p, "@ ") && telling[verb] && !ours && !asked && words[i+n-1].stop == 0 && !strings.HasSuffix(p, " lassen")
			out = append(out, candidate{p, npc, true, asked, ours, told})
		}
	}
	p, asked := phrase(words)
	return append(out, candidate{phrase: p, asked: asked})
}

// target is whom some words name.
func target(words []word, room Room) (npc int, ok bool) {
	joined := join(words)
	if everyone[joined] {
		return Everyone, true
	}
	npc, ok = room.Named(strings.TrimSuffix(joined, "'s"))
	if n := len(words); ok && n > 1 {
		if linking[words[0].folded] {
			_, shorter := room.Named(join(words[1:]))
			ok = !shorter
		}
		if linking[words[n-1].folded] {
			_, shorter := room.Named(join(words[:n-1]))
			ok = ok && !shorter
		}
	}
	return npc, ok
}

// phrase are the words that are more than courtesy, and whether it began as a question
// does.
func phrase(words []word) (s string, question bool) {
	whole := " " + join(words) + " "
	please := strings.Contains(whole, " please ") || strings.Contains(whole, " bitte ")
	for _, p := range asides {
		whole = strings.ReplaceAll(whole, " "+p+" ", " ")
	}
	s = tidy(whole)
	for again := true; again; {
		again = false
		for _, p := range leads {
			if rest, ok := strings.CutPrefix(s, p+" "); ok {
				s, again = rest, true
			}
		}
		for _, p := range asked {
			if rest, ok := strings.CutPrefix(s, p+" "); ok {
				return gerunds(rest), true
			}
			first, _, _ := strings.Cut(p, " ")
			if rest, ok := strings.CutPrefix(s, "@ "+p+" "); ok && (please || !bluntly[first]) {
				return "@ " + gerunds(rest), true
			}
		}
	}
	return s, false
}

// gerunds has "muting @", as it follows "would you mind", be "mute @".
func gerunds(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	if base, ok := gerundOf[first]; ok {
		return base + " " + rest
	}
	return s
}
