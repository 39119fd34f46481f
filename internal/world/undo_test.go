package world_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// kept is a world on disk that can be reopened.
type kept struct {
	*world.World
	t     *testing.T
	path  string
	store *sqlite.Store
}

func keepWorld(t *testing.T) *kept {
	k := &kept{t: t, path: filepath.Join(t.TempDir(), "a.db")}
	k.reopen()
	t.Cleanup(func() { k.must(k.store.Close()) })
	return k
}

func (k *kept) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kept) reopen() {
	k.t.Helper()
	if k.store != nil {
		k.must(k.store.Close())
	}
	var err error
	k.store, err = sqlite.Open(k.t.Context(), k.path, nil)
	k.must(err)
	k.World, err = world.Open(k.t.Context(), k.store, world.Options{Campaign: "c", Scene: "Night."})
	k.must(err)
}

// as makes a change as an NPC.
func (k *kept) as(npc, cause string, do func(*world.Tx) error) uint64 {
	k.t.Helper()
	seq, err := k.Change(mcp.WithCaller(k.t.Context(), mcp.Caller{NPC: npc}), cause, do)
	k.must(err)
	return seq
}

// state returns the scene, all entities and their relations.
func (k *kept) state() map[string]any {
	out := map[string]any{"scene": k.Scene()}
	for _, e := range k.Entities("") {
		out[e.ID] = []any{e, k.Relations(e.ID, "")}
	}
	return out
}

// TestUndo undoes changes, also after a restart, and undoes the undoing: the state equals the
// earlier one each time.
func TestUndo(t *testing.T) {
	k := keepWorld(t)
	first := k.state()
	k.as("", "entity.placed", func(tx *world.Tx) error {
		err := errors.Join(
			tx.Put(memory.Entity{ID: "mill", Name: "The Mill", Description: "Old.", Aliases: []string{"the wheel"}, Attributes: map[string]string{"a": "b"}, Visible: []string{"bart"}, Position: &memory.Position{1, 2, 3}}),
			tx.Put(memory.Entity{ID: "bart", Name: "Bart"}))
		return errors.Join(err, tx.Relate(memory.Relation{From: "bart", Type: "owns", To: "mill", Note: "since long", Visible: []string{"bart"}}))
	})
	placed := k.state()
	removed := k.as("mira", "entity.removed", func(tx *world.Tx) error { return tx.Remove("mill") })
	gone := k.state()
	k.as("mira", "scene.changed", func(tx *world.Tx) error { tx.SetScene("Fire!"); return nil })

	k.reopen()
	all, err := k.RecentChanges(t.Context(), 10)
	k.must(err)
	if len(all) != 3 || all[1].Who != "npc:mira" || all[1].Cause != "entity.removed" || !cmp.Equal(all[1].Names, []string{"The Mill"}) || all[2].Who != "operator" || all[1].At.IsZero() {
		t.Fatalf("past = %+v", all)
	}
	is := func(what string, want map[string]any) {
		t.Helper()
		if diff := cmp.Diff(want, k.state()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	undo := func(seq uint64) (world.PastChange, []memory.Entity) {
		t.Helper()
		p, back, err := k.Undo(t.Context(), seq)
		k.must(err)
		return p, back
	}
	if p, _ := undo(0); p.Cause != "scene.changed" {
		t.Errorf("the last change was %+v", p)
	}
	is("the scene is back", gone)
	if p, back := undo(0); p.Seq != removed || len(back) != 1 || back[0].Description != "Old." {
		t.Errorf("the last change that holds was %+v with %+v", p, back)
	}
	is("the mill is back with all of it", placed)
	k.reopen()
	is("it is so after a restart", placed)
	all, err = k.RecentChanges(t.Context(), 10)
	k.must(err)
	if all[0].Undoes != removed || all[0].Cause != world.Undone || all[3].Undone != all[0].Seq {
		t.Errorf("past = %+v, want change %d taken back by the last", all, removed)
	}
	if _, _, err := k.Undo(t.Context(), removed); !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), "already") {
		t.Errorf("taking it back again: %v", err)
	}
	undo(all[0].Seq)
	is("the taking back is taken back", gone)
	undo(removed)
	is("and so once more", placed)
	undo(0)
	is("what was placed is gone", first)
	if _, _, err := k.Undo(t.Context(), 0); !errors.Is(err, world.ErrNothingToUndo) {
		t.Errorf("with nothing left: %v", err)
	}
}

