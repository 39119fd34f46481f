package address

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"time"
)

// Uptake is how the words of a player take up what an NPC is saying, apart from whom they
// are for.
type Uptake uint8

const (
	// Words are words like any others.
	Words Uptake = iota
	// Assent shows that the player listens: "yeah", "oh wow, nine hundred years". Who says
	// that does not want the floor.
	Assent
	// Order asks the NPC to stop for a moment, or for good: "hold on", "stopp mal".
	Order
)

// maxAssent bounds the words of an utterance that is taken for assent.
const maxAssent = 12

// Take reads how a text takes up what an NPC is saying. saying are the NPC's words of the
// last sentence or two: who repeats some of them takes note of them.
func Take(s *Snapshot, text, saying string) Uptake {
	u := s.parseUtterance(text, "")
	switch {
	case u.orders():
		return Order
	case u.assents(fold(cut(saying))), u.soundsLikeAssent():
		return Assent
	}
	return Words
}

// maxLikeAssent bounds the words of an utterance that is taken for assent by its meaning alone.
const maxLikeAssent = 6

// soundsLikeAssent reports whether the utterance means about what assent does, asks nothing, and
// speaks to nobody.
func (u *utterance) soundsLikeAssent() bool {
	if n := len(u.tokens); n == 0 || n > maxLikeAssent || u.asks || u.second {
		return false
	}
	for i, t := range u.tokens {
		if _, names := u.exact(i, len(u.tokens)); names || t.class&(asking|subject) != 0 {
			return false
		}
	}
	return Probability(uptakeWeights.Score(GatherUptake(u.text))) >= uptakeWeights.Bar
}

// uptakeFile is what was learned about assent. "glyphoxa-lab learn uptake" writes it.
//
//go:embed uptake.tsv
var uptakeFile string

var uptakeWeights = readWeights(uptakeFile)

// Reactions are the phrases of assent and surprise, which weights are learned from.
func Reactions() []string {
	var all []string
	for r := range reactions {
		all = append(all, strings.ReplaceAll(r, "_", " "))
	}
	slices.Sort(all)
	return all
}

// uptakeScale has few steps of learning suffice: vectors have the length 1.
const uptakeScale = 10

// GatherUptake is what the model looks at that tells assent from other words.
func GatherUptake(text string) *Evidence {
	m := meaning{text: strings.Trim(cut(text), " .,!?…")}
	e := &Evidence{Facts: []Fact{{"bias", 1}}}
	for _, x := range m.of() {
		e.Meaning = append(e.Meaning, uptakeScale*x)
	}
	return e
}

// orders reports whether the utterance begins with a phrase that asks somebody to stop, be it
// behind a word that only opens it: "okay, wait".
func (u *utterance) orders() bool {
	for i := range u.tokens {
		if i > maxOpening {
			return false
		}
		for n := min(maxPhrase, len(u.tokens)-i); n > 0; n-- {
			if halts[u.phrase(i, n)] && u.asksToHalt(i+n) {
				return true
			}
		}
		if t := u.tokens[i]; t.class&(opener|sound) == 0 && !reactions[t.text] {
			return false
		}
	}
	return false
}

// asksToHalt reports whether what follows on a phrase that asks to stop leaves it one: not
// "stop me if", "wait for", "warte auf".
func (u *utterance) asksToHalt(next int) bool {
	return next >= len(u.tokens) || u.tokens[next-1].closes || !haltsNothing[u.tokens[next].text]
}

const (
	// maxOpening is how many words may stand before an order.
	maxOpening = 2
	// maxPhrase bounds the words of a phrase.
	maxPhrase = 4
)

// phrase is n words of the utterance, joined by "_".
func (u *utterance) phrase(i, n int) string {
	words := make([]string, n)
	for k := range words {
		words[k] = u.word(i + k)
	}
	return strings.Join(words, "_")
}

// word is a word of the utterance, with its 's.
func (u *utterance) word(i int) string {
	w := u.tokens[i].text
	if u.tokens[i].owns {
		w += "'s"
	}
	return w
}

// assents reports whether the utterance does nothing but show that the player listens: it has a
// word or a phrase of assent or surprise, or a laugh, and for the rest words that go with
// one or that the NPC has just said.
func (u *utterance) assents(saying string) bool {
	n := len(u.tokens)
	if n == 0 || n > maxAssent || u.marked && n > 1 {
		return false
	}
	heard := split(nil, saying)
	reacts := false
	for i := 0; i < n; {
		if k := u.reaction(i); k > 0 {
			reacts = true
			i += k
			continue
		}
		t := u.tokens[i]
		echoed := slices.ContainsFunc(heard, func(h token) bool { return h.text == t.text })
		switch {
		case accompanies[u.word(i)]:
		case !echoed || t.class&(you|subject) != 0:
			return false
		}
		i++
	}
	return reacts
}

// reaction is how many words from the one at i on are a reaction, 0 if none is.
func (u *utterance) reaction(i int) int {
	for n := min(maxPhrase, len(u.tokens)-i); n > 0; n-- {
		if reactions[u.phrase(i, n)] {
			return n
		}
	}
	w := u.tokens[i].text
	if short := squeeze(w); laughs(w) || u.s.class(short)&sound != 0 || reactions[short] {
		return 1
	}
	return 0
}

// IsAnswer reports whether a text begins as an answer to a question does that is answered with yes
// or no.
func IsAnswer(text string) bool {
	for _, t := range split(nil, fold(cut(text))) {
		if answers[t.text] {
			return true
		}
		if !mayPrecede[t.text] {
			return false
		}
	}
	return false
}

// While is the talk as it is while an NPC says words to a player, or to everyone if player is
// empty: for the [State] of a line that is said over them. t stays as it was.
func (t *Talk) While(at time.Time, npc int, player, words string) *Talk {
	during := *t
	during.own = maps.Clone(t.own)
	during.group.said = slices.Clone(t.group.said)
	during.Said(at, npc, player, words)
	return &during
}
