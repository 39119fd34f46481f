package memorytest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func testPositionRoundTrip(t *testing.T, h Harness) {
	s := h.plain(t)
	rows := []struct {
		name string
		at   *memory.Position
		bad  bool
	}{
		{name: "nowhere"},
		{name: "origin", at: &memory.Position{}},
		{name: "far", at: &memory.Position{-1.5, math.MaxFloat64, math.SmallestNonzeroFloat64}},
		{name: "not_a_number", at: &memory.Position{math.NaN(), 0, 0}, bad: true},
		{name: "infinite", at: &memory.Position{0, 0, math.Inf(1)}, bad: true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			want := memory.Entity{ID: row.name, Type: "item", Name: row.name, Position: row.at}
			if err := s.PutEntities(t.Context(), want); (err != nil) != row.bad {
				t.Fatalf("PutEntities: %v, want an error: %v", err, row.bad)
			}
			got, err := s.Entity(t.Context(), row.name, "")
			if row.bad {
				if !errors.Is(err, memory.ErrNotFound) {
					t.Errorf("Entity: %v, want ErrNotFound", err)
				}
				return
			}
			must(t, "Entity", err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("entity (-want +got):\n%s", diff)
			}
			found, err := s.FindEntities(t.Context(), memory.EntityQuery{Name: row.name})
			must(t, "FindEntities", err)
			if len(found) == 0 || !cmp.Equal(found[0].Position, row.at) {
				t.Errorf("found %+v, want position %v", found, row.at)
			}
		})
	}
}

func testChangeIsAllOrNothing(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	state := func() map[string][]byte {
		t.Helper()
		got, err := s.LoadState(t.Context(), "w")
		must(t, "LoadState", err)
		return got
	}
	first := memory.Batch{
		Remove: []string{"idol", "nobody"},
		Put:    []memory.Entity{{ID: "rat", Name: "Rat", Position: &memory.Position{1, 2, 3}}},
		Unrelate: []memory.Relation{{From: "bartok", Type: "owns", To: "rusty-flagon"},
			{From: "bartok", Type: "never", To: "rusty-flagon"}},
		Relate: []memory.Relation{{From: "rat", Type: memory.LocatedIn, To: "rusty-flagon"}},
		Space:  "w", State: map[string][]byte{"seq": []byte("1")}, Expect: map[string][]byte{"seq": nil},
	}
	must(t, "Change", s.Change(t.Context(), first))
	entities, relations, err := s.World(t.Context())
	must(t, "World", err)
	if diff := cmp.Diff([]string{"bartok", "cave", "cult", "mayor", "rat", "rusty-flagon", "smuggler"}, ids(entities)); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	var edges []string
	for _, r := range relations {
		edges = append(edges, fmt.Sprintf("%s %s %s", r.From, r.Type, r.To))
	}
	want := []string{"bartok trades_with smuggler", "mayor fears bartok", "mayor leads cult", "mayor visits rusty-flagon",
		"rat located_in rusty-flagon", "smuggler hides_in cave"}
	if diff := cmp.Diff(want, edges); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}

	rows := []struct {
		name string
		b    memory.Batch
		want error
	}{
		{name: "stale", b: memory.Batch{Expect: map[string][]byte{"seq": nil}}, want: memory.ErrConflict},
		{name: "other", b: memory.Batch{Expect: map[string][]byte{"seq": []byte("2")}}, want: memory.ErrConflict},
		{name: "missing", b: memory.Batch{Expect: map[string][]byte{"none": []byte("")}}, want: memory.ErrConflict},
		{name: "bad_entity", b: memory.Batch{Put: []memory.Entity{{ID: "x"}}}},
		{name: "unknown_end", b: memory.Batch{Relate: []memory.Relation{{From: "rat", Type: "eats", To: "idol"}}}, want: memory.ErrNotFound},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.b.Remove = []string{"rat"}
			row.b.Space, row.b.State = "w", map[string][]byte{"seq": []byte("9")}
			err := s.Change(t.Context(), row.b)
			if err == nil || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("err = %v, want one (%v)", err, row.want)
			}
			if _, err := s.Entity(t.Context(), "rat", ""); err != nil || string(state()["seq"]) != "1" {
				t.Errorf("rat: %v, state %s; want both as before", err, state()["seq"])
			}
		})
	}
}

