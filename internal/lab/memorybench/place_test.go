package memorybench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// store is a store under measurement.
type store interface {
	memory.Store
	Recall(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error)
}

// place is a kind of storage.
type place struct {
	name string
	// small is the size of its store, and full the size with -strict.
	small, full size
	// open opens a new store, and returns a function that searches its files
	// for words.
	open func(t testing.TB) (store, func(t testing.TB, words ...string) []string)
}

var places = []place{
	{"sqlite", size{10_000, 3000, 500}, size{1_000_000, 300_000, 50_000}, openFile},
	{"postgres", size{3000, 900, 150}, size{100_000, 30_000, 5000}, openServer},
}

func openFile(t testing.TB) (store, func(testing.TB, ...string) []string) {
	path := filepath.Join(dir(t), "memory.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: wordvectors.New()})
	must(t, "opening the store", err)
	return s, func(t testing.TB, words ...string) (left []string) {
		for _, name := range []string{path, path + "-wal"} {
			data, err := os.ReadFile(name)
			must(t, "reading the file", err)
			for _, word := range words {
				if n := bytes.Count(data, []byte(word)); n > 0 {
					left = append(left, fmt.Sprintf("%q %d times in %s", word, n, filepath.Base(name)))
				}
			}
		}
		return left
	}
}

// openServer starts a new server with durable writes. The search skips its
// write-ahead log, which is the operator's concern.
func openServer(t testing.TB) (store, func(testing.TB, ...string) []string) {
	server := peers.StartPostgres(t)
	s, err := postgres.Open(t.Context(), server.DSN(t), &postgres.Options{Embedder: wordvectors.New()})
	must(t, "opening the store", err)
	t.Logf("%s, with pgvector: %v", server.Query(t, "SELECT version()"), s.Extension())
	return s, func(t testing.TB, words ...string) (left []string) {
		for table := range strings.FieldsSeq(server.Query(t, "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
			for _, word := range words {
				if n := server.Query(t, fmt.Sprintf("SELECT count(*) FROM %s t WHERE position('%s' in t::text) > 0", table, word)); n != "0" {
					left = append(left, fmt.Sprintf("%q in %s rows of %s", word, n, table))
				}
			}
		}
		return left
	}
}

// dir returns a directory on a real disk that is removed with the test.
func dir(t testing.TB) string {
	t.Helper()
	d, err := os.MkdirTemp("", "glyphoxa-memory-")
	must(t, "making a directory", err)
	t.Cleanup(func() { must(t, "removing the directory", os.RemoveAll(d)) })
	return d
}
