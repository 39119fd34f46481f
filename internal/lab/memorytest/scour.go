package memorytest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// testForgetKeepsOtherVectors forgets so much that whole parts of the vector
// table are empty before the file is rewritten: the rest is found by meaning as
// before, also facts added later.
func testForgetKeepsOtherVectors(t *testing.T, h Harness) {
	s := h.fresh(t, Noise{})
	id := StartSession(t, s)
	said := func(speaker, user string, from, to int) (all []memory.Line) {
		for i := from; i < to; i++ {
			all = append(all, memory.Line{Session: id, Speaker: speaker, User: user, Text: fmt.Sprintf("word%d", i)})
		}
		return all
	}
	Write(t, s, said("Ada", Ada, 0, 700)...)
	stay := Write(t, s, said("Bob", Bob, 700, 1000)...)
	n, err := s.Forget(t.Context(), Ada)
	must(t, "Forget", err)
	if n != 700 {
		t.Fatalf("%d lines forgotten, want 700", n)
	}
	stay = append(stay, Write(t, s, said("Bob", Bob, 1000, 1400)...)...)
	for _, l := range stay {
		f := memory.FactOf(l)
		hits, err := s.SearchFacts(t.Context(), f.Text, "", 1)
		must(t, "SearchFacts", err)
		if len(hits) != 1 || hits[0].Text != f.Text || hits[0].Score < 0.999 {
			t.Fatalf("SearchFacts(%q) = %+v, want it", f.Text, hits)
		}
	}
}

// Noise is an embedder with unmistakable vectors.
type Noise struct{}

// Name returns a constant name.
func (Noise) Name() string { return "noise" }

// Dimensions returns eight.
func (Noise) Dimensions() int { return 8 }

// Embed returns a distinct vector for every text.
func (Noise) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = Noise{}.Vector(text)
	}
	return out, nil
}

// Vector returns the vector of a text.
func (Noise) Vector(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, 8)
	for i := range v {
		v[i] = rnd.Float32() + 0.1
	}
	return v
}
