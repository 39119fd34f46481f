// Package orders recognises spoken orders by the player who leads the game to the table itself, rather than
// to someone in the story: "Bartok, be quiet", "everybody stop", "alle still", "raise Greymantle to deep",
// "end the session". For example:
//
//	if o, ok := orders.Parse(text, room); ok && o.Kind == orders.Quiet {
//		mute(o.NPC)
//	}
//
// An order consists of words of ordering classes, the name of its target, and filler, in any order. The
// lexicon lists the words, and the frames define their meaning together. An order is a whole utterance, or a
// part of one in words that only the program knows. Anything that says more is speech: "Bartok, be quiet, the
// guards are at the door" is said in the story. The package supports English and German. It does no I/O and
// keeps no state.
package orders

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Kind is the kind of an order.
type Kind uint8

// The kinds of orders.
const (
	// Quiet silences an NPC, or everyone, until resumed.
	Quiet Kind = iota + 1
	// Resume lets silenced NPCs speak again.
	Resume
	// Say makes an NPC say Text.
	Say
	// Think allows the next answer the time of the deepest tier.
	Think
	// Raise and Lower set the tier of an NPC to Tier.
	Raise
	Lower
	// EndSession ends the session.
	EndSession
)

// String returns the kind's name as used in events.
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

// Everyone is the NPC of an order about all NPCs.
const Everyone = -1

// Order is a parsed order.
type Order struct {
	Kind Kind
	// NPC is the target, as numbered by [Room.Named], or [Everyone]. It has no meaning for EndSession.
	NPC int
	// Tier is the tier for Raise and Lower.
	Tier mcp.BudgetTier
	// Text is the text for Say.
	Text string
	// Rest is the part of the utterance that is not the order.
	Rest string
}

// Room is the state of a table when something is said there.
type Room struct {
	// Named returns the NPC with a spoken name.
	Named func(name string) (npc int, ok bool)
	// Silenced reports whether an NPC is silenced by an order, or for [Everyone], whether any NPC is. "Go on"
	// is an order only to those.
	Silenced func(npc int) bool
	// Partner is the NPC in the current conversation, which is the target of a bare "think carefully";
	// negative if there is none.
	Partner int
	// Players are the players' names, because "say Mira …" greets a player.
	Players []string
}

const (
	// maxReport and maxHedge limit how many words before an order are checked for signs that it is not one.
	maxReport, maxHedge = 6, 2
	// maxStream is the maximum number of words in which an order is searched, and maxInside that of the order
	// itself.
	maxStream, maxInside = 120, 20
	// maxText is the maximum length of a text in bytes.
	maxText = 4 << 10
)

// parsed is an order. explicit means that it is one in any context, because its words are addressed to the
// program.
type parsed struct {
	Order
	explicit bool
	// requested means that a third party is asked for it, so the NPC is mentioned rather than addressed.
	requested bool
}

// Parse parses an order. It reports whether a text is an order, or contains one that is clearly for the
// program.
func Parse(text string, room Room) (Order, bool) {
	if len(text) > maxText {
		return Order{}, false
	}
	words := fluent(splitWords(text))
	if o, ok := parseSay(text, words, room); ok {
		return o.Order, true
	}
	if !slices.ContainsFunc(words, func(w word) bool { return openings[w.folded] > 0 }) {
		return Order{}, false
	}
	named := mentions(words[:min(len(words), maxStream)], room)
	if o, ok := readWhole(words, named, room); ok {
		return o.Order, true
	}
	if o, ok := parseCorrected(words, room); ok {
		return o, true
	}
	if isRetracted(words) {
		return Order{}, false
	}
	if o, ok := saidInside(text, words, room); ok {
		return o, true
	}
	return readInside(text, words, named, room)
}

// readWhole parses words that are an order and nothing else. named are the mentions in them.
func readWhole(words []word, named []mention, room Room) (parsed, bool) {
	if len(words) == 0 || len(words) > maxWords {
		return parsed{}, false
	}
	for i := range named {
		if o, ok := readAbout(words, &named[i], room); ok {
			return o, true
		}
	}
	return readAbout(words, nil, room)
}

