// Package recall finds what was said, asked in other words: by the words of a
// question, what they mean, who is meant by them, who spoke, and what was said just
// before and after. It keeps what lines are made of in memory and knows nothing of
// where they are stored.
package recall

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// Line is something that was said.
type Line struct {
	ID, Session int64
	// Audience stands for who may know of it.
	Audience int64
	Speaker  string
	// NPC is the speaking NPC's id, empty for people.
	NPC  string
	Text string
}

// Entity is somebody or something lines may be about.
type Entity struct {
	names []wordKey
	about []term
}

// NewEntity returns an entity of which other names and a description are known.
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

// Index is the lines that are searched, by the order of their ids. It is for one
// caller at a time.
type Index struct {
	vocabulary []term
	places     map[wordKey]int32 // in vocabulary
	lines      []line
	room       [][]float32 // see roomFor
}

type wordKey struct {
	word   string
	german bool
}

// term is a word as it is compared.
type term struct {
	word, stem string
	parts      []string // stems of what a German compound is made of
	id         wordvectors.ID
	stop       bool
	filler     bool
}

// line is a Line cut into what is compared.
type line struct {
	id, session, audience int64
	npc                   string
	terms                 []int32 // in vocabulary, without stop words
	pieces                []sentencevectors.Piece
	speaker               []int32
	called                int // so many of terms call somebody: "Mira, …"
	marks                 marks
	asks                  bool
	vector                vector
}

// NewIndex returns an index without lines.
func NewIndex() *Index { return &Index{places: make(map[wordKey]int32)} }

// Len is how many lines there are.
func (x *Index) Len() int { return len(x.lines) }

// Last is the id of the last line, 0 without any.
func (x *Index) Last() int64 {
	if len(x.lines) == 0 {
		return 0
	}
	return x.lines[len(x.lines)-1].id
}

// Add adds a line after all others.
func (x *Index) Add(l Line) {
	all := words.Split(l.Text)
	out := line{
		id: l.ID, session: l.Session, audience: l.Audience, npc: l.NPC,
		pieces: sentencevectors.Pieces(l.Text), marks: marksOf(all), asks: endsAsking(l.Text),
	}
	out.terms = x.termsOf(all)
	out.called = len(x.termsOf(words.Split(callOf(l.Text))))
	out.speaker = x.termsOf(words.Split(l.Speaker))
	x.lines = append(x.lines, out)
}

// Drop removes the oldest lines until there are most.
func (x *Index) Drop(most int) {
	if over := len(x.lines) - most; over > 0 {
		x.lines = slices.Delete(x.lines, 0, over)
	}
}

// termsOf returns the different words of a text that mean something.
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
