package memorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// supper are lines of a player who will be forgotten, of an NPC that answers
// and quotes her, and of another player who names her.
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

// testForgettingAUser deletes a user's lines. Other speakers' words about her
// stay unchanged.
func testForgettingAUser(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	id := StartSession(t, s)
	Write(t, s, supper(id, 100)...)
	IndexAll(t, s)
	names, err := s.NamesOf(t.Context(), Ada)
	if must(t, "NamesOf", err); !slices.Equal(names, []string{"Anastasia"}) {
		t.Errorf("names are %q", names)
	}
	seen := 0
	n, err := s.ForgetUser(t.Context(), Ada, func(p memory.Forgetting) { seen = max(seen, p.Phase) })
	must(t, "ForgetUser", err)
	if n != 100 || seen == 0 {
		t.Errorf("%d lines forgotten, progress up to phase %d; want 100 and some", n, seen)
	}
	checkSupper(t, s, id)
	if names, err := s.NamesOf(t.Context(), Ada); err != nil || len(names) > 0 {
		t.Errorf("afterwards names are %q, %v", names, err)
	}
	if n, err := s.ResumeForgetting(t.Context()); n != 0 || err != nil {
		t.Errorf("then %d, %v are left, want nobody", n, err)
	}
}

// checkSupper checks the rest of a hundred turns after Anastasia is forgotten.
func checkSupper(t *testing.T, s memory.Store, session string) {
	t.Helper()
	lines, err := s.Recent(t.Context(), session, 2000)
	must(t, "Recent", err)
	var got, want []string
	for _, l := range lines {
		got = append(got, l.Speaker+": "+l.Text)
	}
	for _, l := range supper(session, 100) {
		if l.User != Ada {
			want = append(want, l.Speaker+": "+l.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines are %q, want what the others said", got)
	}
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "gribblefrotz", Limit: 1000})
	must(t, "SearchLines", err)
	facts, err := s.SearchFacts(t.Context(), "gribblefrotz", "", 1000)
	must(t, "SearchFacts", err)
	for _, f := range facts {
		hits = append(hits, memory.LineHit{Line: memory.Line{Speaker: "a fact", Text: f.Text}})
	}
	for _, h := range hits {
		if h.User == Ada || strings.Contains(h.Text, "number") {
			t.Errorf("%s: %q is still found", h.Speaker, h.Text)
		}
	}
	if all, err := s.Sessions(t.Context(), 1); err != nil || all[0].Lines != len(lines) {
		t.Errorf("the session has %+v lines, %v; want %d", all, err, len(lines))
	}
}

