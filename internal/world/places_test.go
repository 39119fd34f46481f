package world_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestPlacesAreWhatTheStoreSays compares the places of random worlds with secrets in the world
// and in the store.
func TestPlacesAreWhatTheStoreSays(t *testing.T) {
	known := rapid.SampledFrom([][]string{nil, nil, {"mira"}, {"bart"}, {"mira", "bart"}})
	store := stored(t, filepath.Join(t.TempDir(), "a.db"))
	w := opened(t, store, world.Options{})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		ids := []string{"mira", "bart", "inn", "cellar", "rat"}
		for i, id := range ids {
			ids[i] = fmt.Sprintf("%s-%d", id, n) // new ids for each world
		}
		for _, id := range ids {
			put(t, w, memory.Entity{ID: id, Visible: known.Draw(rt, "known")})
		}
		for range rapid.IntRange(0, 12).Draw(rt, "relations") {
			r := memory.Relation{
				From: rapid.SampledFrom(ids).Draw(rt, "from"), To: rapid.SampledFrom(ids).Draw(rt, "to"),
				Type: rapid.SampledFrom([]string{memory.LocatedIn, memory.LocatedIn, "knows"}).Draw(rt, "type"), Visible: known.Draw(rt, "known"),
			}
			if r.From == r.To {
				continue
			}
			_, err := w.Relate(t.Context(), r, "")
			must(t, "Relate", err)
			if rapid.IntRange(0, 3).Draw(rt, "ends") == 0 {
				_, err := w.Unrelate(t.Context(), r, "")
				must(t, "Unrelate", err)
			}
		}
		if rapid.IntRange(0, 3).Draw(rt, "without") == 0 {
			_, err := w.Remove(t.Context(), rapid.SampledFrom(ids).Draw(rt, "gone"), "")
			must(t, "Remove", err)
		}
		for _, viewer := range []string{"mira", "bart", "nobody", ""} {
			want, err := store.Places(t.Context(), viewer, ids...)
			must(t, "Places", err)
			got, _ := w.Places(t.Context(), viewer, ids...)
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Errorf("places as %q sees them (-store +world):\n%s", viewer, diff)
			}
			for _, place := range ids {
				for _, limit := range []int{0, 1, 2, 9} {
					want, err := store.Inside(t.Context(), viewer, place, limit)
					must(t, "Inside", err)
					got, _ := w.Inside(t.Context(), viewer, place, limit)
					if diff := cmp.Diff(want, got); diff != "" {
						rt.Errorf("%d of those inside %s as %q sees them (-store +world):\n%s", limit, place, viewer, diff)
					}
				}
			}
		}
	})
}
