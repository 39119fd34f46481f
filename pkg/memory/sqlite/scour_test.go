package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// TestForgetKeepsOtherVectors forgets so much that whole parts of the vector
// table are empty before the file is written anew: what stays is found by its
// meaning as before, also what is added then.
func TestForgetKeepsOtherVectors(t *testing.T) {
	s := open(t, filepath.Join(quickDir(t), "a.db"), &sqlite.Options{Embedder: noise{}})
	id := startSession(t, s)
	said := func(speaker, user string, from, to int) (all []memory.Line) {
		for i := from; i < to; i++ {
			all = append(all, memory.Line{Session: id, Speaker: speaker, User: user, Text: fmt.Sprintf("word%d", i)})
		}
		return all
	}
	write(t, s, said("Ada", ada, 0, 700)...)
	stay := write(t, s, said("Bob", bob, 700, 1000)...)
	n, err := s.Forget(t.Context(), ada)
	must(t, "Forget", err)
	if n != 700 {
		t.Fatalf("%d lines forgotten, want 700", n)
	}
	stay = append(stay, write(t, s, said("Bob", bob, 1000, 1400)...)...)
	for _, l := range stay {
		f := memory.FactOf(l)
		hits, err := s.SearchFacts(t.Context(), f.Text, "", 1)
		must(t, "SearchFacts", err)
		if len(hits) != 1 || hits[0].Text != f.Text || hits[0].Score < 0.999 {
			t.Fatalf("SearchFacts(%q) = %+v, want it", f.Text, hits)
		}
	}
}
