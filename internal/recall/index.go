// Package recall finds earlier lines that answer a question, even when it is worded differently. It ranks
// lines by the question's words, their meaning, the people they refer to, the speaker, and the lines just
// before and after. The index is held in memory and is independent of the store.
//
//	x := recall.NewIndex()
//	x.Add(recall.Line{ID: 1, Session: 1, Speaker: "Mira", NPC: "mira", Text: "The mill burned down."})
//	hits := x.Rank(recall.Query{Text: "burning mill", Sees: func(int64) bool { return true }, Limit: 5})
package recall

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// Line is one spoken line.
type Line struct {
	ID, Session int64
	// Audience identifies the set of people who may know of the line.
	Audience int64
	Speaker  string
	// NPC is the ID of the speaking NPC, empty if a person spoke.
	NPC  string
	Text string
}

// Entity is a person, place or thing that lines may be about.
type Entity struct {
	names []wordKey
	about []term
}

// NewEntity returns an entity with the given name, aliases and description.
func NewEntity(name string, aliases []string, description string) *Entity {
	other := strings.Join(aliases, " ")
	about := words.Split(other + " " + description)
	german := words.German(about)
	e := &Entity{}
	for _, w := range about {
		if t := newTerm(w, german); !t.stop && len(w) > 1 && len(e.about) < maxTerms {
			e.about = append(e.about, t)
		}
	}
	for _, w := range words.Split(name + " " + other) {
		if !words.Stop(w) && len(w) > 1 {
			e.names = append(e.names, wordKey{w, false}, wordKey{w, true})
		}
	}
	return e
}

// Index holds the searchable lines in order of their IDs. It is not safe for concurrent use.
type Index struct {
	vocabulary []term
	places     map[wordKey]int32 // index into vocabulary
	lines      []line
	room       [][]float32 // reused by roomFor
}

type wordKey struct {
	word   string
	german bool
}

// term is a word prepared for comparison.
type term struct {
	word, stem string
	parts      []string // stems of the parts of a German compound
	id         wordvectors.ID
	stop       bool
	filler     bool
}

// line is a Line prepared for comparison.
type line struct {
	id, session, audience int64
	npc                   string
	terms                 []int32 // indices into vocabulary, without stop words
	pieces                []sentencevectors.Piece
	speaker               []int32
	called                int // number of leading terms that address a person: "Mira, …"
	marks                 marks
	isQuestion            bool
	vector                vector
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{places: make(map[wordKey]int32)} }

// Len returns the number of lines.
func (x *Index) Len() int { return len(x.lines) }

// Last returns the ID of the last line, or 0 if the index is empty.
func (x *Index) Last() int64 {
	if len(x.lines) == 0 {
		return 0
	}
	return x.lines[len(x.lines)-1].id
}

// Add appends a line.
func (x *Index) Add(l Line) {
	all := words.Split(l.Text)
	out := line{
		id: l.ID, session: l.Session, audience: l.Audience, npc: l.NPC,
		pieces: sentencevectors.Pieces(l.Text), marks: marksOf(all), isQuestion: endsAsking(l.Text),
	}
	out.terms = x.termsOf(all)
	out.called = len(x.termsOf(words.Split(callOf(l.Text))))
	out.speaker = x.termsOf(words.Split(l.Speaker))
	x.lines = append(x.lines, out)
}

// Drop removes the oldest lines until at most most remain.
func (x *Index) Drop(most int) {
	if over := len(x.lines) - most; over > 0 {
		x.lines = slices.Delete(x.lines, 0, over)
	}
}

// termsOf returns the distinct content words of a text.
func (x *Index) termsOf(all []string) []int32 {
	german := words.German(all)
	var out []int32
	for _, word := range all {
		if len(word) == 1 {
			continue
		}
		key := wordKey{word, german}
		i, ok := x.places[key]
		if !ok {
			i = int32(len(x.vocabulary))
			x.places[key] = i
			x.vocabulary = append(x.vocabulary, newTerm(word, german))
		}
		if !x.vocabulary[i].stop && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

func newTerm(word string, german bool) term {
	t := term{word: word, stem: words.Stem(word, german), stop: words.Stop(word), filler: german && fillers[word]}
	if !t.stop {
		t.id, t.parts = wordvectors.Load().Find(word, german)
	}
	return t
}
