package memorytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// Fill stores something of every kind, with arbitrary bytes as text.
func Fill(t testing.TB, s memory.Store) {
	t.Helper()
	ctx := t.Context()
	session := StartSession(t, s)
	at := time.Date(2026, 3, 1, 20, 15, 0, 123456000, time.UTC)
	var lines []memory.Line
	for i := range int64(30) {
		lines = append(lines, memory.Line{
			Session: session, Turn: i, Speaker: "Ada\xff", Text: fmt.Sprintf("a zebra, the %dth 🐉\x00\x1a", i), At: at.Add(time.Duration(i) * time.Second), User: Ada, Ref: fmt.Sprint("m", i),
			DM: i%2 == 0, Present: memory.Heard("bartok", "village"), Date: memory.Date{Day: i, Text: fmt.Sprint("day ", i)},
		})
	}
	_, err := s.Append(ctx, append(lines, memory.Line{Session: session, Speaker: "Bartok", NPC: "bartok", Text: "What zebra?"})...)
	must(t, "Append", err)
	must(t, "EndSession", s.EndSession(ctx, session))
	StartSession(t, s)
	_, err = s.IndexLines(ctx)
	must(t, "IndexLines", err)
	must(t, "Remember", s.Remember(ctx, memory.Fact{Source: "note", Text: "the zebra \xfe", Visible: []string{"bartok"}}))
	must(t, "Remember", s.Remember(ctx, memory.Fact{Source: "note", Text: "zebras are grey", Topic: "zebras colour", Since: memory.Date{Day: 3, Text: "day 3"}}))
	mill := memory.Entity{ID: "mill", Type: "location", Name: "The Old Mill", Aliases: []string{"mill"}, Attributes: map[string]string{"a": "b\x01"}, Position: &memory.Position{1, -2.5, 1e-9}}
	must(t, "Settle", s.ApplyCampaign(ctx, []memory.Entity{mill, {ID: "aldo", Type: "npc", Name: "Aldo", Description: "A miller.", Visible: []string{"bartok"}}},
		[]memory.Relation{{From: "aldo", Type: memory.LocatedIn, To: "mill", Note: "always", Visible: []string{"village"}}}, []memory.Fact{{Source: "world", Text: "the mill is old"}}))
	must(t, "Change", s.Change(ctx, memory.Batch{
		Record: []memory.WorldChange{{Seq: 1, At: at, Who: Ada, Cause: "set", Data: []byte{0, 255}}, {Seq: 2, At: at, Who: "x", Cause: "undo", Undoes: 1}},
		Space:  "world", State: map[string][]byte{"k\xff": {0, 1, 2}, "empty": {}},
	}))
}

// DumpOf returns all records of a store.
func DumpOf(t testing.TB, s memory.Store) (all []memory.Record) {
	t.Helper()
	must(t, "Dump", s.Dump(t.Context(), func(r memory.Record) error {
		all = append(all, r)
		return nil
	}))
	return all
}

// Records yields records, and then an error unless it is nil.
func Records(all []memory.Record, err error) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(memory.Record{}, err)
		}
	}
}

