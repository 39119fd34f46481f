// Package orders reads what whoever leads a game says aloud to the table itself and
// not to anybody in the story: "Bartok, be quiet", "everybody stop", "alle still",
// "raise Greymantle to deep", "end the session".
//
// An order is a whole utterance made of nothing but the order, whom it is about and
// words of courtesy. Whatever says more is speech: "Bartok, be quiet, somebody is at
// the door" is said in the story. The package knows English and German. It does no
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
	// maxText bounds what is looked at, in bytes.
	maxText = 4 << 10
)

// Parse reads an order, and reports whether a text is one.
func Parse(text string, room Room) (Order, bool) {
	if len(text) > maxText {
		return Order{}, false
	}
	words := splitWords(text)
	if o, ok := parseSay(text, words, room); ok {
		return o, true
	}
	if len(words) == 0 || len(words) > maxWords || strings.Contains(text, "?") {
		return Order{}, false
	}
	for _, c := range candidates(words, room) {
		if o, ok := match(c, room); ok {
			return o, true
		}
	}
	return Order{}, false
}

// candidate is an utterance with a place for whom it may be about.
type candidate struct {
	phrase string // folded, without courtesy; whom it is about is "@"
	npc    int
	about  bool // somebody
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
			out = append(out, candidate{phrase(append(rest, words[i+n:]...)), npc, true})
		}
	}
	return append(out, candidate{phrase: phrase(words)})
}

// target is whom some words name.
func target(words []word, room Room) (npc int, ok bool) {
	joined := join(words)
	if everyone[joined] {
		return Everyone, true
	}
	return room.Named(strings.TrimSuffix(joined, "'s"))
}

// phrase are the words that are more than courtesy.
func phrase(words []word) string {
	var kept []string
	for _, w := range words {
		if !courtesy[w.folded] {
			kept = append(kept, w.folded)
		}
	}
	s := strings.Join(kept, " ")
	for _, p := range asides {
		s = strings.TrimSpace(strings.TrimSuffix(s, p))
	}
	return s
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
		if to == mcp.BudgetFast || strings.HasPrefix(before, "lower") || strings.HasPrefix(before, "senk") || strings.HasPrefix(before, "stufe") {
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

// cutLast splits the tier's word off: "heb @ auf standard an" ends with its prefix.
func cutLast(s string) (before, last string) {
	s = strings.TrimSuffix(strings.TrimSuffix(s, " an"), " ab")
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", s
	}
	return s[:i], s[i+1:]
}
