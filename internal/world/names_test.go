package world_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// silent is a finder that must not be called.
type silent struct{ testing.TB }

func (s silent) FindEntities(_ context.Context, q memory.EntityQuery) ([]memory.Entity, error) {
	s.Errorf("the store was asked for %+v", q)
	return nil, nil
}

// spoken are words of names and utterances: similar ones, other spellings, words too common to
// identify anything, and non-words.
var spoken = []string{"Bart", "bart", "Bärt", "Bart's", "Rusty", "Flagon", "the", "of", "Who", "Mühle", "muhle", "Ærdyn", "O'Neil", "7", "…", "ß", "unheard"}

func drawName(t *rapid.T, what string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(spoken), 1, 4).Draw(t, what), " ")
}

// drawNaming draws a change of names and visibility. The world may refuse it.
func drawNaming(t *rapid.T) func(*world.Tx) error {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	switch rapid.IntRange(0, 7).Draw(t, "what") {
	case 0:
		return func(tx *world.Tx) error { return tx.Remove(id) }
	case 1:
		return func(tx *world.Tx) error { return tx.Move(id, at(1, 2, 3)) }
	case 2, 3: // one part alone
		known := rapid.SampledFrom([][]string{nil, {"mira"}, {"bart"}}).Draw(t, "known")
		alias := drawName(t, "alias")
		part := rapid.IntRange(0, 1).Draw(t, "part")
		return func(tx *world.Tx) error {
			e, there := tx.Entity(id, "")
			if !there {
				return nil
			}
			if part == 0 {
				e.Visible = known
			} else {
				e.Aliases = []string{alias}
			}
			return tx.Put(e)
		}
	}
	e := memory.Entity{
		ID: id, Name: drawName(t, "name"), Description: drawName(t, "description"),
		Visible: rapid.SampledFrom([][]string{nil, nil, {"bart"}, {"mira", "bart"}}).Draw(t, "known"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "aliases") {
		e.Aliases = append(e.Aliases, drawName(t, "alias"))
	}
	return func(tx *world.Tx) error { return tx.Put(e) }
}

// TestNamesLeadWhereTheStoreSays changes random worlds, in this process and in another, and
// compares the world with the store: who does an utterance name, for each viewer?
func TestNamesLeadWhereTheStoreSays(t *testing.T) {
	store := stored(t, filepath.Join(t.TempDir(), "a.db"))
	w, other := opened(t, store, world.Options{}), opened(t, store, world.Options{})
	graph := world.Graph{World: w, Finder: silent{t}}
	rapid.Check(t, func(rt *rapid.T) {
		_, err := w.Change(t.Context(), "", func(tx *world.Tx) error {
			for _, id := range ids {
				if _, there := tx.Entity(id, ""); there {
					must(t, "Remove", tx.Remove(id))
				}
			}
			return nil
		})
		must(t, "beginning anew", err)
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			by := rapid.SampledFrom([]*world.World{w, other}).Draw(rt, "by")
			steps := rapid.SliceOfN(rapid.Custom(drawNaming), 1, 4).Draw(rt, "steps")
			_, err := by.Change(t.Context(), "", func(tx *world.Tx) error {
				for _, step := range steps {
					if err := step(tx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
				rt.Fatalf("Change: %v", err)
			}
		}
		must(t, "Refresh", w.Refresh(t.Context()))
		for _, name := range rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawName(t, "utterance") }), 4, 4).Draw(rt, "utterances") {
			sameNamed(rt, store, graph, memory.EntityQuery{
				Name: name, Exact: true, Limit: rapid.SampledFrom([]int{0, 1, 2, 6}).Draw(rt, "limit"),
			})
		}
	})
}

// sameNamed compares the results of a query, for each viewer.
func sameNamed(t *rapid.T, store *sqlite.Store, graph world.Graph, q memory.EntityQuery) {
	for _, q.Viewer = range []string{"mira", "bart", "nobody", memory.Anyone, ""} {
		want, stored := store.FindEntities(context.Background(), q)
		got, err := graph.FindEntities(context.Background(), q)
		if err := errors.Join(stored, err); err != nil {
			t.Fatalf("FindEntities: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v finds (-store +world):\n%s", q, diff)
		}
	}
}

// asked is a finder that records its queries.
type asked struct{ queries []memory.EntityQuery }

func (a *asked) FindEntities(_ context.Context, q memory.EntityQuery) ([]memory.Entity, error) {
	a.queries = append(a.queries, q)
	return nil, memory.ErrNotFound
}

// TestTheStoreIsAskedForWhatIsSimilar: queries for more than an exact name go to the store.
func TestTheStoreIsAskedForWhatIsSimilar(t *testing.T) {
	w := opened(t, newShelf(), world.Options{})
	put(t, w, memory.Entity{ID: "bart", Type: "npc", Name: "Bart"})
	for _, q := range []memory.EntityQuery{
		{Name: "bart"}, {Exact: true}, {Name: "bart", Exact: true, Type: "npc"}, {},
	} {
		var finder asked
		_, err := world.Graph{World: w, Finder: &finder}.FindEntities(t.Context(), q)
		if !errors.Is(err, memory.ErrNotFound) || !cmp.Equal(finder.queries, []memory.EntityQuery{q}) {
			t.Errorf("%+v: err = %v, the store was asked for %+v; want the store's answer to it", q, err, finder.queries)
		}
	}
}

// TestWhatIsFoundIsACopy modifies an answer and asks again.
func TestWhatIsFoundIsACopy(t *testing.T) {
	bart := func() memory.Entity {
		return memory.Entity{ID: "bart", Name: "Bart", Aliases: []string{"Barty"}, Attributes: map[string]string{"mood": "good"}, Position: at(1, 2, 3)}
	}
	w := opened(t, newShelf(), world.Options{})
	put(t, w, bart())
	for range 2 {
		found, err := world.Graph{World: w, Finder: silent{t}}.FindEntities(t.Context(), memory.EntityQuery{Name: "bart", Exact: true})
		must(t, "FindEntities", err)
		if diff := cmp.Diff([]memory.Entity{bart()}, found); diff != "" {
			t.Fatalf("found (-want +got):\n%s", diff)
		}
		found[0].Aliases[0], found[0].Attributes["mood"], found[0].Position[0] = "x", "x", 9
	}
}

// TestSecretsAreNotFound changes an entity's description together with its visibility while
// readers look it up by name.
func TestSecretsAreNotFound(t *testing.T) {
	w := opened(t, newShelf(), world.Options{})
	graph := world.Graph{World: w, Finder: silent{t}}
	var readers sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	found := make(chan struct{}, 1)
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				all, _ := graph.FindEntities(ctx, memory.EntityQuery{Name: "Is it Bart or the Hand?", Exact: true, Viewer: "mira"})
				for _, e := range all {
					if e.Description != "known" {
						t.Errorf("Mira learns of %+v", e)
					}
					select {
					case found <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	for i := 0; i < 500 || len(found) == 0; i++ {
		e := memory.Entity{ID: "e", Name: "Bart", Description: "known"}
		if i%2 == 1 {
			e = memory.Entity{ID: "e", Name: "The Hand", Description: "secret", Visible: []string{"bart"}}
		}
		put(t, w, e)
	}
	stop()
	readers.Wait()
}