// SameRecords fails unless two stores contain the same, including the order.
func SameRecords(t testing.TB, want, got []memory.Record) {
	t.Helper()
	a, b := memory.Tally{}, memory.Tally{}
	for _, r := range want {
		must(t, "Add", a.Add(r))
	}
	for _, r := range got {
		must(t, "Add", b.Add(r))
	}
	if err := a.Compare(b); err != nil {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}

// Sound fails if a store's indexes are inconsistent.
func Sound(t testing.TB, s memory.Store) {
	t.Helper()
	if wrong, err := s.Verify(t.Context()); err != nil || len(wrong) > 0 {
		t.Errorf("Verify: %q, %v", wrong, err)
	}
}

func testEverythingGoesFromOneToAnother(t *testing.T, h Harness) {
	from, place := h.plain(t), h.New(t)
	Fill(t, from)
	all := DumpOf(t, from)
	kinds := map[string]int{}
	var through []memory.Record
	for _, r := range all {
		kinds[r.Kind]++
		b, err := json.Marshal(r)
		must(t, "Marshal", err)
		var back memory.Record
		must(t, "Unmarshal", json.Unmarshal(b, &back))
		through = append(through, back)
	}
	if kinds["line"] != 31 || kinds["entity"] != 2 || len(kinds) != len(memory.Kinds())-1 { // no forgetting is in progress
		t.Errorf("kinds %v", kinds)
	}
	to := h.open(t, place, wordvectors.New())
	tally, err := to.Load(t.Context(), false, Records(through, nil))
	must(t, "Load", err)
	if tally.Total() != len(all) {
		t.Errorf("%d records were taken in, want %d", tally.Total(), len(all))
	}
	SameRecords(t, all, DumpOf(t, to))
	Sound(t, from)
	Sound(t, to)
	if hits, err := to.SearchLines(t.Context(), memory.LineQuery{Text: "zebra", Viewer: "bartok", Limit: 50}); err != nil || len(hits) != 31 {
		t.Errorf("%d lines are found, %v; want 31", len(hits), err)
	}
	if found, err := to.FindEntities(t.Context(), memory.EntityQuery{Name: "mill"}); err != nil || len(found) == 0 || found[0].ID != "mill" {
		t.Errorf("%v is found, %v; want the mill", found, err)
	}
	if _, err := to.EmbedFacts(t.Context()); err != nil {
		t.Error(err)
	}
	if hits, err := to.SearchFacts(t.Context(), "zebra", "", 100); err != nil || len(hits) == 0 {
		t.Errorf("%d facts are found, %v", len(hits), err)
	}
	// New records get their own ids.
	session := StartSession(t, to)
	Say(t, to, session, "one more zebra")
	must(t, "Remember", to.Remember(t.Context(), memory.Fact{Source: "note", Text: "one more", Visible: []string{"nobody else"}}))
	Sound(t, to)
	if _, err := to.Load(t.Context(), false, Records(all, nil)); !errors.Is(err, memory.ErrNotEmpty) {
		t.Errorf("loading again: %v, want ErrNotEmpty", err)
	}
}

func testLoadIsAllOrNothing(t *testing.T, h Harness) {
	from, to := h.plain(t), h.plain(t)
	Fill(t, from)
	all := DumpOf(t, from)
	before := DumpOf(t, to)
	broken := errors.New("broken off")
	twice := append(append([]memory.Record{}, all[:2]...), all[1:]...)
	for name, records := range map[string]iter.Seq2[memory.Record, error]{"broken": Records(all[:len(all)-3], broken), "twice": Records(twice, nil), "orphans": Records(all[2:], nil)} {
		if _, err := to.Load(t.Context(), false, records); err == nil || name == "broken" && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		SameRecords(t, before, DumpOf(t, to))
	}
	_, err := to.Load(t.Context(), false, Records(all, nil))
	must(t, "Load", err)
}

func testLoadReplaces(t *testing.T, h Harness) {
	from, to := h.plain(t), h.plain(t)
	Fill(t, from)
	Fill(t, to)
	Say(t, to, StartSession(t, to), "an antelope")
	_, err := to.IndexLines(t.Context())
	must(t, "IndexLines", err)
	_, err = to.EmbedFacts(t.Context())
	must(t, "EmbedFacts", err)
	before, all := DumpOf(t, to), DumpOf(t, from)
	broken := errors.New("broken off")
	if _, err := to.Load(t.Context(), true, Records(all[:40], broken)); !errors.Is(err, broken) {
		t.Errorf("Load: %v", err)
	}
	SameRecords(t, before, DumpOf(t, to))
	Sound(t, to)
	_, err = to.Load(t.Context(), true, Records(all, nil))
	must(t, "Load", err)
	SameRecords(t, all, DumpOf(t, to))
	Sound(t, to)
	if hits, err := to.SearchLines(t.Context(), memory.LineQuery{Text: "antelope"}); err != nil || len(hits) != 0 {
		t.Errorf("%v is found, %v; want nothing of before", hits, err)
	}
	_, err = to.EmbedFacts(t.Context())
	must(t, "EmbedFacts", err)
	if hits, err := to.SearchFacts(t.Context(), "zebra", "", 100); err != nil || len(hits) == 0 {
		t.Errorf("%d facts are found, %v", len(hits), err)
	}
	Sound(t, to)
}
