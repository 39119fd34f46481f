package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// TestPgvector finds facts by meaning in a database that has the extension.
func TestPgvector(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	p := peers.StartPglite(t)
	memorytest.RunVectors(t, memorytest.Harness{New: p.DSN, Open: openStore})

	dsn := p.DSN(t)
	s, err := postgres.Open(t.Context(), dsn, &postgres.Options{Embedder: wordvectors.New()})
	must(t, "Open", err)
	if !s.Extension() {
		t.Error("the extension is not used")
	}
	var facts []memory.Fact
	for i := range 300 {
		facts = append(facts, memory.Fact{Source: "note", Text: fmt.Sprintf("The %s of house %d is %s.", []string{"door", "roof", "cellar"}[i%3], i, []string{"red", "wet", "haunted"}[i%7%3])})
	}
	must(t, "Remember", s.Remember(t.Context(), append(facts, memory.Fact{Source: "note", Text: "A dragon sleeps under the mountain."})...))
	hits, err := s.SearchFacts(t.Context(), "Where does the dragon sleep?", "", 3)
	must(t, "SearchFacts", err)
	if len(hits) != 3 || !strings.Contains(hits[0].Text, "dragon") {
		t.Errorf("found %+v, want the dragon first", hits)
	}
	must(t, "Close", s.Close())

	c, err := pgx.Connect(t.Context(), dsn)
	must(t, "connecting behind the back", err)
	defer func() { must(t, "closing behind the back", c.Close(context.WithoutCancel(t.Context()))) }()
	var index string
	must(t, "looking for the index", c.QueryRow(t.Context(), `SELECT indexdef FROM pg_indexes WHERE tablename = 'fact_vectors_1' AND indexdef LIKE '%hnsw%' AND schemaname = current_schema()`).Scan(&index))
	rows, err := c.Query(t.Context(), `EXPLAIN SELECT fact FROM fact_vectors_1 ORDER BY embedding <=> (SELECT embedding FROM fact_vectors_1 LIMIT 1) LIMIT 5`)
	must(t, "EXPLAIN", err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, "EXPLAIN", err)
	if !strings.Contains(strings.Join(plan, " "), "Index Scan using") {
		t.Errorf("the plan is %q, want the index used: %s", plan, index)
	}
}
