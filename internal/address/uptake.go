package address

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"time"
)

// Uptake is how a player's words react to an NPC that is speaking, independent of whom they are for.
type Uptake uint8

const (
	// Words are no particular reaction.
	Words Uptake = iota
	// Assent shows that the player is listening: "yeah", "oh wow, nine hundred years". The player does not
	// want the floor.
	Assent
	// Order asks the NPC to pause or stop: "hold on", "stopp mal".
	Order
)

// maxAssent is the maximum number of words in an assent.
const maxAssent = 12

// ClassifyUptake returns how a text reacts to an NPC that is speaking. saying are the NPC's last sentence or
// two; repeating some of its words is a sign of listening.
func ClassifyUptake(s *Snapshot, text, saying string) Uptake {
	u := s.parseUtterance(text, "")
	switch {
	case u.orders():
		return Order
	case u.assents(fold(cut(saying))), u.soundsLikeAssent():
		return Assent
	}
	return Words
}

// maxLikeAssent is the maximum number of words in an assent that is recognised by its meaning alone.
const maxLikeAssent = 6

// soundsLikeAssent reports whether the utterance has a meaning similar to assent, asks nothing and addresses
// no one.
func (u *utterance) soundsLikeAssent() bool {
	if n := len(u.tokens); n == 0 || n > maxLikeAssent || u.asks || u.second {
		return false
	}
	for i, t := range u.tokens {
		if _, names := u.exact(i, len(u.tokens)); names || t.class&(asking|subject) != 0 {
			return false
		}
	}
	return Probability(uptakeWeights.Score(GatherReaction(u.text))) >= uptakeWeights.Bar
}

// uptakeFile holds the learned weights for recognising assent. "glyphoxa-lab learn uptake" writes it.
//
//go:embed uptake.tsv
var uptakeFile string

var uptakeWeights = readWeights(uptakeFile)

// Reactions returns the phrases of assent and surprise, from which weights are learned.
func Reactions() []string {
	var all []string
	for r := range reactions {
		all = append(all, strings.ReplaceAll(r, "_", " "))
	}
	slices.Sort(all)
	return all
}

// uptakeScale scales vectors, which have length 1, so that learning needs fewer steps.
const uptakeScale = 10

// GatherReaction returns the model's input for recognising assent.
func GatherReaction(text string) *Evidence {
	m := meaning{text: strings.Trim(cut(text), " .,!?…")}
	e := &Evidence{Facts: []Fact{{"bias", 1}}}
	for _, x := range m.of() {
		e.Meaning = append(e.Meaning, uptakeScale*x)
	}
	return e
}

// orders reports whether the utterance begins with a phrase that asks someone to stop, possibly after an
// opening word: "okay, wait".
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

// asksToHalt reports whether the words after such a phrase leave its meaning unchanged, unlike "stop me if",
// "wait for" and "warte auf".
func (u *utterance) asksToHalt(next int) bool {
	return next >= len(u.tokens) || u.tokens[next-1].closes || !haltsNothing[u.tokens[next].text]
}

const (
	// maxOpening is the maximum number of words before an order.
	maxOpening = 2
	// maxPhrase is the maximum number of words in a phrase.
	maxPhrase = 4
)

// phrase returns n words of the utterance, joined by "_".
func (u *utterance) phrase(i, n int) string {
	words := make([]string, n)
	for k := range words {
		words[k] = u.word(i + k)
	}
	return strings.Join(words, "_")
}

// word returns a word of the utterance, including its 's.
func (u *utterance) word(i int) string {
	w := u.tokens[i].text
	if u.tokens[i].owns {
		w += "'s"
	}
	return w
}

// assents reports whether the utterance only shows that the player is listening: it contains a word or phrase
// of assent or surprise, or a laugh, and otherwise only words that accompany one or that the NPC has just
// said.
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

// reaction returns the number of words from i on that form a reaction, or 0.
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

// IsAnswer reports whether a text begins like an answer to a yes-no question.
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

// While returns a copy of the talk in which an NPC is saying words to a player, or to everyone if player is
// empty. It is used for the [State] of a line said at the same time. t is unchanged.
func (t *Talk) While(at time.Time, npc int, player, words string) *Talk {
	during := *t
	during.own = maps.Clone(t.own)
	during.group.said = slices.Clone(t.group.said)
	during.RecordWords(at, npc, player, words)
	return &during
}