// testForgettingATakenName has a guest with a name from the world and from
// other lines, who says a line and is forgotten: everything but the guest's own
// line stays the same, byte for byte. Then the data is copied to another store,
// where changes to the world can still be undone.
func testForgettingATakenName(t *testing.T, h Harness) {
	const guest, namesake = "browser:7f3a", "browser:90c1"
	for _, name := range []string{"Greta", "Red Ring", "Thornhollow", "gold", "Bob", "the", "Bartok"} {
		t.Run(name, func(t *testing.T) {
			s := h.fresh(t, nil)
			id := StartSession(t, s)
			at := time.Date(2026, 3, 1, 20, 15, 0, 0, time.UTC)
			must(t, "Settle", s.ApplyCampaign(t.Context(), []memory.Entity{
				{ID: "greta", Type: "npc", Name: "Greta", Description: "Greta keeps the Red Ring of Thornhollow.", Aliases: []string{"Old Greta"}},
				{ID: "thornhollow", Type: "location", Name: "Thornhollow", Description: "A village that digs for gold.", Attributes: map[string]string{"known for": "gold", "mayor": "Greta"}},
				{ID: "red-ring", Type: "item", Name: "Red Ring", Aliases: []string{"ring of gold"}},
			}, []memory.Relation{{From: "greta", Type: memory.LocatedIn, To: "thornhollow", Note: "Greta pays in gold for the Red Ring", Visible: []string{"bartok"}}},
				[]memory.Fact{{Source: "world", Text: "Greta hid the gold of Thornhollow in the Red Ring.", Visible: []string{"bartok"}}}))
			must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "note:bartok", Text: "Bob owes Greta gold.", Topic: "bob debt"}))
			must(t, "Change", s.Change(t.Context(), memory.Batch{
				Record: []memory.WorldChange{{Seq: 1, At: at, Who: Ada, Cause: "entity.updated", Data: []byte(`{"before":"Greta","after":"the gold of Thornhollow"}`)}},
				Space:  "world", State: map[string][]byte{"scene:Keep": []byte("Greta waits in Thornhollow with the Red Ring and gold.")},
			}))
			Write(t, s,
				memory.Line{Session: id, Turn: 1, Speaker: "Ada", User: Ada, To: "bartok", Text: "Greta of Thornhollow has the Red Ring, and gold."},
				memory.Line{Session: id, Turn: 1, Speaker: "Bartok", NPC: "bartok", Text: "Greta? The gold of Thornhollow, and the Red Ring!"},
				memory.Line{Session: id, Turn: 2, Speaker: name, User: guest, To: "bartok", Text: "I am from the quicksilver mine, good evening."},
				memory.Line{Session: id, Turn: 2, Speaker: "Bartok", NPC: "bartok", Text: "So you are from the quicksilver mine, " + name + "."},
				memory.Line{Session: id, Turn: 3, Speaker: name, User: namesake, Text: "I am from the quicksilver mine, good evening."},
				memory.Line{Session: id, Turn: 4, Speaker: "Bob", User: Bob, Text: "Well met, " + name + ", of the quicksilver mine."},
				memory.Line{Session: id, Turn: 5, Speaker: name, User: guest, Text: "A word that the guest alone says."})
			IndexAll(t, s)
			before := DumpOf(t, s)
			if n, err := s.ForgetUser(t.Context(), guest, nil); n != 2 || err != nil {
				t.Fatalf("ForgetUser: %d, %v; want the guest's two lines", n, err)
			}
			line, err := memory.KindNamed("line")
			must(t, "KindNamed", err)
			fact, err := memory.KindNamed("fact")
			must(t, "KindNamed", err)
			theirs := func(r memory.Record) bool { // the namesake's lines also stay
				return r.Kind == "line" && r.Values[line.Column("user")] == guest || r.Kind == "fact" && r.Values[fact.Column("text")] == name+": A word that the guest alone says." ||
					r.Kind == "indexed"
			}
			want := slices.DeleteFunc(before, theirs)
			SameRecords(t, want, slices.DeleteFunc(DumpOf(t, s), theirs))
			for _, r := range DumpOf(t, s) {
				if r.Kind != "indexed" && theirs(r) {
					t.Errorf("%v is left", r)
				}
			}
			Sound(t, s)
			to := h.fresh(t, nil)
			_, err = to.Load(t.Context(), false, Records(DumpOf(t, s), nil))
			must(t, "Load", err)
			SameRecords(t, want, slices.DeleteFunc(DumpOf(t, to), theirs))
			change, err := to.WorldChange(t.Context(), 1)
			if must(t, "WorldChange", err); len(change.Data) == 0 || change.Who != Ada {
				t.Errorf("the change is %+v, want it as it was", change)
			}
		})
	}
}

