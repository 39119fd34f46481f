package memorytest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Village stores a small world: Bartok and the mayor are known to all, the
// smuggler only to Bartok, the cult only to the mayor.
func Village(t testing.TB, s memory.Store) {
	t.Helper()
	must(t, "PutEntities", s.PutEntities(t.Context(),
		memory.Entity{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Aliases: []string{"Old Bart", "Der Wirt"},
			Description: "A jovial halfling.", Attributes: map[string]string{"race": "halfling", "mood": "good"}},
		memory.Entity{ID: "rusty-flagon", Type: "location", Name: "The Rusty Flagon", Aliases: []string{"Bartok"}},
		memory.Entity{ID: "mayor", Type: "npc", Name: "Bürgermeister Müller"},
		memory.Entity{ID: "smuggler", Type: "npc", Name: "Silent Sam", Visible: []string{"bartok"}},
		memory.Entity{ID: "cave", Type: "location", Name: "Sea Cave"},
		memory.Entity{ID: "cult", Type: "faction", Name: "Cult of the Deep", Visible: []string{"mayor", "priest"}},
		memory.Entity{ID: "idol", Type: "item", Name: "Jade Idol"},
	))
	must(t, "PutRelations", s.PutRelations(t.Context(),
		memory.Relation{From: "bartok", Type: "owns", To: "rusty-flagon", Note: "since ten years"},
		memory.Relation{From: "mayor", Type: "visits", To: "rusty-flagon"},
		memory.Relation{From: "bartok", Type: "trades_with", To: "smuggler"},
		memory.Relation{From: "smuggler", Type: "hides_in", To: "cave"},
		memory.Relation{From: "mayor", Type: "leads", To: "cult"},
		memory.Relation{From: "cult", Type: "guards", To: "idol"},
		memory.Relation{From: "mayor", Type: "fears", To: "bartok", Visible: []string{"mayor"}},
	))
}

func ids(es []memory.Entity) []string {
	out := []string{}
	for _, e := range es {
		out = append(out, e.ID)
	}
	return out
}

func testEntityRoundTrip(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	got, err := s.Entity(t.Context(), "bartok", "")
	must(t, "Entity", err)
	want := memory.Entity{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Aliases: []string{"Old Bart", "Der Wirt"},
		Description: "A jovial halfling.", Attributes: map[string]string{"race": "halfling", "mood": "good"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entity (-want +got):\n%s", diff)
	}
	got, err = s.Entity(t.Context(), "cult", "priest")
	must(t, "Entity", err)
	if diff := cmp.Diff([]string{"mayor", "priest"}, got.Visible); diff != "" {
		t.Errorf("visible (-want +got):\n%s", diff)
	}

	// Replacing an entity keeps its relations and drops its old names.
	must(t, "PutEntities", s.PutEntities(t.Context(), memory.Entity{ID: "bartok", Type: "npc", Name: "Bartholomew"}))
	n, err := s.Neighbours(t.Context(), "bartok", "", 1)
	must(t, "Neighbours", err)
	if len(n.Relations) != 3 || n.Entity.Description != "" {
		t.Errorf("after replacing: %+v, want three relations and no description", n)
	}
	found, err := s.FindEntities(t.Context(), memory.EntityQuery{Name: "Old Bart"})
	must(t, "FindEntities", err)
	if slices.Contains(ids(found), "bartok") && found[0].Name != "Bartholomew" {
		t.Errorf("found %v by a name it no longer has", found)
	}
}

func testPutRejectsBadInput(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	rows := []struct {
		name string
		put  func() error
		want error
	}{
		{name: "no_id", put: func() error { return s.PutEntities(t.Context(), memory.Entity{Name: "x"}) }},
		{name: "no_name", put: func() error { return s.PutEntities(t.Context(), memory.Entity{ID: "x", Name: " "}) }},
		{name: "empty_viewer", put: func() error {
			return s.PutEntities(t.Context(), memory.Entity{ID: "x", Name: "x", Visible: []string{""}})
		}},
		{name: "framed_viewer", put: func() error {
			return s.PutEntities(t.Context(), memory.Entity{ID: "x", Name: "x", Visible: []string{"a\x1fb"}})
		}},
		{name: "unknown_end", put: func() error {
			return s.PutRelations(t.Context(), memory.Relation{From: "bartok", Type: "knows", To: "nobody"})
		}, want: memory.ErrNotFound},
		{name: "no_type", put: func() error {
			return s.PutRelations(t.Context(), memory.Relation{From: "bartok", To: "mayor"})
		}},
		{name: "fact_for_nobody", put: func() error {
			return s.Remember(t.Context(), memory.Fact{Source: "s", Text: "x", Visible: []string{""}})
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := row.put()
			if err == nil || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("err = %v, want one (%v)", err, row.want)
			}
		})
	}
	if _, err := s.Entity(t.Context(), "x", ""); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("a refused entity was stored: %v", err)
	}
}

