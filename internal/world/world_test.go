package world_test

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestChangesSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := stored(t, path)
	w := opened(t, store, world.Options{Campaign: "c", Scene: "Night."})
	put(t, w, memory.Entity{ID: "bart", Type: "npc", Attributes: map[string]string{"mood": "good"}, Visible: []string{"mira"}},
		memory.Entity{ID: "inn", Type: "location"}, memory.Entity{ID: "rat"})
	_, err := w.Move(t.Context(), "bart", memory.Position{1, 2, 3}, "")
	must(t, "Move", err)
	_, err = w.Relate(t.Context(), memory.Relation{From: "bart", Type: "located_in", To: "inn", Note: "n"}, "")
	must(t, "Relate", err)
	_, err = w.Relate(t.Context(), memory.Relation{From: "rat", Type: "located_in", To: "inn"}, "")
	must(t, "Relate", err)
	_, err = w.Remove(t.Context(), "rat", "")
	must(t, "Remove", err)
	_, err = w.SetScene(t.Context(), "Dawn.", "")
	must(t, "SetScene", err)
	before := w.Seq()

	again := opened(t, store, world.Options{Campaign: "c", Scene: "Night."})
	want := []memory.Entity{
		{ID: "bart", Type: "npc", Name: "bart", Attributes: map[string]string{"mood": "good"}, Visible: []string{"mira"}, Position: at(1, 2, 3)},
		{ID: "inn", Type: "location", Name: "inn"},
	}
	if diff := cmp.Diff(want, again.Entities("")); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]memory.Relation{{From: "bart", Type: "located_in", To: "inn", Note: "n"}}, again.Relations("bart", "")); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
	if again.Scene() != "Dawn." || again.Seq() <= before {
		t.Errorf("scene %q, number %d; want Dawn. and more than %d", again.Scene(), again.Seq(), before)
	}
	if s := follow(t, again, world.Filter{Since: &before}); s.Resumed() {
		t.Error("a number of the process before was resumed, though the store may have changed in between")
	}
	edited := opened(t, store, world.Options{Campaign: "c", Scene: "Noon."})
	if edited.Scene() != "Noon." {
		t.Errorf("scene %q after the configured one was edited, want Noon.", edited.Scene())
	}
	other := opened(t, store, world.Options{Campaign: "d", Scene: "Rain."})
	if other.Scene() != "Rain." {
		t.Errorf("scene %q of another campaign, want Rain.", other.Scene())
	}
}

func TestBadChangesLeaveNoTrace(t *testing.T) {
	w := fresh(t)
	put(t, w, memory.Entity{ID: "bart"}, memory.Entity{ID: "inn"})
	start := w.Seq()
	rows := []struct {
		name string
		do   func(*world.Tx) error
		want error
	}{
		{name: "no_id", do: func(t *world.Tx) error { return t.Put(memory.Entity{Name: "x"}) }},
		{name: "no_name", do: func(t *world.Tx) error { return t.Put(memory.Entity{ID: "x", Name: " "}) }},
		{name: "control_in_id", do: func(t *world.Tx) error { return t.Put(memory.Entity{ID: "a\x1fb", Name: "x"}) }},
		{name: "empty_viewer", do: func(t *world.Tx) error {
			return t.Put(memory.Entity{ID: "x", Name: "x", Visible: []string{""}})
		}},
		{name: "framed_viewer", do: func(t *world.Tx) error {
			return t.Put(memory.Entity{ID: "x", Name: "x", Visible: []string{"a\x1fb"}})
		}},
		{name: "nowhere", do: func(t *world.Tx) error { return t.Move("bart", at(math.NaN(), 0, 0)) }},
		{name: "infinity", do: func(t *world.Tx) error { return t.Move("bart", at(0, math.Inf(-1), 0)) }},
		{name: "move_unknown", do: func(t *world.Tx) error { return t.Move("x", at(0, 0, 0)) }, want: memory.ErrNotFound},
		{name: "remove_unknown", do: func(t *world.Tx) error { return t.Remove("x") }, want: memory.ErrNotFound},
		{name: "relate_unknown", do: func(t *world.Tx) error {
			return t.Relate(memory.Relation{From: "bart", Type: "knows", To: "x"})
		}, want: memory.ErrNotFound},
		{name: "relate_without_type", do: func(t *world.Tx) error { return t.Relate(memory.Relation{From: "bart", To: "inn"}) }},
		{name: "unrelate_unknown", do: func(t *world.Tx) error {
			return t.Unrelate(memory.Relation{From: "bart", Type: "knows", To: "inn"})
		}, want: memory.ErrNotFound},
		{name: "second_step_fails", do: func(t *world.Tx) error {
			t.SetScene("half")
			if err := t.Put(memory.Entity{ID: "y", Name: "y"}); err != nil {
				return err
			}
			return t.Remove("x")
		}, want: memory.ErrNotFound},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := w.Change(t.Context(), "", row.do)
			if !errors.Is(err, mcp.ErrInvalidArguments) || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("err = %v, want ErrInvalidArguments and %v", err, row.want)
			}
		})
	}
	_, err := w.Change(t.Context(), "", func(*world.Tx) error { panic("boom") })
	if err == nil || errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("panicking: %v, want an error of its own", err)
	}
	if got := w.Entities(""); len(got) != 2 || w.Seq() != start || w.Scene() != "Night." {
		t.Errorf("%v, number %d, scene %q; want the world as it was", got, w.Seq(), w.Scene())
	}
}

