package guard

import (
	"slices"
	"strings"
	"unicode"
)

// secrets is what must not be told, ready to be compared with sentences. It is
// immutable.
type secrets struct {
	facts    []fact
	units    []unit
	byStem   map[string][]hit
	byNumber map[int][]hit
	backward map[string]int // words read from their ends, to their units
}

// fact is one statement: a secret, or a clause of it.
type fact struct {
	text     string // the secret as the card has it
	from, to int    // its units
	total    float32
	strong   int  // units that weigh something
	identity bool // it says who the NPC is: "She is the lost heir"
}

// unit is a word of a fact that tells something.
type unit struct {
	fact   int
	weight float32
	deed   bool
}

// hit is a unit that a word stands for, and how surely.
type hit struct {
	unit     int
	strength float32
}

// Strengths of a hit.
const (
	strengthSame  = 1
	strengthFaint = 0.5
	strengthPart  = 0.5 // a part of a compound
)

// secretBuilder prepares secrets.
type secretBuilder struct {
	*secrets
	lex    *lexicon
	public map[string]bool // stems of what everybody may know of the NPC
}

// newSecrets prepares secrets of an NPC; public is what else its card says.
func newSecrets(texts []string, public string) *secrets {
	if len(texts) == 0 {
		return nil
	}
	b := secretBuilder{
		secrets: &secrets{byStem: map[string][]hit{}, byNumber: map[int][]hit{}, backward: map[string]int{}},
		lex:     sharedLexicon(), public: map[string]bool{},
	}
	for _, w := range readWords(public, nil).words {
		b.public[w.stem] = true
	}
	for _, text := range texts {
		b.addSecret(text)
	}
	return b.secrets
}

// addSecret adds the clauses of a secret as facts. One with fewer than two words that
// weigh something is no fact of its own.
func (b *secretBuilder) addSecret(text string) {
	s := readWords(text, nil)
	from := 0
	for i := range s.words {
		if t := s.words[i].text; (t == "and" || t == "und") && b.strongWords(s.words[from:i]) >= 2 && b.strongWords(s.words[i+1:]) >= 2 {
			b.addFact(text, s, from, i)
			from = i + 1
		}
	}
	b.addFact(text, s, from, len(s.words))
}

// strongWords counts words that weigh something.
func (b *secretBuilder) strongWords(words []word) (n int) {
	for _, w := range words {
		if !functionWords[w.text] && b.weigh(w.stem) > weightLight {
			n++
		}
	}
	return n
}

// weigh is what a stem weighs by its meanings.
func (b *secretBuilder) weigh(s string) float32 {
	ids := b.lex.byStem[s]
	if len(ids) == 0 {
		return weightName
	}
	var most float32
	for _, id := range ids {
		most = max(most, b.lex.meanings[id].weight)
	}
	for _, id := range ids {
		if b.lex.meanings[id].weight == weightLight {
			return weightLight
		}
	}
	return most
}

func (b *secretBuilder) addFact(text string, s sentence, from, to int) {
	f := fact{text: text, from: len(b.units), identity: identity(s.words[from:to])}
	for i := from; i < to; i++ {
		value, size := s.numberAt(i)
		w := s.words[i]
		switch {
		case size > 0 && !articleNumber(w.text):
			b.byNumber[value] = append(b.byNumber[value], hit{b.addUnit(weightSimple, false), strengthSame})
			i += size - 1
		case !functionWords[w.text]:
			b.addWord(w, s.raw[w.start:w.end], i > 0 && w.capital && strings.ContainsAny(text, "äöüß") == false)
		}
	}
	f.to = len(b.units)
	for _, u := range b.units[f.from:f.to] {
		f.total += u.weight
		if u.weight > weightLight {
			f.strong++
		}
	}
	if f.strong > 0 {
		b.facts = append(b.facts, f)
	}
}

// identity reports whether a clause begins as one that says who somebody is.
func identity(words []word) bool {
	if len(words) < 2 {
		return false
	}
	switch words[0].text + " " + words[1].text {
	case "she is", "he is", "they are", "sie ist", "er ist", "es ist":
		return true
	}
	return false
}

func (b *secretBuilder) addUnit(weight float32, deed bool) int {
	b.units = append(b.units, unit{fact: len(b.facts), weight: weight, deed: deed})
	return len(b.units) - 1
}

// addWord adds the units of a word: one, or two of a compound.
func (b *secretBuilder) addWord(w word, raw string, name bool) {
	if _, known := b.lex.byStem[w.stem]; !known {
		if first, second, ok := b.lex.split(w.text); ok {
			u, v := b.addStem(first, 0.5, false), b.addStem(second, 0.5, false)
			b.backward[reversed(w.text)] = u
			b.note(w.stem, hit{u, strengthSame})
			b.note(w.stem, hit{v, strengthSame})
			return
		}
	}
	agent := strings.HasSuffix(w.text, "er") || strings.HasSuffix(w.text, "ers") || unicode.IsUpper([]rune(raw)[0])
	u := b.addStem(w.stem, 1, !agent)
	if len(w.text) >= 4 {
		b.backward[reversed(w.text)] = u
	}
	if first, second, ok := b.lex.split(w.text); ok {
		b.note(first, hit{u, strengthPart})
		b.note(second, hit{u, strengthPart})
	}
}

// addStem adds a unit for a stem, with all that means the same.
func (b *secretBuilder) addStem(s string, share float32, verb bool) int {
	weight, deed := b.weigh(s), false
	for _, id := range b.lex.byStem[s] {
		deed = deed || verb && b.lex.meanings[id].deed
	}
	if weight == weightDeed && !deed {
		weight = weightThing
	}
	if b.public[s] {
		weight, deed = weight/2, false
	}
	u := b.addUnit(weight*share, deed)
	b.note(s, hit{u, strengthSame})
	for _, id := range b.lex.byStem[s] {
		if b.lex.meanings[id].weight == weightLight && weight > weightLight {
			continue
		}
		for _, other := range b.lex.meanings[id].words {
			b.note(other, hit{u, strengthSame})
		}
		for _, other := range b.lex.meanings[id].faint {
			b.note(other, hit{u, strengthFaint})
		}
	}
	return u
}

// note adds a hit of a stem, once.
func (b *secretBuilder) note(s string, h hit) {
	for i, old := range b.byStem[s] {
		if old.unit == h.unit {
			b.byStem[s][i].strength = max(old.strength, h.strength)
			return
		}
	}
	b.byStem[s] = append(b.byStem[s], h)
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
