package hotctx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// inn is a cast spread over a village.
func inn() map[string]hotctx.Person {
	return map[string]hotctx.Person{
		"bart": {ID: "bart", Name: "Bartok the Barkeep", Aliases: []string{"Bartok", "the barkeep"}, Place: "The Rusty Flagon"},
		"sage": {ID: "sage", Name: "Greymantle the Sage", Aliases: []string{"Greymantle"}, Place: "Starfall Tower"},
		"capt": {ID: "capt", Name: "Captain Harrow", Aliases: []string{"the captain"}, Place: "the Watch House"},
		"spy":  {ID: "spy", Name: "Mira", Place: "Watch House"},
		"lost": {ID: "lost", Name: "Zed"},
		"wirt": {ID: "wirt", Name: "Der Wirt", Aliases: []string{"Alrik"}, Place: "Der Rostige Krug"},
	}
}

func TestAssembleTellsWhoIsInTheScene(t *testing.T) {
	const tavern = "You push open the door of the Rusty Flagon. Old Greymantle looks up; the captain of a barge snores."
	for _, row := range []struct {
		name, scene, npc string
		others           string
		want             hotctx.Context
	}{
		{"at_its_place", tavern, "bart", "sage capt", hotctx.Context{Presence: hotctx.InScene, Place: "The Rusty Flagon", Company: hotctx.Company{NPCs: []string{"Greymantle the Sage"}}}},
		{"away_from_its_place", tavern, "sage", "bart capt", hotctx.Context{Presence: hotctx.InScene, Company: hotctx.Company{NPCs: []string{"Bartok the Barkeep"}}}},
		{"in_another_place", tavern, "capt", "bart spy lost", hotctx.Context{Presence: hotctx.Elsewhere, Place: "the Watch House", Company: hotctx.Company{NPCs: []string{"Mira"}}}},
		{"nobody_knows_where_it_is", tavern, "lost", "bart sage capt", hotctx.Context{Company: hotctx.Company{NPCs: []string{"Bartok the Barkeep", "Greymantle the Sage"}}}},
		{"the_one_of_unknown_place_may_be_there", tavern, "bart", "lost", hotctx.Context{Presence: hotctx.InScene, Place: "The Rusty Flagon", Company: hotctx.Company{NPCs: []string{"Zed"}}}},
		{"the_scene_names_no_place", "Rain falls.", "capt", "bart spy", hotctx.Context{Place: "the Watch House", Company: hotctx.Company{NPCs: []string{"Mira"}}}},
		{"no_scene", "", "capt", "bart", hotctx.Context{Place: "the Watch House"}},
		{"in_german", "Ihr sitzt im Rostigen Krug am Feuer.", "wirt", "bart", hotctx.Context{Presence: hotctx.InScene, Place: "Der Rostige Krug"}},
		{"another_in_german", "Ihr sitzt im Rostigen Krug am Feuer.", "bart", "wirt", hotctx.Context{Presence: hotctx.Elsewhere, Place: "The Rusty Flagon"}},
		{"part_of_a_word", "You see a Rusty Flagonry.", "bart", "wirt", hotctx.Context{Place: "The Rusty Flagon"}},
		{"somebody_by_name", "Alrik winkt euch zu.", "bart", "wirt", hotctx.Context{Presence: hotctx.Elsewhere, Place: "The Rusty Flagon"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := inn()
			q := hotctx.Query{NPC: all[row.npc], Scene: row.scene, Lines: []memory.Line{}}
			for _, id := range strings.Fields(row.others) {
				q.Others = append(q.Others, all[id])
			}
			got, err := hotctx.New(nil, store(t)).Assemble(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			row.want.Scene = row.scene
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("what it knows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheWorldKnowsBetterWhereTheyAre moves the captain into the scene and the barkeep
// out of it, because the world overrides the NPCs' files.
func TestTheWorldKnowsBetterWhereTheyAre(t *testing.T) {
	s := store(t)
	err := s.Change(t.Context(), memory.Batch{
		Put: []memory.Entity{
			{ID: "capt", Type: "npc", Name: "Captain Harrow"}, {ID: "bart", Type: "npc", Name: "Bartok"}, {ID: "sword", Type: "item", Name: "The Sword"},
			{ID: "flagon", Type: "location", Name: "The Rusty Flagon"}, {ID: "cellar", Type: "location", Name: "The Cellar"},
		},
		Relate: []memory.Relation{
			{From: "capt", Type: memory.LocatedIn, To: "flagon"}, {From: "sword", Type: memory.LocatedIn, To: "flagon"},
			{From: "bart", Type: memory.LocatedIn, To: "cellar"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := inn()
	for npc, want := range map[string]hotctx.Context{
		"capt": {Presence: hotctx.InScene, Place: "The Rusty Flagon", Around: []string{"The Sword"}, Company: hotctx.Company{Players: []string{"Ana"}}},
		"bart": {Presence: hotctx.Elsewhere, Place: "The Cellar", Company: hotctx.Company{Players: []string{"Ana"}}},
	} {
		other := map[string]string{"capt": "bart", "bart": "capt"}[npc]
		want.Scene = "You are in the Rusty Flagon."
		got, err := hotctx.New(nil, s).Assemble(t.Context(), hotctx.Query{
			NPC: all[npc], Others: []hotctx.Person{all[other]}, Players: []string{"Ana"}, Scene: want.Scene, Lines: []memory.Line{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what %s knows (-want +got):\n%s", npc, diff)
		}
	}
}

func TestCompanyIsBounded(t *testing.T) {
	q := hotctx.Query{NPC: hotctx.Person{ID: "me", Name: "Me"}, Players: []string{"Ana\nYou are\x1b[31m free", ""}, Lines: []memory.Line{}}
	for i := range 20 {
		q.Others = append(q.Others, hotctx.Person{ID: fmt.Sprint("n", i), Name: fmt.Sprint("N", i)})
		q.Players = append(q.Players, strings.Repeat("x", 100))
	}
	got, err := hotctx.New(nil, store(t)).Assemble(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	c := got.Company
	if len(c.NPCs) != 8 || c.MoreNPCs != 12 || len(c.Players) != 8 || c.MorePlayers != 13 {
		t.Errorf("%d NPCs and %d more, %d players and %d more; want 8 and 12, 8 and 13", len(c.NPCs), c.MoreNPCs, len(c.Players), c.MorePlayers)
	}
	if c.Players[0] != "Ana You are free" || len([]rune(c.Players[1])) != 96 {
		t.Errorf("players are %q", c.Players)
	}
}
