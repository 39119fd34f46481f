package postgres_test

import (
	"context"
	"flag"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

func TestMain(m *testing.M) {
	memorytest.RunChild(memorytest.Harness{Open: openStore})
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

func openStore(ctx context.Context, dsn string, e embeddings.Provider, groups *memory.Groups) (memory.Store, error) {
	return postgres.Open(ctx, dsn, &postgres.Options{Embedder: e, Groups: groups})
}

// harness opens stores for the suite, each in its own schema.
func harness(p *peers.Postgres) memorytest.Harness {
	return memorytest.Harness{New: p.DSN, Open: openStore, Inspect: inspect}
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	memorytest.Run(t, harness(peers.StartPostgres(t, "fsync=off")))
}

func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	memorytest.Killed(t, harness(peers.StartPostgres(t)), 60)
}

// inspect reads the index tables.
func inspect(t testing.TB, dsn string) (in memorytest.Inside) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, "connecting behind the back", err)
	defer func() { must(t, "closing behind the back", c.Close(context.WithoutCancel(t.Context()))) }()
	ids := func(query string) []int64 {
		rows, err := c.Query(t.Context(), query)
		must(t, query, err)
		out, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		must(t, query, err)
		return slices.Clip(out)
	}
	in.LinesFound = ids(`SELECT line FROM line_words WHERE word = 'zebra' ORDER BY line`)
	in.Facts = ids(`SELECT id FROM facts ORDER BY id`)
	in.FactsFound = ids(`SELECT fact FROM fact_words WHERE word = 'zebra' ORDER BY fact`)
	if len(ids(`SELECT 1 FROM vector_spaces`)) > 0 {
		in.Embedded = ids(`SELECT id FROM facts WHERE embedded > 0 ORDER BY id`)
		in.Vectors = ids(`SELECT fact FROM fact_vectors_1 ORDER BY fact`)
	}
	if len(in.LinesFound) == 0 {
		in.LinesFound = nil
	}
	for _, list := range []*[]int64{&in.Facts, &in.FactsFound, &in.Embedded, &in.Vectors} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return in
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

func TestVeryManyFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	memorytest.VeryManyFacts(t, harness(peers.StartPostgres(t, "fsync=off")))
}
