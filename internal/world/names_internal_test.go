package world

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// flat returns the entries by word.
func (n *names) flat() map[string][]string {
	out := map[string][]string{}
	for _, part := range n.parts {
		for w, list := range part {
			ids := []string{}
			for _, e := range list {
				ids = append(ids, fmt.Sprint(e.id, e.keys, e.known))
			}
			out[w] = ids
		}
	}
	return out
}

// TestNamesKeepNothing changes names repeatedly: the index equals a new one of the same
// entities, and an older index stays unchanged.
func TestNamesKeepNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprint("w", rnd.IntN(20)) }
	all := map[string]*version{}
	n := newNames()
	for range 200 {
		after := map[string]*version{}
		for range 1 + rnd.IntN(8) {
			id := fmt.Sprint("e", rnd.IntN(30))
			if after[id] = nil; rnd.IntN(3) > 0 {
				after[id] = &version{entity: memory.Entity{ID: id, Name: word() + " " + word(), Aliases: []string{word()}, Visible: []string{word()}}}
			}
		}
		before, was := n, n.flat()
		n = n.change(all, after)
		if diff := cmp.Diff(was, before.flat()); diff != "" {
			t.Fatalf("names that others may be reading changed (-before +after):\n%s", diff)
		}
		for id, v := range after {
			if all[id] = v; v == nil {
				delete(all, id)
			}
		}
		if diff := cmp.Diff((&names{seed: n.seed, counts: n.counts}).change(nil, all).flat(), n.flat()); diff != "" {
			t.Fatalf("names (-of these entities +after all changes):\n%s", diff)
		}
	}
}
