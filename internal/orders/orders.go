// Package orders reads what whoever leads a game says aloud to the table itself and
// not to anybody in the story: "Bartok, be quiet", "everybody stop", "alle still",
// "raise Greymantle to deep", "end the session".
//
// An order is a whole utterance made of nothing but the order, whom it is about and
// words of courtesy, or a sentence of its own in words that only the program knows.
// Whatever says more is speech: "Bartok, be quiet, somebody is at the door" is said in
// the story. The package knows English and German. It does no
// I/O and keeps no state.
package orders

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Kind is what is ordered.
type Kind uint8

// The kinds of orders.
const (
	// Quiet: an NPC, or everyone, is to be silent until told to go on.
	Quiet Kind = iota + 1
	// Resume: who was silenced may speak again.
	Resume
	// Say: an NPC is to say Text.
	Say
	// Think: the next answer may take the time of the deepest tier.
	Think
	// Raise and Lower change the tier of an NPC to Tier.
	Raise
	Lower
	// EndSession: the session is to end.
	EndSession
)

// String is the kind's name, as events have it.
func (k Kind) String() string {
	switch k {
	case Quiet:
		return "quiet"
	case Resume:
		return "resume"
	case Say:
		return "say"
	case Think:
		return "think"
	case Raise:
		return "raise"
	case Lower:
		return "lower"
	case EndSession:
		return "end"
	}
	return "unknown"
}

// Everyone stands for all NPCs where an order is about one.
const Everyone = -1

// Order is what somebody ordered.
type Order struct {
	Kind Kind
	// NPC is whom it is about, as [Room.Named] counts them, or [Everyone]. It means
	// nothing for EndSession.
	NPC int
	// Tier is that of Raise and Lower.
	Tier mcp.BudgetTier
	// Text is what is to be said.
	Text string
	// Rest is what else was said, which is none.
	Rest string
}

// Room is what is known of a table when something is said there.
type Room struct {
	// Named returns the NPC of a name, as it is spoken.
	Named func(name string) (npc int, ok bool)
	// Silenced reports whether an NPC is silent by order; of [Everyone], whether
	// anybody is. "Go on" is an order to nobody else.
	Silenced func(npc int) bool
	// Partner is the NPC that is talked with, to whom a bare "think carefully" is
	// said; below zero if there is none.
	Partner int
	// Players are names of people: "say Mira …" is said to greet her.
	Players []string
}

const (
	// maxWords bounds the words of an order that is not Say, and maxName those of a name.
	maxWords, maxName = 14, 4
	// maxStream bounds the words in which an order is looked for, and maxInside those of it.
	maxStream, maxInside = 80, 9
	// maxText bounds what is looked at, in bytes.
	maxText = 4 << 10
)

// Parse reads an order, and reports whether a text is one, or has one among its
// sentences that is plainly for the program.
func Parse(text string, room Room) (Order, bool) {
	if len(text) > maxText {
		return Order{}, false
	}
	if o, ok := parseWhole(text, room); ok {
		return o.Order, true
	}
	if words := splitWords(text); unpunctuated(words) {
		return parseStream(words, room)
	}
	sentences := splitSentences(text)
	for i, s := range sentences {
		o, ok := parseWhole(s, room)
		last := i == len(sentences)-1 // what an NPC is to say may go on
		if ok && (o.explicit && o.Kind != Say || last && o.Kind == Say && o.explicit) {
			o.Rest = strings.TrimSpace(strings.Join(slices.Delete(sentences, i, i+1), " "))
			return o.Order, true
		}
	}
	return Order{}, false
}

// parseStream reads an order among words without any punctuation, in words that have
// no other use, unless something says that it is only spoken of.
func parseStream(words []word, room Room) (Order, bool) {
	if len(words) > maxStream || slices.ContainsFunc(words, func(w word) bool { return hedges[w.folded] }) {
		return Order{}, false
	}
	for n := min(maxInside, len(words)); n > 1; n-- {
		for i := 0; i+n <= len(words); i++ {
			for _, c := range candidates(words[i:i+n], room) {
				if o, ok := match(c, room); ok && c.about && !c.asked && isExplicit(c.phrase, o) {
					o.Rest = join(slices.Concat(words[:i], words[i+n:]))
					return o, true
				}
			}
		}
	}
	return Order{}, false
}