// testForgettingAWorldBuilder removes a user's id from the history of the
// world, whose changes can still be undone.
func testForgettingAWorldBuilder(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	must(t, "Change", s.Change(t.Context(), memory.Batch{Record: []memory.WorldChange{{Seq: 1, Who: Ada, Cause: "entity.updated", Data: []byte(`{"by":"Anastasia"}`)}}}))
	if n, err := s.ForgetUser(t.Context(), Ada, nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	change, err := s.WorldChange(t.Context(), 1)
	if must(t, "WorldChange", err); change.Who == Ada || change.Cause != "entity.updated" || string(change.Data) != `{"by":"Anastasia"}` {
		t.Errorf("the change is %+v", change)
	}
}

// testForgettingGoesOn interrupts a Forget at once, and continues it after
// reopening the store. Lines said meanwhile stay.
func testForgettingGoesOn(t *testing.T, h Harness) {
	at := h.New(t)
	s, err := h.Open(t.Context(), at, nil, nil)
	must(t, "Open", err)
	id := StartSession(t, s)
	Write(t, s, supper(id, 100)...)
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	_, err = s.ForgetUser(stopped, Ada, func(memory.Forgetting) { stop() })
	if err == nil {
		t.Fatal("it was not stopped")
	}
	now := Write(t, s, memory.Line{Session: id, Speaker: "Stasi", User: Ada, Text: "good morning"})[0]
	must(t, "Close", s.Close())
	s = h.open(t, at, nil)
	n, err := s.ResumeForgetting(t.Context())
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

// testUnknownPeople forgets users without lines, and one of two users with the
// same name.
func testUnknownPeople(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	id := StartSession(t, s)
	Write(t, s, memory.Line{Session: id, Speaker: "Bob", User: Bob, Text: "Where are Greta and gretas?"},
		memory.Line{Session: id, Speaker: "Bob", User: Ada, Text: "I am called Bob, too."},
		memory.Line{Session: id, Speaker: "Bob", Text: "And I am at the terminal."})
	for _, user := range []string{"", "nobody", "Bob", "Greta"} {
		if n, err := s.ForgetUser(t.Context(), user, nil); n != 0 || err != nil {
			t.Errorf("%q: %d, %v", user, n, err)
		}
	}
	if n, err := s.ForgetUser(t.Context(), Ada, nil); n != 1 || err != nil {
		t.Errorf("%d, %v; want Ada's line", n, err)
	}
	lines, err := s.Recent(t.Context(), id, 10)
	must(t, "Recent", err)
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.Speaker+": "+l.Text)
	}
	if got := strings.Join(texts, "; "); got != "Bob: Where are Greta and gretas?; Bob: And I am at the terminal." {
		t.Errorf("lines are %q", got)
	}
}

// testDeletingALine deletes one line by its id, with its fact, but no other
// line with the same text.
func testDeletingALine(t *testing.T, h Harness) {
	s := h.fresh(t, nil)
	id := StartSession(t, s)
	lines := Write(t, s, memory.Line{Session: id, Turn: 1, Speaker: "Bob", User: Bob, Ref: "m1", Text: "Where is the zebra?", Present: memory.Heard("bartok")},
		memory.Line{Session: id, Turn: 1, Speaker: "Bartok", NPC: "bartok", Text: "In the stable."}, memory.Line{Session: id, Turn: 2, Speaker: "Bob", User: Ada, Text: "Where is the zebra?"})
	IndexAll(t, s)
	got, err := s.Line(t.Context(), lines[0].ID)
	if must(t, "Line", err); !cmp.Equal(got, lines[0]) {
		t.Errorf("the line is %+v, want %+v", got, lines[0])
	}
	must(t, "DeleteLine", s.DeleteLine(t.Context(), lines[1].ID))
	must(t, "DeleteLine", s.DeleteLine(t.Context(), lines[0].ID))
	left, err := s.Recent(t.Context(), id, 10)
	if must(t, "Recent", err); len(left) != 1 || left[0].ID != lines[2].ID {
		t.Errorf("lines are %+v, want the last", left)
	}
	facts, err := s.SearchFacts(t.Context(), "zebra stable", "", 10)
	if must(t, "SearchFacts", err); len(facts) != 1 || facts[0].Text != "Bob: Where is the zebra?" {
		t.Errorf("facts are %+v, want that of the line that stays", facts)
	}
	for _, id := range []int64{lines[0].ID, 0, 1 << 40} {
		if _, err := s.Line(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("line %d: %v, want ErrNotFound", id, err)
		}
		if err := s.DeleteLine(t.Context(), id); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("deleting line %d: %v, want ErrNotFound", id, err)
		}
	}
	Sound(t, s)
}
