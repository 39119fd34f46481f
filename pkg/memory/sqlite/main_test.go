package sqlite_test

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// The test binary starts itself as a child process for tests that need a second process.
const (
	childRole = "SQLITE_TEST_CHILD"
	childPath = "SQLITE_TEST_PATH"
)

func TestMain(m *testing.M) {
	memorytest.RunChild(harness())
	if role := os.Getenv(childRole); role != "" {
		runChild(role, os.Getenv(childPath))
		return
	}
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// open opens a store and closes it with the test.
func open(t testing.TB, path string, opts *sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// harness opens file stores for the suite.
func harness() memorytest.Harness {
	return memorytest.Harness{
		New: func(t testing.TB) string { return filepath.Join(memorytest.QuickDir(t), "a.db") },
		Open: func(ctx context.Context, path string, e embeddings.Provider, groups *memory.Groups) (memory.Store, error) {
			return sqlite.Open(ctx, path, &sqlite.Options{Embedder: e, Groups: groups})
		},
		Inspect: inspect,
	}
}

func TestConformance(t *testing.T) { memorytest.Run(t, harness()) }

func FuzzSearchLines(f *testing.F) { memorytest.FuzzSearch(f, harness()) }

func TestKilled(t *testing.T) { memorytest.Killed(t, harness(), killedTurns) }

func TestAHundredThousandLines(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	memorytest.ManyLines(t, harness(), manyLines)
}

// inspect reads the index tables.
func inspect(t testing.TB, path string) (in memorytest.Inside) {
	db, err := sql.Open("sqlite", path)
	must(t, "opening behind the back", err)
	defer func() { must(t, "closing behind the back", db.Close()) }()
	ids := func(query string) (out []int64) {
		rs, err := db.QueryContext(t.Context(), query)
		must(t, query, err)
		for rs.Next() {
			var id int64
			must(t, query, rs.Scan(&id))
			out = append(out, id)
		}
		must(t, query, rs.Err())
		return out
	}
	in.LinesFound = ids(`SELECT rowid FROM lines_text WHERE lines_text MATCH 'zebra' ORDER BY rowid`)
	in.Facts = ids(`SELECT id FROM facts ORDER BY id`)
	in.FactsFound = ids(`SELECT rowid FROM facts_text WHERE facts_text MATCH 'zebra' ORDER BY rowid`)
	if len(ids(`SELECT 1 FROM vector_spaces`)) > 0 {
		in.Embedded = ids(`SELECT id FROM facts WHERE embedded ORDER BY id`)
		in.Vectors = ids(`SELECT rowid FROM fact_vectors ORDER BY rowid`)
	}
	for _, check := range []string{
		`INSERT INTO lines_text (lines_text) VALUES ('integrity-check')`,
		`INSERT INTO facts_text (facts_text) VALUES ('integrity-check')`,
	} {
		_, err := db.ExecContext(t.Context(), check)
		must(t, check, err)
	}
	return in
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

func TestVeryManyFacts(t *testing.T) { memorytest.VeryManyFacts(t, harness()) }
