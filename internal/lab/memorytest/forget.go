package memorytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// supper are lines of a player who is to be forgotten, of an NPC that answers her and of
// another player.
func supper(session string, turns int) (all []memory.Line) {
	for i := range turns {
		turn := int64(i)
		all = append(all,
			memory.Line{Session: session, Turn: turn, Speaker: "Anastasia", User: Ada, To: "bartok", Text: fmt.Sprint("the gribblefrotz is buried under the oak number", i)},
			memory.Line{Session: session, Turn: turn, Speaker: "Bartok", NPC: "bartok", Text: []string{
				"Well, Anastasia, I will tell nobody.", "You say the gribblefrotz, then.", "It is buried under the oak, I see.", "I see.", "ANASTASIA's secret, and Borin Ironfist's.",
			}[i%5]},
			memory.Line{Session: session, Turn: turn, Speaker: "Bob", User: Bob, Text: "what does Anastasia say, and who buried what"},
		)
	}
	return all
}

// testForgettingAPerson takes what a player said out of a store, what repeats it, and the
// player's names.
func testForgettingAPerson(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	id := StartSession(t, s)
	Write(t, s, supper(id, 100)...)
	must(t, "PutEntities", s.PutEntities(t.Context(),
		memory.Entity{ID: "oak", Name: "Oak", Description: "Planted by Borin  Ironfist.", Aliases: []string{"Anastasia's tree", "Tree"}, Attributes: map[string]string{"by": "Anastasia"}},
		memory.Entity{ID: "bartok", Name: "Bartok"}))
	must(t, "PutRelations", s.PutRelations(t.Context(), memory.Relation{From: "bartok", Type: "owes", To: "oak", Note: "a promise to Anastasia"}))
	must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "entity:oak", Text: "Borin Ironfist planted it.", Visible: []string{"bartok"}}))
	must(t, "Change", s.Change(t.Context(), memory.Batch{Record: []memory.WorldChange{{Seq: 1, Who: Ada, Cause: "Anastasia said so", Data: []byte(`{"by":"Anastasia"}`)}}}))
	names, err := s.NamesOf(t.Context(), Ada)
	if must(t, "NamesOf", err); !slices.Equal(names, []string{"Anastasia"}) {
		t.Errorf("names are %q", names)
	}
	seen := 0
	n, err := s.ForgetPerson(t.Context(), memory.Person{User: Ada, Names: []string{"Borin Ironfist", "Bartok", "the"}, Keep: []string{"Bartok"}, Instead: "jemand"},
		func(p memory.Forgetting) { seen = max(seen, p.Phase) })
	must(t, "ForgetPerson", err)
	if n != 100 || seen == 0 {
		t.Errorf("%d lines forgotten, progress up to phase %d; want 100 and some", n, seen)
	}
	checkSupper(t, s, id)
	oak, err := s.Entity(t.Context(), "oak", "")
	must(t, "Entity", err)
	if oak.Description != "Planted by jemand." || !slices.Equal(oak.Aliases, []string{"Tree"}) || oak.Attributes["by"] != "jemand" {
		t.Errorf("the oak is %+v", oak)
	}
	_, relations, err := s.World(t.Context())
	if must(t, "World", err); len(relations) != 1 || relations[0].Note != "a promise to jemand" {
		t.Errorf("relations are %+v", relations)
	}
	change, err := s.WorldChange(t.Context(), 1)
	if must(t, "WorldChange", err); change.Who == Ada || change.Cause != "jemand said so" || len(change.Data) > 0 {
		t.Errorf("the change is %+v", change)
	}
	facts, err := s.SearchFacts(t.Context(), "jemand planted", "bartok", 5)
	must(t, "SearchFacts", err)
	if !slices.ContainsFunc(facts, func(f memory.FactHit) bool { return f.Text == "jemand planted it." && len(f.Visible) == 1 }) {
		t.Errorf("facts are %+v, want the oak's for Bartok", facts)
	}
	if names, err := s.NamesOf(t.Context(), Ada); err != nil || len(names) > 0 {
		t.Errorf("afterwards names are %q, %v", names, err)
	}
	if n, err := s.GoOnForgetting(t.Context()); n != 0 || err != nil {
		t.Errorf("then %d, %v are left, want nobody", n, err)
	}
}