// unpunctuated reports whether no word ends with a mark.
func unpunctuated(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { return w.stop != 0 })
}

// parsed is an order, and whether it is one in whatever company: its words are the
// program's.
type parsed struct {
	Order
	explicit bool
}

// parseWhole reads a text that is an order as a whole.
func parseWhole(text string, room Room) (parsed, bool) {
	words := splitWords(text)
	if o, ok := parseSay(text, words, room); ok {
		return o, true
	}
	if len(words) == 0 || len(words) > maxWords {
		return parsed{}, false
	}
	question := strings.Contains(text, "?")
	for _, c := range candidates(words, room) {
		if question && !c.asked {
			continue
		}
		if o, ok := match(c, room); ok {
			return parsed{o, isExplicit(c.phrase, o)}, true
		}
	}
	return parsed{}, false
}

// isExplicit reports whether an order is in words that have no other use.
func isExplicit(phrase string, o Order) bool {
	switch o.Kind {
	case Raise, Lower, EndSession:
		return true
	}
	return strings.Contains(phrase, "mute") || strings.HasPrefix(phrase, "@ darf ") || strings.Contains(phrase, "stumm")
}

// splitSentences cuts a text behind full stops, question and exclamation marks.
func splitSentences(text string) (out []string) {
	begin := 0
	for i, r := range text {
		if strings.ContainsRune(".!?", r) {
			if s := strings.TrimSpace(text[begin : i+1]); strings.Trim(s, ".!? ") != "" {
				out = append(out, s)
			}
			begin = i + 1
		}
	}
	if s := strings.TrimSpace(text[begin:]); s != "" {
		out = append(out, s)
	}
	return out
}

// candidate is an utterance with a place for whom it may be about.
type candidate struct {
	phrase string // folded, without courtesy; whom it is about is "@"
	npc    int
	about  bool // somebody
	asked  bool // as a question would be
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
			out = append(out, candidate{p, npc, true, asked})
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
	return room.Named(strings.TrimSuffix(joined, "'s"))
}

// phrase are the words that are more than courtesy, and whether it began as a question
// does.
func phrase(words []word) (s string, question bool) {
	s = join(words) + " "
	for _, p := range asides {
		s = strings.ReplaceAll(s, p+" ", " ")
	}
	var kept []string
	for w := range strings.FieldsSeq(s) {
		if !courtesy[w] {
			kept = append(kept, w)
		}
	}
	s = strings.Join(kept, " ")
	for _, p := range asked {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

// match finds the order that a candidate is.
func match(c candidate, room Room) (Order, bool) {
	o := Order{NPC: c.npc}
	if k, ok := plain[c.phrase]; ok {
		o.Kind = k
		switch {
		case k == EndSession:
			return o, !c.about
		case k == Resume && !c.about:
			o.NPC = Everyone
			return o, room.Silenced(Everyone)
		case k == Think && !c.about:
			o.NPC = room.Partner
			return o, room.Partner >= 0
		case k == Resume && !unconditional[c.phrase]:
			return o, room.Silenced(c.npc)
		}
		return o, c.about
	}
	if !c.about {
		return o, false
	}
	before, last := cutLast(c.phrase)
	if to, ok := tierWords[last]; ok && toTier[before] {
		o.Kind, o.Tier = Raise, to
		if to == mcp.BudgetFast || lowering(before) {
			o.Kind = Lower
		}
		return o, true
	}
	if k, ok := byStep[c.phrase]; ok {
		o.Kind, o.Tier = k, mcp.BudgetDeep
		if k == Lower {
			o.Tier = mcp.BudgetFast
		}
		return o, true
	}
	return o, false
}

// lowering reports whether a phrase before a tier's word says that it is lower.
func lowering(before string) bool {
	return strings.HasPrefix(before, "lower") || strings.HasPrefix(before, "senk") || strings.Contains(before, "down") || strings.Contains(before, "runter")
}

// cutLast splits the tier's word off: "heb @ auf standard an" ends with its prefix.
func cutLast(s string) (before, last string) {
	for _, p := range []string{" an", " ab", " stellen", " setzen", " hochsetzen", " runtersetzen", " hochstufen", " runterstufen"} {
		s = strings.TrimSuffix(s, p)
	}
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+1:]
}