func testFindEntities(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	rows := []struct {
		name string
		q    memory.EntityQuery
		want []string
	}{
		{name: "name_before_alias", q: memory.EntityQuery{Name: "Bartok the Barkeep"}, want: []string{"bartok", "rusty-flagon"}},
		{name: "alias_before_beginning", q: memory.EntityQuery{Name: "Bartok"}, want: []string{"rusty-flagon", "bartok"}},
		{name: "beginning", q: memory.EntityQuery{Name: "silent"}, want: []string{"smuggler"}},
		{name: "word", q: memory.EntityQuery{Name: "barkeep"}, want: []string{"bartok"}},
		{name: "word_in_question", q: memory.EntityQuery{Name: "who is that barkeep?"}, want: []string{"bartok"}},
		{name: "short_name_in_long_utterance", q: memory.EntityQuery{Exact: true,
			Name: "Yesterday evening somebody mentioned mysterious travellers approaching northern mountains together with Sam"}, want: []string{"smuggler"}},
		{name: "exact_knows_no_beginnings", q: memory.EntityQuery{Name: "flag", Exact: true}, want: []string{}},
		{name: "beginning_of_word", q: memory.EntityQuery{Name: "flag"}, want: []string{"rusty-flagon"}},
		{name: "german_alias", q: memory.EntityQuery{Name: "der WIRT"}, want: []string{"bartok"}},
		{name: "folded", q: memory.EntityQuery{Name: "burgermeister muller"}, want: []string{"mayor"}},
		{name: "misheard", q: memory.EntityQuery{Name: "Bartog"}, want: []string{"bartok", "rusty-flagon"}},
		{name: "misheard_long", q: memory.EntityQuery{Name: "Burgermaistar"}, want: []string{"mayor"}},
		{name: "swapped", q: memory.EntityQuery{Name: "Jdae"}, want: []string{"idol"}},
		{name: "too_far", q: memory.EntityQuery{Name: "Xartog"}, want: []string{}},
		{name: "short_is_not_guessed", q: memory.EntityQuery{Name: "Sem"}, want: []string{}},
		{name: "type", q: memory.EntityQuery{Name: "Bartok", Type: "NPC"}, want: []string{"bartok"}},
		{name: "type_alone", q: memory.EntityQuery{Type: "location"}, want: []string{"cave", "rusty-flagon"}},
		{name: "hidden_word", q: memory.EntityQuery{Name: "cult", Viewer: "bartok"}, want: []string{}},
		{name: "hidden_misheard", q: memory.EntityQuery{Name: "sillent", Viewer: "mayor"}, want: []string{}},
		{name: "shown_misheard", q: memory.EntityQuery{Name: "sillent", Viewer: "bartok"}, want: []string{"smuggler"}},
		{name: "all_for_viewer", q: memory.EntityQuery{Viewer: "bartok"}, want: []string{"bartok", "mayor", "idol", "cave", "smuggler", "rusty-flagon"}},
		{name: "stranger", q: memory.EntityQuery{Viewer: "stranger"}, want: []string{"bartok", "mayor", "idol", "cave", "rusty-flagon"}},
		{name: "viewer_is_no_pattern", q: memory.EntityQuery{Name: "cult", Viewer: "mayor\x1fpriest"}, want: []string{}},
		{name: "viewer_part_of_id", q: memory.EntityQuery{Name: "cult", Viewer: "may"}, want: []string{}},
		{name: "limit", q: memory.EntityQuery{Limit: 1}, want: []string{"bartok"}},
		{name: "signs_only", q: memory.EntityQuery{Name: "?!"}, want: []string{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := s.FindEntities(t.Context(), row.q)
			must(t, "FindEntities", err)
			if diff := cmp.Diff(row.want, ids(got)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}

func testFindEntitiesLimitsBySDefault(t *testing.T, h Harness) {
	s := h.plain(t)
	var es []memory.Entity
	for i := range 30 {
		es = append(es, memory.Entity{ID: fmt.Sprint(i), Name: fmt.Sprintf("Goblin %02d", i)})
	}
	must(t, "PutEntities", s.PutEntities(t.Context(), es...))
	got, err := s.FindEntities(t.Context(), memory.EntityQuery{Name: "goblin"})
	must(t, "FindEntities", err)
	if len(got) != 20 || got[0].Name != "Goblin 00" {
		t.Errorf("%d entities from %v, want the first 20", len(got), ids(got))
	}
}

func testNeighbours(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	rows := []struct {
		name, id, viewer string
		depth            int
		want             []string // connected, in order
		relations        int
	}{
		{name: "all_seeing", id: "bartok", depth: 1, want: []string{"mayor", "smuggler", "rusty-flagon"}, relations: 3},
		{name: "depth_0_is_1", id: "bartok", depth: 0, want: []string{"mayor", "smuggler", "rusty-flagon"}, relations: 3},
		{name: "depth_2", id: "bartok", depth: 2, want: []string{"mayor", "smuggler", "rusty-flagon", "cult", "cave"}, relations: 6},
		{name: "depth_9_is_3", id: "bartok", depth: 9, want: []string{"mayor", "smuggler", "rusty-flagon", "cult", "cave", "idol"}, relations: 7},
		{name: "hidden_edge", id: "bartok", viewer: "bartok", depth: 1, want: []string{"smuggler", "rusty-flagon"}, relations: 2},
		{name: "own_edge", id: "bartok", viewer: "mayor", depth: 1, want: []string{"mayor", "rusty-flagon"}, relations: 2},
		{name: "hidden_node_is_no_bridge", id: "bartok", viewer: "stranger", depth: 3, want: []string{"rusty-flagon", "mayor"}, relations: 2},
		{name: "hidden_node_is_no_bridge_backwards", id: "idol", viewer: "bartok", depth: 3, want: []string{}, relations: 0},
		{name: "alone", id: "cave", viewer: "mayor", depth: 3, want: []string{}, relations: 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			n, err := s.Neighbours(t.Context(), row.id, row.viewer, row.depth)
			must(t, "Neighbours", err)
			if n.Entity.ID != row.id {
				t.Errorf("entity = %q, want %q", n.Entity.ID, row.id)
			}
			if diff := cmp.Diff(row.want, ids(n.Connected)); diff != "" {
				t.Errorf("connected (-want +got):\n%s", diff)
			}
			if len(n.Relations) != row.relations {
				t.Errorf("relations = %v, want %d", n.Relations, row.relations)
			}
			known := append(ids(n.Connected), row.id)
			for _, r := range n.Relations {
				if !slices.Contains(known, r.From) || !slices.Contains(known, r.To) {
					t.Errorf("relation %v names an entity that is not shown", r)
				}
			}
		})
	}
	for _, id := range []string{"nobody", "cult"} {
		if _, err := s.Neighbours(t.Context(), id, "bartok", 1); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Neighbours(%s) = %v, want ErrNotFound", id, err)
		}
		if _, err := s.Entity(t.Context(), id, "bartok"); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("Entity(%s) = %v, want ErrNotFound", id, err)
		}
	}
}

func testRemoveEntity(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	must(t, "RemoveEntity", s.RemoveEntity(t.Context(), "rusty-flagon"))
	n, err := s.Neighbours(t.Context(), "bartok", "", 1)
	must(t, "Neighbours", err)
	if diff := cmp.Diff([]string{"mayor", "smuggler"}, ids(n.Connected)); diff != "" {
		t.Errorf("connected (-want +got):\n%s", diff)
	}
	found, err := s.FindEntities(t.Context(), memory.EntityQuery{Name: "flagon"})
	must(t, "FindEntities", err)
	if len(found) != 0 {
		t.Errorf("found %v, want nothing", ids(found))
	}
	if err := s.RemoveEntity(t.Context(), "rusty-flagon"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("removing twice: %v, want ErrNotFound", err)
	}
}

func testPutRelationReplaces(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	must(t, "PutRelations", s.PutRelations(t.Context(),
		memory.Relation{From: "bartok", Type: "owns", To: "rusty-flagon", Note: "lost it", Visible: []string{"bartok"}}))
	n, err := s.Neighbours(t.Context(), "rusty-flagon", "", 1)
	must(t, "Neighbours", err)
	want := memory.Relation{From: "bartok", Type: "owns", To: "rusty-flagon", Note: "lost it", Visible: []string{"bartok"}}
	if diff := cmp.Diff(want, n.Relations[0]); diff != "" || len(n.Relations) != 2 {
		t.Errorf("%d relations, first (-want +got):\n%s", len(n.Relations), diff)
	}
}
