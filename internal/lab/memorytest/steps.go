package memorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// largeFile is a campaign of n entities, each with a relation, a fact and about a
// kilobyte of text.
func largeFile(n int) file {
	var f file
	for i := range n {
		id := fmt.Sprintf("entity-%d", i)
		f.entities = append(f.entities, memory.Entity{
			ID: id, Type: "npc", Name: fmt.Sprintf("Nam%d Fam%d", i, i*7%n),
			Description: strings.Repeat(fmt.Sprintf("word%d has been to place%d, where nobody sleeps. ", i%50, i*3), 15),
		})
		f.relations = append(f.relations, memory.Relation{From: id, Type: "knows", To: fmt.Sprintf("entity-%d", (i+1)%n)})
		f.facts = append(f.facts, memory.Fact{Source: "entity:" + id, Text: fmt.Sprintf("word%d owes coin%d", i%50, i), Visible: []string{memory.DMOnly}})
	}
	return f
}

// countSettled counts a campaign's records.
func countSettled(t *testing.T, s memory.Store) (entities, relations int) {
	t.Helper()
	all, edges, err := s.World(t.Context())
	must(t, "World", err)
	return len(all), len(edges)
}

func testALargeCampaignIsAllThereOrNothingOfIt(t *testing.T, h Harness) {
	const n = 120
	location := h.New(t)
	s := h.open(t, location, nil)
	f := largeFile(n)
	for _, bad := range []func(*file){
		func(f *file) { f.entities[n-1].Name = " " },
		func(f *file) { f.relations[n-1].Type = "" },
		func(f *file) { f.facts[n-1].Visible = []string{""} },
	} {
		broken := file{slices.Clone(f.entities), slices.Clone(f.relations), slices.Clone(f.facts)}
		bad(&broken)
		if err := s.ApplyCampaign(t.Context(), broken.entities, broken.relations, broken.facts); err == nil {
			t.Fatal("what is broken was settled")
		}
		if entities, relations := countSettled(t, s); entities != 0 || relations != 0 {
			t.Fatalf("of what was refused %d entities and %d relations are there", entities, relations)
		}
	}

	// An interrupted settle leaves nothing, or leaves everything for the next
	// opener.
	for _, after := range []time.Duration{0, time.Millisecond, 40 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := s.ApplyCampaign(ctx, f.entities, f.relations, f.facts)
		cancel()
		if err == nil {
			break // a fast machine
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Settle: %v", err)
		}
		must(t, "Close", s.Close())
		s = h.open(t, location, nil)
		if entities, relations := countSettled(t, s); entities != relations || entities != 0 && entities != n {
			t.Fatalf("after %v and opening it again %d entities and %d relations are there, want 0 or %d", after, entities, relations, n)
		}
	}
	for range 2 { // the second time changes nothing
		settle(t, s, f)
		if entities, relations := countSettled(t, s); entities != n || relations != n {
			t.Fatalf("%d entities and %d relations, want %d", entities, relations, n)
		}
	}

	var ids []string
	for _, e := range f.entities[1:] {
		ids = append(ids, e.ID)
	}
	must(t, "Withdraw", s.Withdraw(t.Context(), ids, f.relations, f.facts[1:]))
	if entities, relations := countSettled(t, s); entities != 1 || relations != 0 {
		t.Errorf("after Withdraw %d entities and %d relations are there, want 1 and 0", entities, relations)
	}
	for text, want := range map[string]bool{f.facts[0].Text: true, f.facts[1].Text: false} {
		hits, err := s.SearchFacts(t.Context(), text, "", 50)
		must(t, "SearchFacts", err)
		if got := slices.ContainsFunc(hits, func(h memory.FactHit) bool { return h.Text == text }); got != want {
			t.Errorf("after Withdraw a fact is found: %v, want %v", got, want)
		}
	}
	settle(t, s, f)
	if entities, relations := countSettled(t, s); entities != n || relations != n {
		t.Errorf("settled once more there are %d entities and %d relations, want %d", entities, relations, n)
	}
}

// testWritersDoNotWaitForACampaign settles a campaign while lines are said, in
// the same process and through another open store. If the campaign were settled
// in one transaction, each would say only one line before it and one that waits
// for its end. make bench-memory checks the waiting times against their target.
func testWritersDoNotWaitForACampaign(t *testing.T, h Harness) {
	const n, least = 400, 6
	location := h.New(t)
	s, other := h.open(t, location, nil), h.open(t, location, nil)
	f := largeFile(n)
	ctx, done := context.WithCancel(t.Context())
	defer done()
	var talking sync.WaitGroup
	said, failed := make([]int, 2), make([]error, 2)
	for i, store := range []memory.Store{s, other} {
		session := StartSession(t, store)
		talking.Go(func() {
			for ctx.Err() == nil && failed[i] == nil {
				_, failed[i] = store.Append(t.Context(), memory.Line{Session: session, Speaker: "Ada", Text: "We go on."})
				said[i]++
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	settle(t, s, f)
	done()
	talking.Wait()
	must(t, "Append", errors.Join(failed...))
	for i, where := range []string{"the same process", "another"} {
		if said[i] < least {
			t.Errorf("in %s %d lines were said while a campaign was settled, want at least %d", where, said[i], least)
		}
	}
}