func testPlaces(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	in := func(id, place string, visible ...string) memory.Relation {
		return memory.Relation{From: id, Type: memory.LocatedIn, To: place, Visible: visible}
	}
	must(t, "PutRelations", s.PutRelations(t.Context(),
		in("bartok", "rusty-flagon"), in("idol", "cult"), in("mayor", "rusty-flagon", "bartok"), in("smuggler", "rusty-flagon"), in("cave", "cave")))
	rows := []struct {
		name, viewer string
		inside       []string // the Rusty Flagon
		idol         bool     // known to belong to the cult
	}{
		{name: "operator", inside: []string{"bartok", "mayor", "smuggler"}, idol: true},
		{name: "who_knows_all_there", viewer: "bartok", inside: []string{"bartok", "mayor", "smuggler"}},
		{name: "who_knows_the_cult", viewer: "mayor", inside: []string{"bartok"}, idol: true},
		{name: "stranger", viewer: memory.Anyone, inside: []string{"bartok"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inside, err := s.Inside(t.Context(), row.viewer, "rusty-flagon", 10)
			must(t, "Inside", err)
			if diff := cmp.Diff(row.inside, ids(inside)); diff != "" {
				t.Errorf("inside (-want +got):\n%s", diff)
			}
			places, err := s.Places(t.Context(), row.viewer, "bartok", "idol", "rusty-flagon", "nobody")
			must(t, "Places", err)
			if _, ok := places["idol"]; ok != row.idol || places["bartok"].ID != "rusty-flagon" || len(places) > 2 {
				t.Errorf("places = %v, want bartok's and the idol's: %v", places, row.idol)
			}
		})
	}
	few, err := s.Inside(t.Context(), "", "rusty-flagon", 1)
	must(t, "Inside", err)
	if diff := cmp.Diff([]string{"bartok"}, ids(few)); diff != "" {
		t.Errorf("limited (-want +got):\n%s", diff)
	}
}

// testFactsFollowTheirEntity changes an entity in every way that its
// description must reflect.
func testFactsFollowTheirEntity(t *testing.T, h Harness) {
	aldo := memory.Entity{ID: "aldo", Type: "npc", Name: "Aldo", Description: "A zebra miller."}
	with := func(edit func(*memory.Entity)) memory.Batch {
		e := aldo
		edit(&e)
		return memory.Batch{Put: []memory.Entity{e}}
	}
	rows := []struct {
		name          string
		b             memory.Batch
		all, stranger []string // facts about a zebra that the operator and a stranger find
	}{
		{name: "moved", b: with(func(e *memory.Entity) { e.Position = &memory.Position{1, 2, 3} }),
			all: []string{"Aldo: A zebra miller.", "He owns a zebra."}, stranger: []string{"Aldo: A zebra miller.", "He owns a zebra."}},
		{name: "described_anew", b: with(func(e *memory.Entity) { e.Description = "A zebra king." }),
			all: []string{"Aldo: A zebra king.", "He owns a zebra."}, stranger: []string{"Aldo: A zebra king.", "He owns a zebra."}},
		{name: "renamed", b: with(func(e *memory.Entity) { e.Name = "Odo" }),
			all: []string{"He owns a zebra.", "Odo: A zebra miller."}, stranger: []string{"He owns a zebra.", "Odo: A zebra miller."}},
		{name: "described_no_more", b: with(func(e *memory.Entity) { e.Description = "" }),
			all: []string{"He owns a zebra."}, stranger: []string{"He owns a zebra."}},
		{name: "hidden", b: with(func(e *memory.Entity) { e.Visible = []string{"mayor"} }),
			all: []string{"Aldo: A zebra miller.", "He owns a zebra."}},
		{name: "removed", b: memory.Batch{Remove: []string{"aldo"}}, all: []string{"He owns a zebra."}, stranger: []string{"He owns a zebra."}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := h.plain(t)
			must(t, "Change", s.Change(t.Context(), memory.Batch{Put: []memory.Entity{aldo}}))
			must(t, "Remember", s.Remember(t.Context(), memory.DescriptionOf(aldo), memory.Fact{Source: "entity:aldo", Text: "He owns a zebra."}))
			must(t, "Change", s.Change(t.Context(), row.b))
			checkFacts(t, s, "", row.all)
			checkFacts(t, s, memory.Anyone, row.stranger)
			_, err := EmbedAll(t, s)
			must(t, "reindex", err)
			checkFacts(t, s, "", row.all)
			checkFacts(t, s, memory.Anyone, row.stranger)
		})
	}
}

func checkFacts(t *testing.T, s memory.Store, viewer string, want []string) {
	t.Helper()
	hits, err := s.SearchFacts(t.Context(), "zebra", viewer, 10)
	must(t, "SearchFacts", err)
	found := map[string]bool{}
	for _, h := range hits {
		found[h.Text] = true
	}
	for _, text := range want {
		if !found[text] {
			t.Errorf("%q does not find %q", viewer, text)
		}
	}
	if len(found) != len(want) || len(hits) != len(want) {
		t.Errorf("%q finds %v, want %q", viewer, found, want)
	}
}
