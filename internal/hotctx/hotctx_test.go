package hotctx_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func store(tb testing.TB) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "db"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestAssembleTakesWhatTheNPCMayKnow(t *testing.T) {
	s := store(t)
	session, err := s.StartSession(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	err = s.PutEntities(t.Context(),
		memory.Entity{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Description: "A halfling."},
		memory.Entity{ID: "flagon", Type: "location", Name: "The Rusty Flagon", Description: "A tavern."},
		memory.Entity{ID: "cult", Type: "faction", Name: "The Silent Hand", Description: "A cult.", Visible: []string{"harrow"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	line := func(speaker, npc, to, text string) memory.Line {
		return memory.Line{Session: session.ID, Speaker: speaker, NPC: npc, To: to, Text: text, At: time.Now()}
	}
	if _, err := s.Append(t.Context(), line("Alice", "", "mira", "hello Mira"), line("Mira", "mira", "", "hello"), line("Bob", "", "bartok", "an ale")); err != nil {
		t.Fatal(err)
	}
	src := hotctx.New(s, s)
	for _, row := range []struct {
		name, npc, utterance string
		lines, entities      []string
	}{
		{"others' lines only", "mira", "hm", []string{"Bob (player): an ale"}, nil},
		{"two mentioned", "mira", "Is Bartok in the Flagon?", []string{"Bob (player): an ale"}, []string{"Bartok the Barkeep (npc): A halfling.", "The Rusty Flagon (location): A tavern."}},
		{"possessive", "mira", "I like Bartok's ale", []string{"Bob (player): an ale"}, []string{"Bartok the Barkeep (npc): A halfling."}},
		{"itself is no news", "bartok", "Bartok!", []string{"Alice (player): hello Mira", "Mira (NPC): hello"}, nil},
		{"hidden from it", "mira", "the Silent Hand", []string{"Bob (player): an ale"}, nil},
		{"known to it", "harrow", "the Silent Hand", []string{"Alice (player): hello Mira", "Mira (NPC): hello", "Bob (player): an ale"}, []string{"The Silent Hand (faction): A cult."}},
		{"similar is not mentioned", "mira", "the flag on the mast", []string{"Bob (player): an ale"}, nil},
		{"no words", "mira", "… ?!", []string{"Bob (player): an ale"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := src.Assemble(t.Context(), hotctx.Query{NPC: hotctx.Person{ID: row.npc}, Session: session.ID, Scene: "night", Utterance: row.utterance, Recent: 10})
			if err != nil {
				t.Fatal(err)
			}
			if got.Scene != "night" || !slices.Equal(got.Lines, row.lines) {
				t.Errorf("scene %q, lines %q; want night and %q", got.Scene, got.Lines, row.lines)
			}
			slices.Sort(got.Entities)
			if !slices.Equal(got.Entities, row.entities) {
				t.Errorf("entities = %q, want %q", got.Entities, row.entities)
			}
		})
	}
}

func TestAssembleSaysWhereTheyAre(t *testing.T) {
	s := store(t)
	session, err := s.StartSession(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	in := func(id, place string, visible ...string) memory.Relation {
		return memory.Relation{From: id, Type: memory.LocatedIn, To: place, Visible: visible}
	}
	err = s.Change(t.Context(), memory.Batch{
		Put: []memory.Entity{
			{ID: "bartok", Type: "npc", Name: "Bartok", Description: "A halfling."},
			{ID: "mira", Type: "npc", Name: "Mira", Position: &memory.Position{1, 2.5, -3}},
			{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The miller."},
			{ID: "flagon", Type: "location", Name: "The Rusty Flagon"},
			{ID: "lair", Type: "location", Name: "The Lair", Visible: []string{"harrow"}},
			{ID: "sword", Type: "item", Name: "The Sword", Description: "Sharp."},
		},
		Relate: []memory.Relation{in("bartok", "flagon"), in("sword", "flagon"), in("aldo", "lair"), in("mira", "flagon", "bartok")},
	})
	if err != nil {
		t.Fatal(err)
	}
	src := hotctx.New(s, s)
	for _, row := range []struct {
		name, npc, utterance, place string
		around, entities            []string
	}{
		{"in a place", "harrow", "where is Bartok?", "", nil, []string{"Bartok (npc): A halfling. Now in The Rusty Flagon."}},
		{"on the map", "harrow", "where is Mira?", "", nil, []string{"Mira (npc): Now at 1, 2.5, -3 on the map."}},
		{"known to be in a place", "bartok", "where is Mira?", "The Rusty Flagon", []string{"Mira", "The Sword"}, []string{"Mira (npc): Now in The Rusty Flagon."}},
		{"in a hidden place", "bartok", "where is Aldo?", "The Rusty Flagon", []string{"Mira", "The Sword"}, []string{"Aldo (npc): The miller."}},
		{"in a place it knows of", "harrow", "where is Aldo?", "", nil, []string{"Aldo (npc): The miller. Now in The Lair."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := src.Assemble(t.Context(), hotctx.Query{NPC: hotctx.Person{ID: row.npc}, Session: session.ID, Scene: "Night.", Utterance: row.utterance, Recent: 10})
			if err != nil {
				t.Fatal(err)
			}
			if got.Scene != "Night." || got.Place != row.place || !slices.Equal(got.Around, row.around) || !slices.Equal(got.Entities, row.entities) {
				t.Errorf("scene %q, in %q with %q, entities %q; want Night., %q with %q and %q", got.Scene, got.Place, got.Around, got.Entities, row.place, row.around, row.entities)
			}
		})
	}
}

// TestWhoIsBlindKnowsNamesAlone: a blind character gets names only, not looks, places or
// surroundings.
func TestWhoIsBlindKnowsNamesAlone(t *testing.T) {
	s := store(t)
	err := s.Change(t.Context(), memory.Batch{
		Put: []memory.Entity{
			{ID: "flagon", Type: "location", Name: "The Rusty Flagon", Description: "A tavern with a green door."},
			{ID: "sword", Type: "item", Name: "The Sword", Description: "It gleams.", Position: &memory.Position{1, 2, 3}},
			{ID: "mira", Type: "npc", Name: "Mira"},
		},
		Relate: []memory.Relation{{From: "mira", Type: memory.LocatedIn, To: "flagon"}, {From: "sword", Type: memory.LocatedIn, To: "flagon"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := hotctx.New(s, s).Assemble(t.Context(), hotctx.Query{NPC: hotctx.Person{ID: "mira"}, Session: "none", Scene: "Night.", Utterance: "Look at the Sword of the Flagon", Recent: 10, Blind: true})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.Entities)
	if want := []string{"The Rusty Flagon (location):", "The Sword (item):"}; got.Scene != "" || len(got.Around) > 0 || !slices.Equal(got.Entities, want) {
		t.Errorf("scene %q, around %q, mentioned %q; want nothing, and %q", got.Scene, got.Around, got.Entities, want)
	}
}

func TestAssembleClips(t *testing.T) {
	src := hotctx.New(nil, store(t))
	for _, row := range []struct{ name, said, want string }{
		{"short", "hello", "hello"},
		{"as_long_as_may_be", strings.Repeat("ü", 400), strings.Repeat("ü", 400)},
		{"too_long", strings.Repeat("ü", 401), strings.Repeat("ü", 399) + "…"},
		{"too_long_in_plain_letters", strings.Repeat("u", 401), strings.Repeat("u", 399) + "…"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := src.Assemble(t.Context(), hotctx.Query{NPC: hotctx.Person{ID: "mira"}, Recent: 1, Lines: []memory.Line{{Speaker: "Alice", Text: row.said}}})
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"Alice (player): " + row.want}; !slices.Equal(got.Lines, want) {
				t.Errorf("lines = %q, want %q", got.Lines, want)
			}
		})
	}
}