// checkSupper checks what is left of a hundred turns once Anastasia is forgotten.
func checkSupper(t *testing.T, s memory.Store, session string) {
	t.Helper()
	lines, err := s.Recent(t.Context(), session, 2000)
	must(t, "Recent", err)
	count := map[string]int{}
	for _, l := range lines {
		count[l.Speaker+": "+l.Text]++
	}
	want := map[string]int{
		"Bartok: Well, jemand, I will tell nobody.": 20, "Bartok: I see.": 20, "Bartok: jemand's secret, and jemand's.": 20,
		"Bob: what does jemand say, and who buried what": 100,
	}
	for text, n := range want {
		if count[text] != n {
			t.Errorf("%q is kept %d times, want %d", text, count[text], n)
		}
		delete(count, text)
	}
	if len(count) > 0 {
		t.Errorf("kept beside that: %v", count)
	}
	for _, word := range []string{"Anastasia", "gribblefrotz", "Ironfist"} {
		hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: word, Limit: 1000})
		must(t, "SearchLines", err)
		facts, err := s.SearchFacts(t.Context(), word, "", 1000)
		must(t, "SearchFacts", err)
		if len(hits)+len(facts) > 0 {
			t.Errorf("%s is still found: %v %v", word, hits, facts)
		}
	}
	if all, err := s.Sessions(t.Context(), 1); err != nil || all[0].Lines != len(lines) {
		t.Errorf("the session has %+v lines, %v; want %d", all, err, len(lines))
	}
}

// testForgettingGoesOn stops at once, and goes on in another opening of the store. What the
// player says meanwhile stays.
func testForgettingGoesOn(t *testing.T, h Harness) {
	at := h.New(t)
	s, err := h.Open(t.Context(), at, nil, nil)
	must(t, "Open", err)
	id := StartSession(t, s)
	Write(t, s, supper(id, 100)...)
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	_, err = s.ForgetPerson(stopped, memory.Person{User: Ada, Names: []string{"Borin Ironfist"}, Instead: "jemand"}, func(memory.Forgetting) { stop() })
	if err == nil {
		t.Fatal("it was not stopped")
	}
	now := Write(t, s, memory.Line{Session: id, Speaker: "Stasi", User: Ada, Text: "good morning"})[0]
	must(t, "Close", s.Close())
	s = h.open(t, at, nil)
	n, err := s.GoOnForgetting(t.Context())
	if must(t, "GoOnForgetting", err); n != 1 {
		t.Errorf("%d people were still to be forgotten, want 1", n)
	}
	last, err := s.Recent(t.Context(), id, 1)
	if must(t, "Recent", err); last[0].ID != now.ID {
		t.Errorf("the last line is %+v, want what was said meanwhile", last[0])
	}
	_, err = s.Forget(t.Context(), Ada)
	must(t, "Forget", err)
	checkSupper(t, s, id)
}

// testUnknownPeople forgets nobody, and takes names out alone.
func testUnknownPeople(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	id := StartSession(t, s)
	Write(t, s, memory.Line{Session: id, Speaker: "Bob", User: Bob, Text: "Where are Greta and gretas?"},
		memory.Line{Session: id, Speaker: "Bob", User: Ada, Text: "I am called Bob, too."})
	for _, p := range []memory.Person{{}, {User: "nobody"}, {Names: []string{"Greta"}}} {
		if n, err := s.ForgetPerson(t.Context(), p, nil); n != 0 || err != nil {
			t.Errorf("%+v: %d, %v", p, n, err)
		}
	}
	if n, err := s.ForgetPerson(t.Context(), memory.Person{User: "nobody", Names: []string{"Greta"}}, nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := s.ForgetPerson(t.Context(), memory.Person{User: Ada}, nil); n != 1 || err != nil {
		t.Errorf("%d, %v; want Ada's line", n, err)
	}
	lines, err := s.Recent(t.Context(), id, 10)
	must(t, "Recent", err)
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.Speaker+": "+l.Text)
	}
	if got := strings.Join(texts, "; "); got != "Bob: Where are someone and someones?" {
		t.Errorf("lines are %q", got)
	}
}
