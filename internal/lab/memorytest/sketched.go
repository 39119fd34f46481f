package memorytest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// byChance is an embedder with a random direction for each text.
type byChance struct{}

func (byChance) Name() string    { return "by-chance" }
func (byChance) Dimensions() int { return 32 }
func (byChance) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New64a()
		h.Write([]byte(text))
		rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
		out[i] = make([]float32, 32)
		for j := range out[i] {
			out[i][j] = float32(rnd.NormFloat64())
		}
	}
	return out, nil
}

// VeryManyFacts finds facts by a sketch of their vectors, and checks that they
// are the same as by all vectors, including newer facts, without deleted ones,
// and including the few that a viewer may see among very many others.
func VeryManyFacts(t *testing.T, h Harness) {
	const many = 9000
	s := h.fresh(t, byChance{})
	facts := make([]memory.Fact, many)
	for i := range facts {
		facts[i] = memory.Fact{Source: "notes", Text: fmt.Sprint("fact ", i)}
		if i%500 != 0 {
			facts[i].Visible = []string{"rook"}
		}
	}
	must(t, "Remember", s.Remember(t.Context(), facts...))
	find := func(text, viewer string) []int64 {
		t.Helper()
		hits, err := s.SearchFacts(t.Context(), text, viewer, 10)
		must(t, "SearchFacts", err)
		ids := make([]int64, len(hits))
		for i, h := range hits {
			ids[i] = h.ID
		}
		return ids
	}
	questions := []string{"fact 77", "fact 8000", "who", "where", "when"}
	before := map[string][]int64{}
	for _, q := range questions {
		before[q], before["gam "+q] = find(q, ""), find(q, "gam")
	}
	_, err := s.EmbedFacts(t.Context()) // when idle it builds the sketch
	must(t, "EmbedFacts", err)
	same, all := 0, 0
	for _, q := range questions {
		for key, got := range map[string][]int64{q: find(q, ""), "gam " + q: find(q, "gam")} {
			if len(got) != len(before[key]) || got[0] != before[key][0] {
				t.Errorf("%q finds %v by a sketch, %v by all vectors", key, got, before[key])
			}
			for i, id := range got {
				if all++; i < len(before[key]) && before[key][i] == id {
					same++
				}
			}
		}
	}
	if 20*same < 19*all {
		t.Errorf("%d of %d places are the same by a sketch and by all vectors", same, all)
	}
	must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "notes", Text: "a new fact"}))
	hits, err := s.SearchFacts(t.Context(), "a new fact", "gam", 1)
	must(t, "SearchFacts", err)
	if len(hits) != 1 || hits[0].Text != "a new fact" {
		t.Errorf("found %+v, want what was remembered since", hits)
	}
	must(t, "Unremember", s.Unremember(t.Context(), "notes", "a new fact", "fact 77"))
	for _, q := range []string{"a new fact", "fact 77"} {
		hits, err := s.SearchFacts(t.Context(), q, "", 3)
		must(t, "SearchFacts", err)
		for _, h := range hits {
			if h.Text == q {
				t.Errorf("%q is found after it was deleted", q)
			}
		}
		if len(hits) != 3 {
			t.Errorf("%d facts beside a deleted one, want 3", len(hits))
		}
	}
}
