package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestOrder compares an order with a full sort while entities come, change and go, also more at
// once than it caches. Lists it returned earlier must not change.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all, o := map[string]*version{}, order{}
	for round := range 200 {
		changes := random.IntN(20)
		if round%50 == 49 {
			changes = 3 * maxStale
		}
		given := o.byID(all)
		before := slices.Clone(given)
		for range changes {
			id := fmt.Sprint(random.IntN(2 * maxStale))
			if random.IntN(3) == 0 {
				delete(all, id)
			} else {
				all[id] = &version{entity: memory.Entity{ID: id}}
			}
			o.markChanged(id)
		}
		if !slices.Equal(given, before) {
			t.Fatal("a list that was given out has changed")
		}
		got := o.byID(all)
		if len(got) != len(all) || !slices.IsSortedFunc(got, compareIDs) {
			t.Fatalf("round %d: %d of %d are listed, in order: %t", round, len(got), len(all), slices.IsSortedFunc(got, compareIDs))
		}
		for _, v := range got {
			if all[v.entity.ID] != v {
				t.Fatalf("round %d: %s is listed as it was", round, v.entity.ID)
			}
		}
	}
}
