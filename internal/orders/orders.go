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
	words := splitWords(text)
	if o, ok := parseCorrected(words, room); ok {
		return o, true
	}
	if takenBack(words) {
		return Order{}, false
	}
	if unpunctuated(words) {
		return parseStream(words, room)
	}
	quotes := strings.ContainsAny(text, `"“”„«»`)
	sentences := splitSentences(text)
	for i, s := range sentences {
		o, ok := parseWhole(s, room)
		last := i == len(sentences)-1 // what an NPC is to say may go on
		if ok && (o.explicit && o.Kind != Say && !quotes || last && o.Kind == Say && o.explicit) {
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
				if o, ok := match(c, room); ok && !c.asked && isExplicit(c, o) && (c.about && (c.npc >= 0 || c.ours) || o.Kind == EndSession && endsHere(words, i, i+n)) {
					o.Rest = join(slices.Concat(words[:i], words[i+n:]))
					return o, true
				}
			}
		}
	}
	return Order{}, false
}

// endsHere reports whether the end of a session is meant by the words from i to end among
// others: they are the last, and it is to be now.
func endsHere(words []word, i, end int) bool {
	return end == len(words) && slices.ContainsFunc(words[max(0, i-2):], func(w word) bool { return atOnce[w.folded] })
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
	return parseWords(words, strings.Contains(text, "?"), room)
}

// parseWords reads words that are an order as a whole, and none to say something.
func parseWords(words []word, question bool, room Room) (parsed, bool) {
	if len(words) == 0 || len(words) > maxWords {
		return parsed{}, false
	}
	for _, c := range candidates(words, room) {
		if question && !c.asked {
			continue
		}
		if o, ok := match(c, room); ok {
			return parsed{o, isExplicit(c, o)}, true
		}
	}
	return parsed{}, false
}

// isExplicit reports whether an order is in words that have no other use.
func isExplicit(c candidate, o Order) bool {
	switch o.Kind {
	case Raise, Lower:
		_, last := cutLast(c.phrase)
		_, tier := tierWords[last]
		return tier || strings.Contains(c.phrase, "stuf") || slices.ContainsFunc(strings.Fields(c.phrase), func(w string) bool { return ofStep[w] })
	case EndSession:
		return !parting[c.phrase]
	}
	return c.ours || strings.Contains(c.phrase, "mute") || strings.HasPrefix(c.phrase, "@ darf ") || strings.Contains(c.phrase, "stumm")
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

// match finds the order that a candidate is.
func match(c candidate, room Room) (Order, bool) {
	o := Order{NPC: c.npc}
	if c.told {
		return o, false
	}
	if ending(c) {
		return Order{Kind: EndSession}, true
	}
	k, ok := plain[c.phrase]
	if _, steps := byStep[c.phrase]; ok && !steps {
		o.Kind = k
		switch {
		case k == EndSession:
			return o, false
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

// ending reports whether a candidate ends the session, which is told nobody or everyone.
func ending(c candidate) bool {
	if c.about && c.npc != Everyone {
		return false
	}
	p := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.phrase, "@ "), " @"))
	for first, rest, ok := strings.Cut(p, " "); ok && company[first]; first, rest, ok = strings.Cut(p, " ") {
		p = rest
	}
	for i := strings.LastIndexByte(p, ' '); i > 0 && company[p[i+1:]]; i = strings.LastIndexByte(p, ' ') {
		p = p[:i]
	}
	if plain[p] == EndSession {
		return true
	}
	for i := range p { // "we're done for today, end the session"
		if p[i] == ' ' && parting[p[:i]] && plain[p[i+1:]] == EndSession {
			return true
		}
	}
	return false
}

// lowering reports whether a phrase before a tier's word says that it is lower.
func lowering(before string) bool {
	for w := range strings.FieldsSeq(before) {
		if downward[w] {
			return true
		}
	}
	return strings.Contains(before, "nach unten")
}

// cutLast splits the tier's word off: "heb @ auf standard an" ends with its prefix.
func cutLast(s string) (before, last string) {
	for again := true; again; {
		again = false
		for _, p := range tierTails {
			if rest, ok := strings.CutSuffix(s, p); ok {
				s, again = rest, true
			}
		}
	}
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", s
	}
	before, last = s[:i], s[i+1:]
	for _, p := range beforeTier {
		before = strings.TrimSuffix(before, p)
	}
	return before, last
}
