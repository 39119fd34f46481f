package world_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestTwoProcesses opens one database in two worlds, like a game and a server.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	a := opened(t, stored(t, path), world.Options{Campaign: "c", Scene: "Night."})
	put(t, a, memory.Entity{ID: "bart", Description: "old"}, memory.Entity{ID: "rat"}, memory.Entity{ID: "inn"})
	b := opened(t, stored(t, path), world.Options{Campaign: "c", Scene: "Night."})
	s := follow(t, a, world.Filter{})
	since := a.Seq()

	_, err := b.Change(t.Context(), "", func(tx *world.Tx) error {
		tx.SetScene("Dawn.")
		if err := tx.Remove("rat"); err != nil {
			return err
		}
		return tx.Put(memory.Entity{ID: "bart", Name: "bart", Description: "new"})
	})
	must(t, "Change", err)
	_, err = b.Relate(t.Context(), memory.Relation{From: "bart", Type: memory.LocatedIn, To: "inn"}, "")
	must(t, "Relate", err)

	move(t, a, "bart", 7) // a has not read any of that yet
	want := memory.Entity{ID: "bart", Name: "bart", Description: "new", Position: at(7, 0, 0)}
	if got, _ := a.Entity("bart", ""); !cmp.Equal(got, want) {
		t.Errorf("bart is %+v, want %+v", got, want)
	}
	d := nextMatch(t, s)
	if !cmp.Equal(changed(d), []string{"bart", "inn"}) || !cmp.Equal(d.Removed, []string{"rat"}) || d.Scene == nil || *d.Scene != "Dawn." {
		t.Errorf("delta = %+v, want bart and where he is changed, the rat gone, and dawn", d)
	}
	if diff := cmp.Diff([]string{world.Elsewhere, "move bart"}, d.Causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	if len(a.Relations("bart", "")) != 1 {
		t.Error("the relation that the other process made is missing")
	}
	if again := follow(t, a, world.Filter{Since: &since}); !again.Resumed() {
		t.Error("another process's changes cannot be resumed over")
	}

	must(t, "Refresh", b.Refresh(t.Context()))
	if got, _ := b.Entity("bart", ""); !cmp.Equal(got, want) || b.Seq() != a.Seq() {
		t.Errorf("after Refresh: %+v, number %d; want %+v and %d", got, b.Seq(), want, a.Seq())
	}
	before := b.Seq()
	must(t, "Refresh", b.Refresh(t.Context()))
	if b.Seq() != before {
		t.Errorf("number %d after nothing happened, want %d", b.Seq(), before)
	}
	other := opened(t, stored(t, path), world.Options{Campaign: "d", Scene: "Rain."})
	put(t, other, memory.Entity{ID: "frog"})
	must(t, "Refresh", a.Refresh(t.Context()))
	if a.Scene() != "Dawn." || other.Scene() != "Rain." || len(a.Entities("")) != 3 {
		t.Errorf("scenes %q and %q, %d entities; want Dawn., Rain. and 3", a.Scene(), other.Scene(), len(a.Entities("")))
	}
}

// TestProcessesAtOnce lets two worlds count up the same attribute.
func TestProcessesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	a, b := opened(t, stored(t, path), world.Options{}), opened(t, stored(t, path), world.Options{})
	put(t, a, memory.Entity{ID: "counter"})
	worlds, failed := []*world.World{a, b}, 0
	const rounds = 40
	for i, r := range write(2*rounds, func(i int) (uint64, error) {
		return worlds[i%2].Change(t.Context(), "", func(tx *world.Tx) error {
			e, ok := tx.Entity("counter", "")
			if !ok {
				return errors.New("there is no counter")
			}
			e.Name += "x"
			return tx.Put(e)
		})
	}) {
		if errors.Is(r.err, memory.ErrConflict) {
			failed++ // lost against the other world too often
		} else if r.err != nil {
			t.Errorf("change %d: %v", i, r.err)
		}
	}
	must(t, "Refresh", a.Refresh(t.Context()))
	e, _ := a.Entity("counter", "")
	if got, want := len(e.Name)-len("counter"), 2*rounds-failed; got != want || want == 0 {
		t.Errorf("counted to %d with %d changes done, want no change lost", got, want)
	}
}

// TestRenewTakesInAnImport writes to the store directly, next to the worlds that use it.
func TestRenewTakesInAnImport(t *testing.T) {
	store := stored(t, filepath.Join(t.TempDir(), "a.db"))
	a, b := opened(t, store, world.Options{}), opened(t, store, world.Options{})
	put(t, a, memory.Entity{ID: "bart"})
	must(t, "Refresh", b.Refresh(t.Context()))
	s := follow(t, a, world.Filter{})
	must(t, "PutEntities", store.PutEntities(t.Context(), memory.Entity{ID: "mira", Name: "Mira"}, memory.Entity{ID: "bart", Name: "Bart the Bold"}))
	before := a.Seq()
	must(t, "Renew", a.Renew(t.Context()))
	must(t, "Refresh", b.Refresh(t.Context()))
	for name, w := range map[string]*world.World{"this": a, "the other": b} {
		found, err := world.Graph{World: w, Finder: silent{t}}.FindEntities(t.Context(), memory.EntityQuery{Name: "Mira and the bold one", Exact: true})
		must(t, "FindEntities", err)
		if len(found) != 2 || w.Seq() != before+1 {
			t.Errorf("%s process finds %+v at change %d, want both at change %d", name, found, w.Seq(), before+1)
		}
	}
	if d := nextMatch(t, s); !cmp.Equal(changed(d), []string{"bart", "mira"}) || !cmp.Equal(d.Causes, []string{world.Elsewhere}) {
		t.Errorf("delta = %+v, want both, changed elsewhere", d)
	}
	put(t, b, memory.Entity{ID: "rat"}) // so that a is behind
	must(t, "Renew", a.Renew(t.Context()))
	if _, there := a.Entity("rat", ""); !there || a.Seq() != before+3 {
		t.Errorf("at change %d, rat: %v; want it at change %d", a.Seq(), there, before+3)
	}
}
