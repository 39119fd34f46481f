package memorytest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// file is the content of a campaign file.
type file struct {
	entities  []memory.Entity
	relations []memory.Relation
	facts     []memory.Fact
}

func hamlet() file {
	return file{
		entities: []memory.Entity{
			{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The zebra miller."},
			{ID: "mill", Type: "location", Name: "Mill"},
			{ID: "weir", Type: "location", Name: "Weir"},
		},
		relations: []memory.Relation{{From: "aldo", Type: "located_in", To: "mill"}, {From: "mill", Type: "near", To: "weir"}},
		facts:     []memory.Fact{{Source: "entity:aldo", Text: "He owns a zebra."}},
	}
}

func settle(t *testing.T, s memory.Store, f file) {
	t.Helper()
	must(t, "Settle", s.ApplyCampaign(t.Context(), f.entities, f.relations, f.facts))
}

func testSettleRespectsWhoSpokeLast(t *testing.T, h Harness) {
	moved := &memory.Position{1, 2, 3}
	played := memory.Entity{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The drowned zebra miller.", Position: moved}
	rows := []struct {
		name   string
		played memory.Batch
		edit   func(*file)
		// The final state of aldo; nil if it is gone.
		want      *memory.Entity
		relations []string // of mill, as "from type to"
	}{
		{name: "nothing_happened", want: &hamlet().entities[0],
			relations: []string{"aldo located_in mill", "mill near weir"}},
		{name: "a_change_at_the_table_stays", played: memory.Batch{Put: []memory.Entity{played}}, want: &played,
			relations: []string{"aldo located_in mill", "mill near weir"}},
		{name: "an_edit_of_the_file_wins_and_keeps_the_position", played: memory.Batch{Put: []memory.Entity{played}},
			edit:      func(f *file) { f.entities[0].Description = "The zebra king." },
			want:      &memory.Entity{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The zebra king.", Position: moved},
			relations: []string{"aldo located_in mill", "mill near weir"}},
		{name: "an_edit_of_who_knows_counts", edit: func(f *file) { f.entities[0].Visible = []string{"mayor"} },
			want:      &memory.Entity{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The zebra miller.", Visible: []string{"mayor"}},
			relations: []string{"aldo located_in mill", "mill near weir"}},
		{name: "what_was_removed_stays_away", played: memory.Batch{Remove: []string{"aldo"}}, relations: []string{"mill near weir"}},
		{name: "an_edit_brings_it_back_with_its_relations", played: memory.Batch{Remove: []string{"aldo"}},
			edit:      func(f *file) { f.entities[0].Name = "Odo" },
			want:      &memory.Entity{ID: "aldo", Type: "npc", Name: "Odo", Description: "The zebra miller."},
			relations: []string{"aldo located_in mill", "mill near weir"}},
		{name: "a_relation_that_ended_stays_away",
			played: memory.Batch{Unrelate: []memory.Relation{{From: "aldo", Type: "located_in", To: "mill"}}},
			want:   &hamlet().entities[0], relations: []string{"mill near weir"}},
		{name: "a_relation_to_what_is_gone_waits", played: memory.Batch{Remove: []string{"aldo"}},
			edit:      func(f *file) { f.relations[0].Note = "every day" },
			relations: []string{"mill near weir"}},
		{name: "what_the_file_no_longer_mentions_stays", edit: func(f *file) { f.entities, f.relations = f.entities[1:], f.relations[1:] },
			want: &hamlet().entities[0], relations: []string{"aldo located_in mill", "mill near weir"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := h.plain(t)
			settle(t, s, hamlet())
			must(t, "Change", s.Change(t.Context(), row.played))
			again := hamlet()
			if row.edit != nil {
				row.edit(&again)
			}
			for range 2 { // the second start changes nothing
				settle(t, s, again)
				checkHamlet(t, s, row.want, row.relations)
			}
		})
	}
}

func checkHamlet(t *testing.T, s memory.Store, aldo *memory.Entity, relations []string) {
	t.Helper()
	entities, edges, err := s.World(t.Context())
	must(t, "World", err)
	i := slices.IndexFunc(entities, func(e memory.Entity) bool { return e.ID == "aldo" })
	switch {
	case aldo == nil && i >= 0:
		t.Errorf("aldo is %+v, want him gone", entities[i])
	case aldo != nil && i < 0:
		t.Errorf("aldo is gone, want %+v", *aldo)
	case aldo != nil:
		if diff := cmp.Diff(*aldo, entities[i]); diff != "" {
			t.Errorf("aldo (-want +got):\n%s", diff)
		}
	}
	got := []string{}
	for _, r := range edges {
		got = append(got, r.From+" "+r.Type+" "+r.To)
	}
	if diff := cmp.Diff(relations, got); diff != "" {
		t.Errorf("relations (-want +got):\n%s", diff)
	}
}

func testSettledFacts(t *testing.T, h Harness) {
	s := h.plain(t)
	settle(t, s, hamlet())
	checkFacts(t, s, "", []string{"Aldo: The zebra miller.", "He owns a zebra."})
	must(t, "Change", s.Change(t.Context(), memory.Batch{Put: []memory.Entity{
		{ID: "aldo", Type: "npc", Name: "Aldo", Description: "The zebra miller.", Visible: []string{"mayor"}}}}))
	settle(t, s, hamlet())
	checkFacts(t, s, "", []string{"Aldo: The zebra miller.", "He owns a zebra."})
	checkFacts(t, s, memory.Anyone, nil)
}
