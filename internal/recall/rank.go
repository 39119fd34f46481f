package recall

import (
	"math"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// What counts how much, found by trying on the dev questions of
// testdata/truth/memory.
const (
	nextShare     = 0.4   // of a word said in the line before or after
	secondShare   = 0.25  // of one said two lines away
	besideShare   = 0.1   // of the same, on top of what the line itself says
	meaningShare  = 0.8   // of a word of the same meaning
	linkShare     = 0.665 // of the name of whom a word may mean
	speakerShare  = 0.885 // of the same if it is who speaks
	partShare     = 0.7   // of a part of a compound
	partsShare    = 0.5   // of a part that two compounds share
	unheardRarity = 4     // of a word that nobody said
	firstPerson   = 0.3   // for what who asks has said
	wantedKind    = 0.1   // for a number, if one is asked for
	shortLine     = 0.025 // against a line of hardly any words
	askingLine    = 0.067 // against a question
	freshness     = 0.15  // for the newest line, if it is asked how it is now
	nearShare     = 0.8   // of how near a line is as a whole
	nearNext      = 0.3   // of the same of the line before or after
	nearSecond    = 0.2   // of one two lines away
)

// A meaning counts from a cosine of farMeaning on, and fully from sameMeaning on.
const (
	farMeaning  = 0.3
	sameMeaning = 0.9
	linkMeaning = 0.6 // likeness from which a word may mean somebody
)

// maxTerms and maxPieces bound how many words of a question count, and pieces of them.
const (
	maxTerms  = 24
	maxPieces = 32
)

// Query is what is looked for.
type Query struct {
	Text string
	// Vector is what the question means as a whole, of the kind that lines have; nil if
	// that is not known.
	Vector []float32
	// Asker is the NPC whose "I" it is, empty for people.
	Asker string
	// Session restricts it to one session unless it is 0.
	Session int64
	// Sees reports whether who asks may know of what an audience heard.
	Sees func(audience int64) bool
	// Entities are those who asks knows of.
	Entities []*Entity
	Limit    int
}

// Hit is a line that was found.
type Hit struct {
	ID int64
	// Score says how much of the question is in the line and around it: about 1 is all
	// of it.
	Score float64
	// Claimed says that so much of the question is there that the line may be said to
	// answer it. Else it is merely the nearest.
	Claimed bool
	// Evidence is what the words of the question that are in the line and around it weigh; from 4 on
	// the line is claimed, unless it asks something itself.
	Evidence float64
}

// asked is a word of the question, and how much each word of the vocabulary is like it.
type asked struct {
	term
	rarity float64
	// weight is the rarity, or 0 for a word that says nothing of what a question is about: it is
	// evidence, and no more.
	weight float64
	like   []float32
}

// Rank returns the lines that answer the question best. The question itself is no
// answer, nor is whoever asked the same.
func (x *Index) Rank(q Query) []Hit {
	all := words.Split(q.Text)
	terms := x.ask(all)
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
	b := bonus{first: q.Asker != "" && isFirstPerson(all), wanted: wanted(all), fresh: asksForNow(all), asker: q.Asker, lines: len(seen)}
	bare := onlyWords(all)
	near := x.near(q.Vector, seen)
	var hits []candidate // the best, the best first
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
	return answersFirst(out, func(h int) bool { return x.lines[seen[hits[h].place]].asks })
}

// answersFirst puts the first hit that may be said to answer before the question that somebody asked, if
// such a one is first.
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

// candidate is a line by its place among those seen.
type candidate struct {
	place int
	score float64
}

// insert puts a line where it belongs among the best, of which there are most at most.
// Of equal ones the later comes first.
func insert(best []candidate, c candidate, most int) []candidate {
	if len(best) >= most && (most <= 0 || c.score < best[most-1].score) {
		return best
	}
	i, _ := slices.BinarySearchFunc(best, c, candidate.compare)
	best = slices.Insert(best, i, c)
	return best[:min(len(best), most)]
}

// ask makes terms of a question.
func (x *Index) ask(all []string) []asked {
	var out []asked
	german := words.German(all)
	for _, word := range all {
		t := newTerm(word, german)
		if t.stop || len(word) == 1 || slices.ContainsFunc(out, func(o asked) bool { return o.stem == t.stem }) {
			continue
		}
		a := asked{term: t, like: make([]float32, len(x.vocabulary))}
		for i := range x.vocabulary {
			a.like[i] = float32(likeness(&a.term, &x.vocabulary[i]))
		}
		if out = append(out, a); len(out) == maxTerms {
			break
		}
	}
	return out
}

// likeness is how much of one word another is, 0 to 1.
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

// link has a word of the question that is about somebody stand for the name, too.
func (x *Index) link(terms []asked, entities []*Entity) {
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
				if n, ok := x.places[key]; ok { // else nobody said it
					terms[j].like[n] = max(terms[j].like[n], float32(best*linkShare))
				}
			}
		}
	}
}

// match tells how much of each line is each word of the question, and sets how rare
// these are.
func (x *Index) match(terms []asked, seen []int) [][]float32 {
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
			if best == 1 { // it has the word itself, or a form of it
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

// widened is how much of a word a line is, or those around it in the same session.
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

// repeats reports whether a line asks the very question, whomever it calls. Who looks for mere
// words asks nothing.
func (x *Index) repeats(l *line, terms []asked) bool {
	said := l.terms[l.called:]
	if !l.asks || len(said) == 0 {
		return false
	}
	same := 0
	for _, w := range said {
		if slices.ContainsFunc(terms, func(t asked) bool { return t.stem == x.vocabulary[w].stem }) {
			same++
		}
	}
	return 4*same >= 3*max(len(said), len(terms))
}

// bonus is what counts beside the words.
type bonus struct {
	first, fresh bool
	wanted       marks
	asker        string
	lines        int
}

func (b *bonus) of(l *line, k int) float64 {
	sum := 0.0
	if b.first && l.npc == b.asker {
		sum += firstPerson
	}
	if b.wanted&l.marks != 0 {
		sum += wantedKind
	}
	if b.fresh {
		sum += freshness * float64(k) / float64(b.lines)
	}
	if len(l.terms) < 4 {
		sum -= shortLine
	}
	if l.asks {
		sum -= askingLine
	}
	return sum
}
