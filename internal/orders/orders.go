// Package orders reads what whoever leads a game says aloud to the table itself and
// not to anybody in the story: "Bartok, be quiet", "everybody stop", "alle still",
// "raise Greymantle to deep", "end the session".
//
// An order is made of words of the classes that order something, of whom it is about and
// of filler, in whatever order: the lexicon has the words, the frames what they come to.
// It is a whole utterance, or stands inside one in words that only the program knows.
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
	// maxReport and maxHedge bound how far before an order somebody may say that it is none,
	// in words.
	maxReport, maxHedge = 6, 2
	// maxStream bounds the words in which an order is looked for, and maxInside those of it.
	maxStream, maxInside = 120, 20
	// maxText bounds what is looked at, in bytes.
	maxText = 4 << 10
)

// parsed is an order, and whether it is one in whatever company: its words are the
// program's.
type parsed struct {
	Order
	explicit bool
	// requested says that somebody is asked for it about the NPC, which is spoken of and not to.
	requested bool
}

// Parse reads an order, and reports whether a text is one, or has one in it that is
// plainly for the program.
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
	if takenBack(words) {
		return Order{}, false
	}
	if o, ok := saidInside(text, words, room); ok {
		return o, true
	}
	return readInside(text, words, named, room)
}

// readWhole reads words that are an order and nothing else.
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

// parseWords reads words that are an order and nothing else.
func parseWords(words []word, room Room) (parsed, bool) {
	return readWhole(words, mentions(words, room), room)
}

// readInside reads an order among other words, in words that have no other use, unless
// something says that it is only spoken of.
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

// readWindow reads an order in words of its own from word i to end.
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

// begins reports whether an order may begin at word i of a text with marks.
func begins(words []word, i int) bool {
	return i == 0 || words[i-1].stop != 0 || joining[words[i-1].folded]
}

// stops reports whether an order may end before word i of a text with marks.
func stops(words []word, i int) bool {
	return i == len(words) || words[i-1].stop != 0 || joining[words[i].folded] || adjoining[words[i].folded]
}

// spokenOf reports whether words around an order say that it is spoken of, and not given.
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

// endsHere reports whether the end of a session is meant by the words from i to end among
// others: its sentence ends with them, and it is to be now.
func endsHere(words []word, i, end int) bool {
	now := slices.ContainsFunc(words[max(0, i-2):end], func(w word) bool { return atOnce[w.folded] })
	if end < len(words) && !strings.ContainsRune(".!", words[end-1].stop) {
		return now && words[end-1].stop == 0 && (joining[words[end].folded] || !slices.ContainsFunc(words, func(w word) bool { return w.stop != 0 }))
	}
	return i > 0 && (words[i-1].stop != 0 || joining[words[i-1].folded]) || now
}
