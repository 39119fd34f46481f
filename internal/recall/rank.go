package recall

import (
	"math"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// Weights of the score, tuned on the dev questions in testdata/truth/memory.
const (
	nextShare     = 0.4   // of a word in the line before or after
	secondShare   = 0.25  // of a word two lines away
	besideShare   = 0.1   // of a neighbouring word, on top of the line's own
	meaningShare  = 0.8   // of a word with the same meaning
	linkShare     = 0.665 // of the name of a person that a word may refer to
	speakerShare  = 0.885 // of that name if it is the speaker's
	partShare     = 0.7   // of a part of a compound
	partsShare    = 0.5   // of a part shared by two compounds
	unheardRarity = 4     // of a word that no line contains
	firstPerson   = 0.3   // for the asker's own lines
	wantedKind    = 0.1   // for a number or date, if the question asks for one
	shortLine     = 0.025 // penalty for a line of very few words
	askingLine    = 0.067 // penalty for a question
	freshness     = 0.15  // for the newest line, if the question asks about the present
	nearShare     = 0.8   // of the similarity of the line as a whole
	nearNext      = 0.3   // of the same for the line before or after
	nearSecond    = 0.2   // of the same for a line two away
)

// The similarity of meaning counts from a cosine of farMeaning and counts fully from sameMeaning.
const (
	farMeaning  = 0.3
	sameMeaning = 0.9
	linkMeaning = 0.6 // likeness from which a word may refer to an entity
)

// maxTerms and maxPieces are the maximum numbers of words and pieces of a question that count.
const (
	maxTerms  = 24
	maxPieces = 32
)

// Query describes a search.
type Query struct {
	Text string
	// Vector is the embedding of the question, from the same model as those of the lines; nil if there is
	// none.
	Vector []float32
	// Asker is the NPC that "I" refers to, empty if a person asks.
	Asker string
	// Session restricts the search to one session unless it is 0.
	Session int64
	// Sees reports whether the asker may know lines that an audience heard.
	Sees func(audience int64) bool
	// Entities are those the asker knows.
	Entities []*Entity
	Limit    int
}

// Hit is a line that Rank found.
type Hit struct {
	ID int64
	// Score is the share of the question found in and around the line; about 1 means all of it.
	Score float64
	// Claimed is true if the line may be presented as an answer. Otherwise it is merely the nearest.
	Claimed bool
	// Evidence is the weight of the question's words found in and around the line. From 4 the line is
	// claimed, unless it is a question itself.
	Evidence float64
}

// questionTerm is a word of the question with its similarity to each word of the vocabulary.
type questionTerm struct {
	term
	rarity float64
	// weight is the rarity, or 0 for a filler, which counts as evidence but not towards the score.
	weight float64
	like   []float32
}

// Rank returns the best matching lines, best first. It skips lines that merely ask the same question.
func (x *Index) Rank(q Query) []Hit {
	all := words.Split(q.Text)
	terms := x.questionTerms(all)
	var seen []int
	for i := range x.lines {
		l := &x.lines[i]
		if (q.Session == 0 || l.session == q.Session) && q.Sees(l.audience) {
			seen = append(seen, i)
		}
	}
	if len(terms) == 0 && q.Vector == nil || len(seen) == 0 {
		return nil
	}
	x.link(terms, q.Entities)
	own := x.match(terms, seen)
	most := 1e-6
	for _, t := range terms {
		most += t.weight
	}
	b := bonus{first: q.Asker != "" && isFirstPerson(all), expectedMarks: expectedMarks(all), fresh: asksForNow(all), asker: q.Asker, lines: len(seen)}
	bare := onlyWords(all)
	near := x.near(q.Vector, seen)
	var hits []candidate // best first
	for k, i := range seen {
		l := &x.lines[i]
		score := 0.0
		for j := range terms {
			score += terms[j].weight * x.widened(own, seen, k, j)
		}
		if score == 0 && near[k] <= 0 || !bare && x.repeats(l, terms) {
			continue
		}
		hits = insert(hits, candidate{k, score/most + nearShare*x.nearby(near, seen, k) + b.of(l, k)}, max(q.Limit, piecedLines))
	}
	x.addPieces(hits, q.Text, seen)
	hits = hits[:min(len(hits), max(0, q.Limit))]
	out := make([]Hit, len(hits))
	for n := range out {
		h := hits[n]
		evidence := x.evidence(own, seen, h.place, terms)
		out[n] = Hit{x.lines[seen[h.place]].id, h.score, x.claimed(own, seen, h.place, evidence, bare), evidence}
	}
	return answersFirst(out, func(h int) bool { return x.lines[seen[hits[h].place]].isQuestion })
}

// answersFirst moves the first claimed hit to the front if the current first hit is a question.
func answersFirst(hits []Hit, asks func(int) bool) []Hit {
	if len(hits) == 0 || !asks(0) {
		return hits
	}
	if n := slices.IndexFunc(hits, func(h Hit) bool { return h.Claimed }); n > 0 {
		answer := hits[n]
		copy(hits[1:n+1], hits[:n])
		hits[0] = answer
	}
	return hits
}

// candidate is a line, by its position among the visible ones, with its score.
type candidate struct {
	place int
	score float64
}

// insert adds a candidate to the sorted list of at most most candidates. On a tie the later line comes first.
func insert(best []candidate, c candidate, most int) []candidate {
	if len(best) >= most && (most <= 0 || c.score < best[most-1].score) {
		return best
	}
	i, _ := slices.BinarySearchFunc(best, c, candidate.compare)
	best = slices.Insert(best, i, c)
	return best[:min(len(best), most)]
}

// questionTerms builds the terms of a question.
func (x *Index) questionTerms(all []string) []questionTerm {
	var out []questionTerm
	german := words.German(all)
	for _, word := range all {
		t := newTerm(word, german)
		if t.stop || len(word) == 1 || slices.ContainsFunc(out, func(o questionTerm) bool { return o.stem == t.stem }) {
			continue
		}
		a := questionTerm{term: t, like: make([]float32, len(x.vocabulary))}
		for i := range x.vocabulary {
			a.like[i] = float32(likeness(&a.term, &x.vocabulary[i]))
		}
		if out = append(out, a); len(out) == maxTerms {
			break
		}
	}
	return out
}

// likeness returns the similarity of two words, from 0 to 1.
func likeness(a, b *term) float64 {
	switch {
	case b.stop:
		return 0
	case a.stem == b.stem:
		return 1
	case slices.Contains(a.parts, b.stem), slices.Contains(b.parts, a.stem):
		return partShare
	case len(a.stem) > 3 && len(b.stem) > 3 && len(a.word) > 4 && len(b.word) > 4 &&
		(strings.HasPrefix(a.word, b.stem) || strings.HasPrefix(b.word, a.stem)):
		return partShare
	}
	for _, p := range a.parts {
		if slices.Contains(b.parts, p) {
			return partsShare
		}
	}
	if a.id == 0 || b.id == 0 {
		return 0
	}
	c := wordvectors.Load().Similar(a.id, b.id)
	return meaningShare * max(0, min(1, (c-farMeaning)/(sameMeaning-farMeaning)))
}

// link makes a word that describes an entity match the entity's name, too.
func (x *Index) link(terms []questionTerm, entities []*Entity) {
	for _, e := range entities {
		for j := range terms {
			best := 0.0
			for i := range e.about {
				best = max(best, likeness(&terms[j].term, &e.about[i]))
			}
			if best < linkMeaning {
				continue
			}
			for _, key := range e.names {
				if n, ok := x.places[key]; ok { // absent if no line contains the name
					terms[j].like[n] = max(terms[j].like[n], float32(best*linkShare))
				}
			}
		}
	}
}

// match returns how well each line matches each word of the question, and sets the rarity and weight of the
// words.
func (x *Index) match(terms []questionTerm, seen []int) [][]float32 {
	own := make([][]float32, len(terms))
	for j := range terms {
		t := &terms[j]
		own[j] = make([]float32, len(seen))
		heard := 0.0
		for k, i := range seen {
			best := float32(0)
			for _, w := range x.lines[i].terms {
				best = max(best, t.like[w])
			}
			if best == 1 { // the word itself or an inflected form
				heard++
			}
			for _, w := range x.lines[i].speaker {
				like := t.like[w]
				if like < 1 {
					like *= speakerShare / linkShare
				}
				best = max(best, like)
			}
			own[j][k] = best
		}
		t.rarity = math.Log1p((float64(len(seen)) - heard + 0.5) / (heard + 0.5))
		if t.id != 0 {
			if heard == 0 {
				t.rarity = unheardRarity
			}
			t.rarity *= math.Pow(wordvectors.Load().Weight(t.id), 4.0/3)
		}
		if !t.filler {
			t.weight = t.rarity
		}
	}
	return own
}

// widened returns how well a line and its neighbours in the same session match a word.
func (x *Index) widened(own [][]float32, seen []int, k, j int) float64 {
	beside, of, session := float32(0), own[j], x.lines[seen[k]].session
	for n := max(0, k-2); n <= min(k+2, len(seen)-1); n++ {
		if n == k || of[n] == 0 || x.lines[seen[n]].session != session {
			continue
		}
		share := float32(nextShare)
		if n == k-2 || n == k+2 {
			share = secondShare
		}
		beside = max(beside, share*of[n])
	}
	return max(float64(of[k]), float64(beside)) + besideShare*float64(beside)
}

// repeats reports whether a line asks the same question, regardless of whom it addresses.
func (x *Index) repeats(l *line, terms []questionTerm) bool {
	said := l.terms[l.called:]
	if !l.isQuestion || len(said) == 0 {
		return false
	}
	same := 0
	for _, w := range said {
		if slices.ContainsFunc(terms, func(t questionTerm) bool { return t.stem == x.vocabulary[w].stem }) {
			same++
		}
	}
	return 4*same >= 3*max(len(said), len(terms))
}

// bonus holds the criteria of the score other than the words.
type bonus struct {
	first, fresh  bool
	expectedMarks marks
	asker         string
	lines         int
}

func (b *bonus) of(l *line, k int) float64 {
	sum := 0.0
	if b.first && l.npc == b.asker {
		sum += firstPerson
	}
	if b.expectedMarks&l.marks != 0 {
		sum += wantedKind
	}
	if b.fresh {
		sum += freshness * float64(k) / float64(b.lines)
	}
	if len(l.terms) < 4 {
		sum -= shortLine
	}
	if l.isQuestion {
		sum -= askingLine
	}
	return sum
}
