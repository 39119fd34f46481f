package memorytest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func unsettled(t *testing.T, s memory.Store, f file, want memory.Settlement) {
	t.Helper()
	got, err := s.CampaignChanges(t.Context(), f.entities, f.relations, f.facts)
	if must(t, "Unsettled", err); got != want {
		t.Errorf("settling would do %+v, want %+v", got, want)
	}
}

// town is a campaign file about three people.
func town() (f file) {
	for i := range 3 {
		id := fmt.Sprintf("citizen-%d", i)
		f.entities = append(f.entities, memory.Entity{ID: id, Type: "npc", Name: "Citizen " + string(rune('A'+i))})
		f.relations = append(f.relations, memory.Relation{From: id, Type: "knows", To: fmt.Sprintf("citizen-%d", (i+1)%3)})
		f.facts = append(f.facts, memory.Fact{Source: "entity:" + id, Text: "Keeps secret number " + string(rune('A'+i)), Visible: []string{"dm"}})
	}
	return f
}

// testWhatIsNotSettledYet checks that the preview of settling equals its
// result.
func testWhatIsNotSettledYet(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	f := town()
	unsettled(t, s, f, memory.Settlement{Added: 3, Relations: 3, Facts: 3})
	if all, _, err := s.World(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("telling brought %v, %v", all, err)
	}
	settle(t, s, f)
	unsettled(t, s, f, memory.Settlement{Kept: 3})
	f.entities[1].Description = "A baker."
	f.relations[1].Note = "well"
	f.facts[1].Visible = nil
	unsettled(t, s, f, memory.Settlement{Changed: 1, Kept: 2, Relations: 1, Facts: 1})
	broken := f
	broken.entities = append(slices.Clone(f.entities), memory.Entity{ID: "nameless"})
	if _, err := s.CampaignChanges(t.Context(), broken.entities, broken.relations, broken.facts); err == nil {
		t.Error("an entity without a name would be settled")
	}
}

// testWithdrawing removes a campaign, and imports its file again.
func testWithdrawing(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	f := town()
	settle(t, s, f)
	must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "session:x", Text: "Citizen B was here."}))
	told := toldFacts(t, s)
	if len(told) != 3 || told[2].Source != "entity:citizen-2" || !slices.Equal(told[2].Visible, []string{"dm"}) || told[2].At.IsZero() {
		t.Fatalf("facts told are %+v", told)
	}
	must(t, "Withdraw", s.Withdraw(t.Context(), []string{"citizen-1", "nobody"}, []memory.Relation{f.relations[2], {From: "a", Type: "b", To: "c"}}, f.facts[1:2]))
	entities, relations, err := s.World(t.Context())
	if must(t, "World", err); len(entities) != 2 || len(relations) != 0 {
		t.Errorf("%d entities and %v stay, want 2 and none", len(entities), relations)
	}
	if told := toldFacts(t, s); len(told) != 2 {
		t.Errorf("facts told are then %+v", told)
	}
	if hits, err := s.SearchFacts(t.Context(), "secret number B", "dm", 5); err != nil || slices.ContainsFunc(hits, func(f memory.FactHit) bool { return f.Text == "Keeps secret number B" }) {
		t.Errorf("what was withdrawn is found: %v, %v", hits, err)
	}
	settle(t, s, f)
	entities, relations, err = s.World(t.Context())
	if must(t, "World", err); len(entities) != 3 || len(relations) != 3 || len(toldFacts(t, s)) != 3 {
		t.Errorf("settled again there are %v and %v", entities, relations)
	}
}

// toldFacts reads the facts of campaigns one at a time.
func toldFacts(t *testing.T, s memory.Store) (all []memory.Fact) {
	t.Helper()
	for after := int64(0); ; after = all[len(all)-1].ID {
		some, err := s.CampaignFacts(t.Context(), after, 1)
		must(t, "ToldFacts", err)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
	}
}

// testRemovingASession deletes one of two sessions, with more lines than one
// step handles.
func testRemovingASession(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	gone, stays := StartSession(t, s), StartSession(t, s)
	var lines []memory.Line
	for i := range 450 {
		lines = append(lines, memory.Line{Session: gone, Speaker: "Ada", Text: fmt.Sprint("zebra ", i%300)})
	}
	Write(t, s, append(lines, memory.Line{Session: stays, Speaker: "Ada", Text: "zebra 1"})...)
	IndexAll(t, s)
	n, err := s.RemoveSession(t.Context(), gone)
	if must(t, "RemoveSession", err); n != 450 {
		t.Errorf("%d lines were deleted, want 450", n)
	}
	check(t, s, stays, "zebra", []string{"Ada: zebra 1"})
	if all, err := s.Sessions(t.Context(), 0); err != nil || len(all) != 1 || all[0].ID != stays {
		t.Errorf("sessions are %+v, %v", all, err)
	}
	if facts, err := s.SearchFacts(t.Context(), "zebra", "", 100); err != nil || len(facts) != 1 {
		t.Errorf("facts are %v, %v; want one", facts, err)
	}
	for _, id := range []string{gone, "nothing"} {
		if _, err := s.RemoveSession(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("%q: %v, want ErrNotFound", id, err)
		}
	}
}