// TestUndoRefusesWhatWasChangedSince: an undo that would lose a later change is refused, and
// the error names the changed part.
func TestUndoRefusesWhatWasChangedSince(t *testing.T) {
	put := func(id, text string) func(*world.Tx) error {
		return func(tx *world.Tx) error { return tx.Put(memory.Entity{ID: id, Name: id, Description: text}) }
	}
	for _, row := range []struct {
		name  string
		first func(*world.Tx) error
		then  func(*world.Tx) error
		want  string
	}{
		{"changed", put("a", "new"), put("a", "newer"), `"a" was changed since`},
		{"removed", put("a", "new"), func(tx *world.Tx) error { return tx.Remove("a") }, `"a" was changed since`},
		{"seen by others", put("a", "new"), func(tx *world.Tx) error {
			return tx.Put(memory.Entity{ID: "a", Name: "a", Description: "new", Visible: []string{"x"}})
		}, `"a" was changed since`},
		{"related", put("c", ""), func(tx *world.Tx) error { return tx.Relate(memory.Relation{From: "a", Type: "owns", To: "c"}) }, `something was related to "c" since`},
		{"the relation", func(tx *world.Tx) error { return tx.Relate(memory.Relation{From: "a", Type: "owns", To: "b"}) }, func(tx *world.Tx) error {
			return tx.Relate(memory.Relation{From: "a", Type: "owns", To: "b", Note: "not any more"})
		}, `how "a" stands to "b"`},
		{"an end is gone", func(tx *world.Tx) error {
			return tx.Unrelate(memory.Relation{From: "a", Type: "knows", To: "b"})
		}, func(tx *world.Tx) error { return tx.Remove("b") }, `"b"`},
		{"the scene", func(tx *world.Tx) error { tx.SetScene("one"); return nil }, func(tx *world.Tx) error { tx.SetScene("two"); return nil }, "the scene was changed since"},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := keepWorld(t)
			k.as("", "setup", func(tx *world.Tx) error {
				return errors.Join(put("a", "")(tx), put("b", "")(tx), tx.Relate(memory.Relation{From: "a", Type: "knows", To: "b"}))
			})
			seq := k.as("mira", "first", row.first)
			k.as("mira", "then", row.then)
			before := k.state()
			_, _, err := k.Undo(t.Context(), seq)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("Undo = %v, want %q", err, row.want)
			}
			if diff := cmp.Diff(before, k.state()); diff != "" {
				t.Errorf("something was done all the same:\n%s", diff)
			}
		})
	}
}

// TestUndoIsBounded: the number of remembered changes is limited, and so is their size.
func TestUndoIsBounded(t *testing.T) {
	k := keepWorld(t)
	large := k.as("", "entity.placed", func(tx *world.Tx) error {
		return tx.Put(memory.Entity{ID: "a", Name: "a", Description: strings.Repeat("x", 1<<20)})
	})
	if _, _, err := k.Undo(t.Context(), large); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("Undo of what is too large = %v", err)
	}
	for range memory.MaxWorldChanges {
		k.as("", "scene.changed", func(tx *world.Tx) error { tx.SetScene("x"); return nil })
	}
	all, err := k.RecentChanges(context.Background(), 2*memory.MaxWorldChanges)
	k.must(err)
	if len(all) != memory.MaxWorldChanges {
		t.Errorf("%d changes are remembered, want %d", len(all), memory.MaxWorldChanges)
	}
	if _, _, err := k.Undo(t.Context(), large); err == nil || !strings.Contains(err.Error(), "not remembered") {
		t.Errorf("Undo of what is forgotten = %v", err)
	}
}
