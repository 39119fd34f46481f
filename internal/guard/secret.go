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
	byLight  map[string][]hit // function words that point to a unit
	backward map[string]int   // words read from their ends, to their units
}

// fact is one statement: a secret, or a clause of it.
type fact struct {
	text     string // the secret as the card has it
	from, to int    // its units
	total    float32
	strong   int  // units that weigh something
	identity bool // it says who the NPC is: "She is the lost heir"
	deed     bool // it says what was done
	first    int  // how many of its units begin it, of which one has to be told; 0 if any will do
	heart    int  // its units from here on say what something is; from if it says no such thing
}

// unit is a word of a fact that tells something.
type unit struct {
	fact   int
	weight float32
	deed   bool
	act    bool  // it is one of the lexicon's deeds
	done   bool  // and said as one, not as a thing or a person
	at     int   // its word in the secret
	where  place // how it stands to another, as in "under the bridge"
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
	meant  map[int]bool    // their meanings
	own    wordSet         // the NPC's names
}

// newSecrets prepares secrets of an NPC; public is what else its card says.
func newSecrets(texts []string, public string, own wordSet) *secrets {
	if len(texts) == 0 {
		return nil
	}
	b := secretBuilder{
		secrets: &secrets{byStem: map[string][]hit{}, byNumber: map[int][]hit{}, byLight: map[string][]hit{}, backward: map[string]int{}},
		lex:     sharedLexicon(), public: map[string]bool{}, meant: map[int]bool{}, own: own,
	}
	for _, w := range readWords(public, nil).words {
		b.public[w.stem] = true
		for _, id := range b.lex.byStem[w.stem] {
			b.meant[id] = true
		}
	}
	for _, text := range texts {
		b.addSecret(text)
	}
	return b.secrets
}

// addSecret adds the clauses of a secret as facts. One that tells
// nothing by itself is no fact of its own.
func (b *secretBuilder) addSecret(text string) {
	s := readWords(text, nil)
	from := 0
	for i := range s.words {
		if t := s.words[i].text; (t == "and" || t == "und") && b.clause(s.words[from:i]) && b.clause(s.words[i+1:]) {
			b.addFact(text, s, from, i)
			from = i + 1
		}
	}
	b.addFact(text, s, from, len(s.words))
}

// clause reports whether words tell something without what stands before them: two of
// them, one of which weighs something.
func (b *secretBuilder) clause(words []word) bool {
	tell, strong := 0, 0
	for _, w := range words {
		if functionWords[w.text] {
			continue
		}
		tell++
		if b.weigh(w.stem) > weightLight {
			strong++
		}
	}
	return tell >= 2 && strong >= 1
}

// weigh is what a stem weighs by its meanings: what the lightest of them does.
func (b *secretBuilder) weigh(s string) float32 {
	least := float32(weightName)
	for i, id := range b.lex.byStem[s] {
		if w := b.lex.meanings[id].weight; i == 0 || w < least {
			least = w
		}
	}
	return least
}

func (b *secretBuilder) addFact(text string, s sentence, from, to int) {
	f := fact{text: text, from: len(b.units), identity: identity(s.words[from:to])}
	f.heart = f.from
	for i := from; i < to; i++ {
		if copulas[s.at(i)] && len(b.units) > f.from && f.heart == f.from {
			f.heart = len(b.units)
		}
		value, size := s.numberAt(i)
		w := s.words[i]
		switch {
		case size > 0 && !articleNumber(w.text):
			u := b.addUnit(weightSimple, false)
			b.byNumber[value] = append(b.byNumber[value], hit{u, strengthSame})
			i += size - 1
			b.units[u].at = i
		case !functionWords[w.text] && !b.own[w.stem] && !b.own[w.text]:
			u := len(b.units)
			b.addWord(w, s.raw[w.start:w.end])
			for ; u < len(b.units); u++ {
				b.units[u].where, b.units[u].at = s.placeBefore(i), i
			}
		}
	}
	f.to = len(b.units)
	joined := to
	for i := to - 1; i > from; i-- {
		if t := s.at(i); t == "and" || t == "und" {
			joined = i
		}
	}
	for _, u := range b.units[f.from:f.to] {
		f.total += u.weight
		f.deed = f.deed || u.deed && u.at < joined
		if u.weight > weightLight {
			f.strong++
		}
	}
	if f.identity || f.heart > f.from {
		f.first = 0
	} else if to-from > 2 && pronouns[s.at(from)] && b.isDone(s.words[from+1].stem) && b.weigh(s.words[from+1].stem) < weightDeed {
		f.first = 2
	}
	if f.heart == f.to {
		f.heart = f.from
	}
	if f.strong > 0 {
		b.facts = append(b.facts, f)
	}
}

