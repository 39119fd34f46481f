package guard

import (
	"slices"
)

// secrets holds the secrets in a form for comparison word by word. Paraphrases are found by
// [likeness]. It is immutable.
type secrets struct {
	facts    []fact
	units    []unit
	byStem   map[string][]hit
	byNumber map[int][]hit
	backward map[string]int // reversed words, to their units
}

// fact is one statement: a secret, or a clause of one.
type fact struct {
	text     string // the secret as written on the card
	from, to int    // range of its units
	total    float32
	strong   int  // number of units that are significant
	identity bool // it states who the NPC is: "She is the lost heir"
	heart    int  // units from here on are the predicate; equal to from if there is no subject
}

// unit is a significant word of a fact.
type unit struct {
	fact   int
	weight float32
	at     int   // index of its word in the secret
	where  place // its relation to another thing, as in "under the bridge"
}

// hit is a unit that a word matches, with its certainty.
type hit struct {
	unit     int
	strength float32
}

// Certainties of a hit.
const (
	strengthSame  = 1
	strengthFaint = 0.5
	strengthPart  = 0.5 // part of a compound
)

// Weights of a secret's words.
const (
	weightLight  = 0.35
	weightSimple = 0.7
	weightThing  = 1
	weightName   = 1.2
)

// secretBuilder builds secrets.
type secretBuilder struct {
	*secrets
	public map[string]bool // stems of what everyone may know about the NPC
	own    wordSet         // the NPC's names
}

// newSecrets prepares the secrets of an NPC. public is the rest of its card.
func newSecrets(texts []string, public string, own wordSet) *secrets {
	if len(texts) == 0 {
		return nil
	}
	b := secretBuilder{
		secrets: &secrets{byStem: map[string][]hit{}, byNumber: map[int][]hit{}, backward: map[string]int{}},
		public:  map[string]bool{}, own: own,
	}
	for _, w := range readWords(public, nil).words {
		b.public[w.stem] = true
	}
	for _, text := range texts {
		b.addSecret(text)
	}
	return b.secrets
}

// addSecret adds the clauses of a secret as facts. A clause that means nothing alone does not become a fact
// of its own.
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

// clause reports whether words have a meaning of their own: there are at least two content words, one of them
// significant.
func (b *secretBuilder) clause(words []word) bool {
	tell, strong := 0, 0
	for _, w := range words {
		if functionWords[w.text] {
			continue
		}
		tell++
		if stemWeight(w.stem) > weightLight {
			strong++
		}
	}
	return tell >= 2 && strong >= 1
}

// stemWeight returns the weight of a stem, which is low for common words.
func stemWeight(s string) float32 {
	if lightStems[s] {
		return weightLight
	}
	return weightName
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
			b.byNumber[value] = append(b.byNumber[value], hit{b.addUnit(weightSimple, nowhere, i), strengthSame})
			i += size - 1
		case !functionWords[w.text] && !b.own[w.stem] && !b.own[w.text]:
			b.addWord(w, s.placeBefore(i), i)
		}
	}
	f.to = len(b.units)
	for _, u := range b.units[f.from:f.to] {
		f.total += u.weight
		if u.weight > weightLight {
			f.strong++
		}
	}
	if f.heart == f.to {
		f.heart = f.from
	}
	if f.strong > 0 {
		b.facts = append(b.facts, f)
	}
}

// copulas are verbs between a subject and a statement about it.
var copulas = newWordSet(`is are was were ist sind war waren lies lie liegt liegen lag lagen sits sitzt steht`)

// identity reports whether a clause begins like a statement of who someone is.
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

func (b *secretBuilder) addUnit(weight float32, where place, at int) int {
	b.units = append(b.units, unit{fact: len(b.facts), weight: weight, where: where, at: at})
	return len(b.units) - 1
}

// addWord adds a unit for a word.
func (b *secretBuilder) addWord(w word, where place, at int) {
	weight := stemWeight(w.stem)
	if b.public[w.stem] {
		weight /= 2
	}
	u := b.addUnit(weight, where, at)
	b.addHit(w.stem, hit{u, strengthSame})
	if len(w.text) >= 4 {
		b.backward[reversed(w.text)] = u
	}
	if len(w.stem) <= 4 {
		for _, ending := range []string{"s", "n", "en", "er", "es"} {
			b.addHit(stem(w.stem+ending), hit{u, strengthSame})
		}
	}
}

// addHit adds a hit for a stem, once.
func (b *secretBuilder) addHit(s string, h hit) {
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

// place is the position of one thing relative to another.
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

// placeBefore returns the position that one of the three words before a word gives it.
func (s *sentence) placeBefore(i int) place {
	for j := i - 1; j >= max(0, i-3); j-- {
		if p := places[s.at(j)]; p != nowhere {
			return p
		}
	}
	return nowhere
}

// spread returns the distance in words between the first and last match of a fact's predicate.
func (t *disclosure) spread(f *fact) int {
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

// lightStems are stems of words too common to reveal much of a secret alone.
var lightStems = func() wordSet {
	set := wordSet{}
	for w := range newWordSet(`
	accept accepted alt alte alten alter altes angenommen arbeit arbeiten aufbewahrt bad behalten behält bekam bekommen bekommt benutzen benutzt bezahlen
	bezahlt bezahlte big brauchen braucht bring bringen brings bringt brought came carries carry come comes coming dachte denken denkt did ding dinge do
	does done durch durchkommen erzählen erzählt erzählte fand find finden findet finding finds folk found frau frauen gab gave gearbeitet geben gebracht
	gefunden gegangen gegeben gehalten gehen geht gekommen gelassen gelegen gelegt gelesen gemacht genommen gesagt geschickt gesehen get getan gets
	gewusst gibt ging give given gives go goes going gone good got great groß große großen großer gut gute guten guter halten held hielt hold holds hält
	kam kassieren kassiert keep keeping keeps kennen kennt kept klein kleine kleinen kleiner knew know known knows kommen kommt kriegen kriegt kriegte
	lady lag laid lang lange langen large las lassen lay laying leben lebt lebte legen legt lesen let lets letting leute liegen liegt lies liess liest
	ließ little live lived lives long läge lägen lässt mach machen macht machte made make makes making mal menschen nahm need needed needs nehmen neu neue
	neuen neuer neues new newer nimmt old older paid pay paying payment pays people place placed pocket pocketed put puts read reading reads sache sachen
	sagen sagt sagte sah said sat saw say says saß schicken schickt schlecht schlechte see seen sees sehen send sends sent sieht sit sits sitzen sitzt
	small stand stands stehen steht stood take taken takes taking tat tell tells thing things think thinks thought through time told took tragen trägt tun
	tut use used uses vorlas vorlesen vorliest walk walked walking walks want wanted wants way wear wears weg wege weiß went will wissen wohnen wohnt
	wollen wollte woman women work worked works wusste zahlen zahlt zahlte zeit zeiten`) {
		set[stem(w)] = true
	}
	return set
}()
