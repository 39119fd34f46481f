package hotctx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// silent is a finder that must not be called.
type silent struct{ testing.TB }

func (s silent) FindEntities(_ context.Context, q memory.EntityQuery) ([]memory.Entity, error) {
	s.Errorf("the store was asked for %+v", q)
	return nil, nil
}

// TestAssembleAsksNothingAtATable gives the same lines to NPCs that read the store and to
// NPCs that have the last lines and the world in memory, in random worlds with secrets:
// both get the same context, and the latter without a query.
func TestAssembleAsksNothingAtATable(t *testing.T) {
	s := store(t)
	live, err := world.Open(t.Context(), s, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	recent := []memory.Line{{Speaker: "Alice", Text: "hello"}, {Speaker: "Mira", NPC: "mira", Text: "hi"}, {Speaker: "Bob", To: "bart", Text: "an ale"}}
	ids := []string{"mira", "bart", "flagon", "mill", "hand", "aldo"}
	var (
		word  = rapid.SampledFrom([]string{"Bart", "Bartok's", "Rusty", "Flagon", "flagon", "the", "Silent Hand", "Müller", "muller", "is", "where", "O'Neil", "Aldo-Bert", "and", "of", "rain?"})
		text  = rapid.Map(rapid.SliceOfN(word, 1, 5), func(all []string) string { return strings.Join(all, " ") })
		known = rapid.SampledFrom([][]string{nil, nil, {"mira"}, {"bart", "aldo"}})
	)
	stored, table := hotctx.New(s, s), hotctx.New(nil, world.Graph{World: live, Finder: silent{t}})
	rapid.Check(t, func(rt *rapid.T) {
		_, err := live.Change(t.Context(), "", func(tx *world.Tx) error { return furnish(rt, tx, ids, text, known) })
		if err != nil {
			rt.Fatal(err)
		}
		for range 3 {
			q := hotctx.Query{NPC: hotctx.Person{ID: rapid.SampledFrom(ids).Draw(rt, "npc")}, Scene: "Night.", Utterance: text.Draw(rt, "utterance"), Recent: 2, Lines: recent}
			want, err := stored.Assemble(t.Context(), q)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := table.Assemble(t.Context(), q)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Errorf("what %s knows at %q (-store +table):\n%s", q.NPC.ID, q.Utterance, diff)
			}
		}
	})
}

// furnish creates a random world of a few entities.
func furnish(t *rapid.T, tx *world.Tx, ids []string, text *rapid.Generator[string], known *rapid.Generator[[]string]) error {
	for i, id := range ids {
		if _, there := tx.Entity(id, ""); there {
			if err := tx.Remove(id); err != nil {
				return err
			}
		}
		e := memory.Entity{ID: id, Type: "npc", Name: text.Draw(t, "name"), Description: fmt.Sprint("Number ", i), Visible: known.Draw(t, "known")}
		if rapid.Bool().Draw(t, "alias") {
			e.Aliases = []string{text.Draw(t, "alias")}
		}
		if err := tx.Put(e); err != nil {
			return err
		}
	}
	for range rapid.IntRange(0, 6).Draw(t, "relations") {
		r := memory.Relation{
			From: rapid.SampledFrom(ids).Draw(t, "from"), To: rapid.SampledFrom(ids).Draw(t, "to"),
			Type: memory.LocatedIn, Visible: known.Draw(t, "known"),
		}
		if err := tx.Relate(r); err != nil {
			return err
		}
	}
	return nil
}