// isDone reports whether a stem is of the lexicon's deeds, and nothing else.
func (b *secretBuilder) isDone(s string) bool {
	ids := b.lex.byStem[s]
	for _, id := range ids {
		if id >= b.lex.deeds {
			return false
		}
	}
	return len(ids) > 0
}

var pronouns = newWordSet(`he she they it er sie es i we`)

// copulas stand between what a fact is about and what it says of that.
var copulas = newWordSet(`is are was were ist sind war waren lies lie liegt liegen lag lagen sits sitzt steht`)

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
func (b *secretBuilder) addWord(w word, raw string) {
	if _, known := b.lex.byStem[w.stem]; !known {
		if first, second, ok := b.lex.split(w.text); ok {
			u, v := b.addStem(first, 0.5, false), b.addStem(second, 0.5, false)
			b.backward[reversed(w.text)] = u
			b.note(w.stem, hit{u, strengthSame})
			b.note(w.stem, hit{v, strengthSame})
			return
		}
	}
	done := b.isDone(w.stem)
	for u := len(b.units) - 1; u >= 0 && b.units[u].fact == len(b.facts) && done; u-- {
		done = !b.units[u].done // what is told first is what was done
	}
	agent := strings.HasSuffix(w.text, "er") || strings.HasSuffix(w.text, "ers") || unicode.IsUpper([]rune(raw)[0])
	u := b.addStem(w.stem, 1, !agent && done)
	b.units[u].act = b.isDone(w.stem)
	b.units[u].done = b.units[u].act && !agent
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
	ids := b.lex.byStem[s]
	weight, deed := b.weigh(s), verb && len(ids) > 0
	for _, id := range ids {
		deed = deed && b.lex.meanings[id].deed
	}
	if weight == weightDeed && !deed {
		weight = weightThing
	}
	public := b.public[s]
	for _, id := range ids {
		public = public || b.meant[id]
	}
	if public {
		weight, deed = weight/2, false
	}
	u := b.addUnit(weight*share, deed)
	b.note(s, hit{u, strengthSame})
	if len(ids) == 0 {
		for i := 4; i <= len(s)-4; i++ {
			for _, part := range []string{stem(s[:i]), s[i:]} {
				if len(b.lex.byStem[part]) > 0 {
					b.note(part, hit{u, strengthPart})
				}
			}
		}
	}
	if len(ids) == 0 && len(s) <= 4 {
		for _, ending := range []string{"s", "n", "en", "er", "es"} {
			b.note(stem(s+ending), hit{u, strengthSame})
		}
	}
	for _, id := range ids {
		if b.lex.meanings[id].weight == weightLight && weight > weightLight {
			continue
		}
		for _, other := range b.lex.meanings[id].words {
			b.note(other, hit{u, strengthSame})
		}
		for _, other := range b.lex.meanings[id].faint {
			b.note(other, hit{u, strengthFaint})
		}
		for _, other := range b.lex.meanings[id].light {
			b.byLight[other] = append(b.byLight[other], hit{u, strengthFaint})
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

// place is how one thing stands to another.
type place int

const (
	nowhere place = iota
	inside
	below
	behind
	outOf
	near
)

var places = map[string]place{
	"in": inside, "im": inside, "into": inside, "inside": inside, "ins": inside, "within": inside, "drin": inside,
	"under": below, "underneath": below, "beneath": below, "below": below, "unter": below, "unterm": below,
	"behind": behind, "hinter": behind, "hinterm": behind,
	"from": outOf, "aus": outOf, "vom": outOf, "von": outOf, "off": outOf,
	"at": near, "by": near, "near": near, "beside": near, "am": near, "an": near, "bei": near, "beim": near, "neben": near,
}

// placeBefore is the place that a word is said to be: by one of the three words before it.
func (s *sentence) placeBefore(i int) place {
	for j := i - 1; j >= max(0, i-3); j-- {
		if p := places[s.at(j)]; p != nowhere {
			return p
		}
	}
	return nowhere
}

// spread is over how many words of a sentence it speaks of what a fact says of something.
func (t *telling) spread(f *fact) int {
	first, last := -1, -1
	for u := f.heart; u < f.to; u++ {
		if p := t.place[u]; p >= 0 {
			if first < 0 || p < first {
				first = p
			}
			last = max(last, p)
		}
	}
	return last - first
}
