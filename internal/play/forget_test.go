package play_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func mentionsStore(t *testing.T) (*sqlite.Store, string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, memorytest.StartSession(t, s)
}

// TestMentions lists the places where others mention a user, and changes none of them.
func TestMentions(t *testing.T) {
	s, session := mentionsStore(t)
	memorytest.Write(t, s,
		memory.Line{Session: session, Turn: 1, Speaker: "Borin Ironfist", User: "u:borin", Text: "I hid the quicksilver under the weir."},
		memory.Line{Session: session, Turn: 1, Speaker: "Mira", NPC: "mira", Text: "You hid the quicksilver, then."},
		memory.Line{Session: session, Turn: 2, Speaker: "Ada", User: "u:ada", Text: "What did BORIN ironfist's axe cost?"},
		memory.Line{Session: session, Turn: 2, Speaker: "Mira", NPC: "mira", Text: "I hid the quicksilver under nothing."}, // answers Ada
		memory.Line{Session: session, Turn: 3, Speaker: "Borin Ironfist", User: "u:other", Text: "Good evening."},
		memory.Line{Session: session, Turn: 4, Speaker: "Ada", User: "u:ada", Text: "Borinsen and Aborin are others."})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(s.ApplyCampaign(t.Context(), []memory.Entity{{ID: "keep", Type: "location", Name: "Keep", Description: "Borin's keep.", Attributes: map[string]string{"lord": "Bo"}}, {ID: "mira", Type: "npc", Name: "Mira"}},
		[]memory.Relation{{From: "mira", Type: "owes", To: "keep", Note: "a debt to Borin"}}, []memory.Fact{{Source: "world", Text: "Borin built the keep."}, memory.DescriptionOf(memory.Entity{ID: "keep", Name: "Keep", Description: "Borin's keep."})}))
	check(s.Remember(t.Context(), memory.Fact{Source: "notes", Text: "Borin is late."}))
	check(s.SaveState(t.Context(), "world", map[string][]byte{"scene:Keep": []byte("Borin stands at the gate."), "initial:Keep": []byte("A gate.")}))
	check(s.SaveState(t.Context(), "chronicle", map[string][]byte{
		"7": []byte(`{"kind":"promise","text":"Ada owes Borin silver.","accepted":true,"user":"u:ada"}`), "8": []byte(`{"kind":"promise","text":"Borin owes all.","user":"u:borin"}`),
		"9": []byte(`{"kind":"diary","text":"I: Well met, Borin.","accepted":true,"user":"u:borin","answer":true}`), "gathered": []byte("5")}))
	memorytest.IndexAll(t, s)
	before := memorytest.DumpOf(t, s)
	m := play.FindMentions(t.Context(), s, "u:borin", "Borin", "the", "B", " Borin ")
	memorytest.SameRecords(t, before, memorytest.DumpOf(t, s))
	var got []string
	for _, one := range m.Found {
		id := one.ID
		if one.Kind == play.MentionFact || one.Kind == play.MentionNote {
			id = "?"
		}
		got = append(got, fmt.Sprintf("%s %s: %s", one.Kind, id, one.Text))
	}
	slices.Sort(got)
	want := []string{
		"entity keep: Borin's keep.", "fact ?: Borin built the keep.", "learnt 7: Ada owes Borin silver.", "learnt 9: I: Well met, Borin.",
		"line 2: Mira: You hid the quicksilver, then.", "line 3: Ada: What did BORIN ironfist's axe cost?", "note ?: Borin is late.",
		"relation mira owes keep: a debt to Borin", "scene Keep: Borin stands at the gate.",
	}
	if !slices.Equal(got, want) || m.More != 0 || m.Unfinished || !slices.Equal(m.Names, []string{"Borin Ironfist", "Borin"}) {
		t.Errorf("found\n%s\nand %d more of %q, unfinished %t; want\n%s", strings.Join(got, "\n"), m.More, m.Names, m.Unfinished, strings.Join(want, "\n"))
	}
}

// TestMentionsAreBounded lists the newest mentions of each kind and counts the rest. The lists
// for the game master are bounded too, and each is returned once.
func TestMentionsAreBounded(t *testing.T) {
	s, session := mentionsStore(t)
	var lines []memory.Line
	for i := range 500 {
		lines = append(lines, memory.Line{Session: session, Turn: int64(i), Speaker: "Ada", User: "u:ada", Text: fmt.Sprintf("gold %d %s", i, strings.Repeat("and more ", 100))})
	}
	memorytest.Write(t, s, lines...)
	if err := s.PutEntities(t.Context(), memory.Entity{ID: "mine", Type: "location", Name: "Mine", Description: strings.Repeat("It goes deep. ", 50) + "There is gold."}); err != nil {
		t.Fatal(err)
	}
	m := play.FindMentions(t.Context(), s, "browser:1", "gold")
	if len(m.Found) != play.MaxMentions || m.Total() != 501 {
		t.Errorf("%d shown of %d, want %d of 501", len(m.Found), m.Total(), play.MaxMentions)
	}
	if !slices.ContainsFunc(m.Found, func(one play.Mention) bool {
		return one.Kind == play.MentionEntity && strings.Contains(one.Text, "gold")
	}) ||
		!slices.ContainsFunc(m.Found, func(one play.Mention) bool { return strings.HasPrefix(one.Text, "Ada: gold 499") }) {
		t.Errorf("found is %+v, want the entity and the newest line", m.Found)
	}
	for _, one := range m.Found {
		if n := len([]rune(one.Text)); n > 200 {
			t.Errorf("an excerpt has %d runes", n)
		}
	}
	var l play.MentionLists
	for i := range 12 {
		one := play.FindMentions(t.Context(), s, fmt.Sprintf("browser:%d", i), "gold")
		for range 3 {
			l.Add(one) // a repeated request is on the same list
		}
	}
	l.Add(play.Mentions{Names: []string{"nothing"}})
	if n := l.CountWaiting(); n != 10*501 {
		t.Errorf("%d places wait, want those of ten lists", n)
	}
	for n := 9; n >= 0; n-- {
		if one, ok := l.Pop(); !ok || one.Total() != 501 || l.CountWaiting() != n*501 {
			t.Errorf("a list of %d places is taken, %t, and %d wait then", one.Total(), ok, l.CountWaiting())
		}
	}
	if one, ok := l.Pop(); ok {
		t.Errorf("%+v is taken again", one)
	}
}
