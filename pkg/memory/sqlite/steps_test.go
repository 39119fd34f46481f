package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// file is what a campaign file says.
type file struct {
	entities  []memory.Entity
	relations []memory.Relation
	facts     []memory.Fact
}

func settle(t *testing.T, s *sqlite.Store, f file) {
	t.Helper()
	must(t, "Settle", s.Settle(t.Context(), f.entities, f.relations, f.facts))
}

// largeFile is a campaign of n entities, each with a relation, a fact and about a
// kilobyte of text.
func largeFile(n int) file {
	v := newVocabulary()
	var f file
	for i := range n {
		var text strings.Builder
		for text.Len() < 600 {
			text.WriteString(v.line() + ". ")
		}
		id := fmt.Sprintf("entity-%d", i)
		f.entities = append(f.entities, memory.Entity{ID: id, Type: "npc", Name: v.words[i%len(v.words)] + " " + v.words[(i*7)%len(v.words)], Description: text.String()})
		f.relations = append(f.relations, memory.Relation{From: id, Type: "knows", To: fmt.Sprintf("entity-%d", (i+1)%n)})
		f.facts = append(f.facts, memory.Fact{Source: "entity:" + id, Text: v.line(), Visible: []string{"dm"}})
	}
	return f
}

// countSettled counts what there is of a campaign.
func countSettled(t *testing.T, s *sqlite.Store) (entities, relations int) {
	t.Helper()
	all, edges, err := s.World(t.Context())
	must(t, "World", err)
	return len(all), len(edges)
}

func TestALargeCampaignIsAllThereOrNothingOfIt(t *testing.T) {
	const n = 120
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	f := largeFile(n)
	for _, bad := range []func(*file){
		func(f *file) { f.entities[n-1].Name = " " },
		func(f *file) { f.relations[n-1].Type = "" },
		func(f *file) { f.facts[n-1].Visible = []string{""} },
	} {
		broken := file{slices.Clone(f.entities), slices.Clone(f.relations), slices.Clone(f.facts)}
		bad(&broken)
		if err := s.Settle(t.Context(), broken.entities, broken.relations, broken.facts); err == nil {
			t.Fatal("what is broken was settled")
		}
		if entities, relations := countSettled(t, s); entities != 0 || relations != 0 {
			t.Fatalf("of what was refused %d entities and %d relations are there", entities, relations)
		}
	}

	// Who leaves in the middle leaves nothing, or all of it for the next to open.
	for _, after := range []time.Duration{0, time.Millisecond, 40 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := s.Settle(ctx, f.entities, f.relations, f.facts)
		cancel()
		if err == nil {
			break // a fast machine
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Settle: %v", err)
		}
		must(t, "Close", s.Close())
		s, err = sqlite.Open(t.Context(), path, nil)
		must(t, "Open", err)
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
	must(t, "Close", s.Close())
}

// TestWritersDoNotWaitForACampaign settles a campaign while lines are said, in the same
// process and through another opening of the file. Were it settled in one transaction,
// each would say a line before it and one that waits for its end. How long they wait is held to
// its target by make bench-memory.
func TestWritersDoNotWaitForACampaign(t *testing.T) {
	n, least := manyLines*2/100, 6
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	defer s.Close()
	other, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	defer other.Close()
	f := largeFile(n)
	ctx, done := context.WithCancel(t.Context())
	var g errgroup.Group
	waits := make([][]time.Duration, 2)
	for i, store := range []*sqlite.Store{s, other} {
		session, err := store.StartSession(t.Context(), "large")
		must(t, "StartSession", err)
		g.Go(func() error {
			for ctx.Err() == nil {
				start := time.Now()
				if _, err := store.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Ada", Text: "We go on."}); err != nil {
					return err
				}
				waits[i] = append(waits[i], time.Since(start))
				time.Sleep(5 * time.Millisecond)
			}
			return nil
		})
	}
	start := time.Now()
	settle(t, s, f)
	took := time.Since(start)
	done()
	must(t, "Append", g.Wait())
	for i, all := range waits {
		slices.Sort(all)
		p99, longest := all[len(all)*99/100], all[len(all)-1]
		t.Logf("%s: %d lines said meanwhile in %v, waits p50 %v, p99 %v, longest %v", []string{"same process", "another"}[i], len(all), took.Round(time.Millisecond), all[len(all)/2], p99, longest)
		if len(all) < least {
			t.Errorf("%d lines were said while a campaign was settled, want at least %d", len(all), least)
		}
	}
}