func TestDeltas(t *testing.T) {
	w := fresh(t)
	put(t, w, memory.Entity{ID: "a", Position: at(0, 0, 0)}, memory.Entity{ID: "b", Position: at(9, 0, 0)}, memory.Entity{ID: "c"},
		memory.Entity{ID: "secret", Visible: []string{"mira"}, Position: at(1, 0, 0)})
	s := follow(t, w, world.Filter{Viewer: memory.Anyone, Area: &world.Area{Radius: 5}})
	if diff := cmp.Diff([]string{"a"}, idsOf(s.Snapshot().Entities)); diff != "" || s.Snapshot().Scene != "Night." {
		t.Fatalf("scene %q, snapshot (-want +got):\n%s", s.Snapshot().Scene, diff)
	}
	move := func(id string, x float64) {
		t.Helper()
		_, err := w.Move(t.Context(), id, memory.Position{x, 0, 0}, "move "+id)
		must(t, "Move", err)
	}
	check := func(what string, changes, removed []string) {
		t.Helper()
		d := nextMatch(t, s)
		if diff := cmp.Diff(changes, changed(d)); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", what, diff)
		}
		if diff := cmp.Diff(removed, d.Removed); diff != "" {
			t.Errorf("%s: removed (-want +got):\n%s", what, diff)
		}
		if d.Seq != w.Seq() {
			t.Errorf("%s: number %d, want %d", what, d.Seq, w.Seq())
		}
		for _, c := range d.Changes {
			want, err := json.Marshal(c.Entity)
			must(t, "Marshal", err)
			if string(want) != string(c.Raw) {
				t.Errorf("%s: raw %s, want %s", what, c.Raw, want)
			}
		}
	}
	move("b", 5)
	check("enters at the edge", []string{"b"}, nil)
	move("b", 5.001)
	move("a", 3)
	check("leaves", []string{"a"}, []string{"b"})
	move("secret", 2)
	move("b", 4)
	move("b", 40) // never seen
	move("a", 2)
	move("a", 1)
	check("hidden and passing", []string{"a"}, nil)
	put(t, w, memory.Entity{ID: "a", Position: at(1, 0, 0), Visible: []string{"mira"}})
	check("hidden", []string{}, []string{"a"})
	must(t, "SetArea", s.SetArea(&world.Area{Center: memory.Position{40, 0, 0}}))
	check("another area", []string{"b"}, nil)
	must(t, "SetArea", s.SetArea(nil))
	check("everywhere", []string{"c"}, nil)
	_, err := w.Remove(t.Context(), "c", "")
	must(t, "Remove", err)
	check("gone", []string{}, []string{"c"})
	if err := s.SetArea(&world.Area{Radius: -1}); !errors.Is(err, mcp.ErrInvalidArguments) {
		t.Errorf("SetArea = %v, want ErrInvalidArguments", err)
	}
	_, err = w.SetScene(t.Context(), "Dawn.", "dm")
	must(t, "SetScene", err)
	d := nextMatch(t, s)
	if d.Scene == nil || *d.Scene != "Dawn." || !cmp.Equal(d.Causes, []string{"dm"}) {
		t.Errorf("delta = %+v, want the scene and its cause", d)
	}
	s.Close()
	if _, err := s.Next(t.Context()); !errors.Is(err, world.ErrClosed) {
		t.Errorf("Next = %v, want ErrClosed", err)
	}
}
