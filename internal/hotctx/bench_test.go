package hotctx_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// village fills a store with 10,000 lines and 5,000 entities in one place, and returns
// the session.
func village(b *testing.B, s *sqlite.Store) memory.Session {
	b.Helper()
	ctx := context.Background()
	session, err := s.StartSession(ctx, "bench")
	if err != nil {
		b.Fatal(err)
	}
	var lines []memory.Line
	for i := range 10000 {
		lines = append(lines, memory.Line{Session: session.ID, Turn: int64(i), Speaker: "Alice", Text: fmt.Sprintf("line %d about the well and the miller", i), At: time.Now()})
	}
	if _, err := s.Append(ctx, lines...); err != nil {
		b.Fatal(err)
	}
	var entities []memory.Entity
	for i := range 5000 {
		entities = append(entities, memory.Entity{ID: fmt.Sprintf("e-%d", i), Type: "npc", Name: fmt.Sprintf("Person%d of Village%d", i, i%50), Description: strings.Repeat("Known for much. ", 10)})
	}
	if err := s.PutEntities(ctx, entities...); err != nil {
		b.Fatal(err)
	}
	var relations []memory.Relation
	for _, e := range entities[1:] {
		relations = append(relations, memory.Relation{From: e.ID, Type: memory.LocatedIn, To: "e-0"})
	}
	if err := s.PutRelations(ctx, relations...); err != nil {
		b.Fatal(err)
	}
	return session
}

// byStore looks up names in the store; everything else comes from the world.
type byStore struct {
	*world.World
	*sqlite.Store
}

func (g byStore) Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	return g.World.Places(ctx, viewer, ids...)
}

func (g byStore) Inside(ctx context.Context, viewer, place string, limit int) ([]memory.Entity, error) {
	return g.World.Inside(ctx, viewer, place, limit)
}

// BenchmarkAssemble reports the percentiles over 10,000 lines and 5,000 entities in three
// set-ups: everything read from the store; last lines and world in memory but names from
// the store; and everything in memory, as at a table.
func BenchmarkAssemble(b *testing.B) {
	s := store(b)
	session := village(b, s)
	live, err := world.Open(b.Context(), s, world.Options{})
	if err != nil {
		b.Fatal(err)
	}
	recent, err := s.Recent(b.Context(), session.ID, 20)
	if err != nil {
		b.Fatal(err)
	}
	for _, from := range []struct {
		name  string
		graph hotctx.Graph
		lines []memory.Line
	}{
		{"store", s, nil},
		{"names=store", byStore{live, s}, recent},
		{"names=memory", world.Graph{World: live, Finder: s}, recent},
	} {
		for _, asked := range []struct {
			name, utterance string
			pause           time.Duration // before each turn, as at a table
		}{
			{"two", "Tell me about Person77 and Village12, please", 0},
			{"none", "What does the blinded condition do?", 0},
			{"two_after_a_pause", "Tell me about Person77 and Village12, please", 10 * time.Millisecond},
		} {
			b.Run(from.name+"/named="+asked.name, func(b *testing.B) {
				benchmarkAssemble(b, asked.pause, hotctx.New(s, from.graph), hotctx.Query{
					NPC: hotctx.Person{ID: "e-1"}, Session: session.ID, Utterance: asked.utterance, Recent: 20, Lines: from.lines,
				})
			})
		}
	}
}

func benchmarkAssemble(b *testing.B, pause time.Duration, src *hotctx.Source, q hotctx.Query) {
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		time.Sleep(pause)
		start := time.Now()
		if _, err := src.Assemble(context.Background(), q); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