// parseWords parses words that are an order and nothing else.
func parseWords(words []word, room Room) (parsed, bool) {
	return readWhole(words, mentions(words, room), room)
}

// readInside parses an order among other words. Its words must have no other use, and nothing may indicate
// that the order is only mentioned.
func readInside(text string, words []word, named []mention, room Room) (Order, bool) {
	if len(words) > maxStream {
		return Order{}, false
	}
	bare := !slices.ContainsFunc(words, func(w word) bool { return w.stop != 0 })
	quoted := strings.ContainsAny(text, `"“”„«»`)
	if quoted {
		return Order{}, false
	}
	for n := min(maxInside, len(words)-1); n > 1; n-- {
		for i := 0; i+n <= len(words); i++ {
			if !bare && !(begins(words, i) && stops(words, i+n)) || spokenOf(words, i, i+n) {
				continue
			}
			if o, ok := readWindow(words, i, i+n, named, room); ok {
				o.Rest = strings.TrimSpace(strings.TrimSpace(text[:words[i].begin]) + " " + strings.TrimLeft(text[words[i+n-1].end:], ",;:.!?–—- "))
				return o, true
			}
		}
	}
	return Order{}, false
}

// readWindow parses such an order from the words i to end.
func readWindow(words []word, i, end int, named []mention, room Room) (Order, bool) {
	for _, m := range named {
		if m.from < i || m.to > end {
			continue
		}
		m.from, m.to = m.from-i, m.to-i
		if o, ok := readAbout(words[i:end], &m, room); ok && (o.explicit || o.requested) && (o.NPC != Everyone || m.ours || o.Kind == EndSession) {
			return o.Order, true
		}
	}
	o, ok := readAbout(words[i:end], nil, room)
	return o.Order, ok && o.explicit && o.Kind == EndSession && endsHere(words, i, end)
}

// begins reports whether an order may begin at word i of a text with punctuation.
func begins(words []word, i int) bool {
	return i == 0 || words[i-1].stop != 0 || joining[words[i-1].folded]
}

// stops reports whether an order may end before word i of a text with punctuation.
func stops(words []word, i int) bool {
	return i == len(words) || words[i-1].stop != 0 || joining[words[i].folded] || adjoining[words[i].folded]
}

// spokenOf reports whether the words around an order indicate that it is mentioned rather than given.
func spokenOf(words []word, i, end int) bool {
	near := true
	for k, clauses := i-1, 0; k >= max(0, i-maxReport) && !strings.ContainsRune(".!?", words[k].stop); k-- {
		if words[k].stop != 0 {
			clauses++
		}
		near = near && words[k].stop == 0 && k >= i-maxHedge
		if reports[words[k].folded] && (clauses == 0 || words[k].stop != 0 || conditions[words[k].folded] && !courtesy[words[k+1].folded]) || near && hedges[words[k].folded] {
			return true
		}
	}
	if end == len(words) || words[end-1].stop != 0 {
		return false
	}
	of := lexicon[words[end].folded]
	if adjoining[words[end].folded] && begins(words, i) {
		return false
	}
	return judging[words[end].folded] || of != 0 && of&(filler|ourselves|is) == 0 || open[words[end-1].folded]
}

// endsHere reports whether the words from i to end, among others, really end the session: they end their
// sentence and mean now.
func endsHere(words []word, i, end int) bool {
	now := slices.ContainsFunc(words[max(0, i-2):end], func(w word) bool { return atOnce[w.folded] })
	if end < len(words) && !strings.ContainsRune(".!", words[end-1].stop) {
		return now && words[end-1].stop == 0 && (joining[words[end].folded] || !slices.ContainsFunc(words, func(w word) bool { return w.stop != 0 }))
	}
	return i > 0 && (words[i-1].stop != 0 || joining[words[i-1].folded]) || now
}
