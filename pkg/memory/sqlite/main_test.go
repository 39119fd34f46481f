package sqlite_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/hashing"
)

// The test binary runs itself as a child for what one process cannot show.
const (
	childRole = "SQLITE_TEST_CHILD"
	childPath = "SQLITE_TEST_PATH"
)

func TestMain(m *testing.M) {
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

// fresh opens a new store with the hashing embedder.
func fresh(t testing.TB) *sqlite.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "glyphoxa.db"), &sqlite.Options{Embedder: hashing.New()})
}

// quickDir is a directory in memory where there is one, for tests that write
// much and are not about the disk.
func quickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "glyphoxa-memory-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, "RemoveAll", os.RemoveAll(dir)) })
	return dir
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}
