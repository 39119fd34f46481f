package world_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// childPath names the variable with the database path for the test binary as the child process
// that is killed.
const childPath = "WORLD_TEST_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		changeForever(path)
		os.Exit(1)
	}
	// After Close, a Foundry VTT database drains its pool for another second.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/syndtr/goleveldb/leveldb.(*DB).mpoolDrain"))
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// stored opens a database.
func stored(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, nil)
	must(t, "opening the store", err)
	t.Cleanup(func() { must(t, "closing the store", s.Close()) })
	return s
}

func opened(t testing.TB, store world.Store, o world.Options) *world.World {
	t.Helper()
	w, err := world.Open(t.Context(), store, o)
	must(t, "opening the world", err)
	return w
}

// fresh returns a new world on disk.
func fresh(t testing.TB) *world.World {
	t.Helper()
	return opened(t, stored(t, filepath.Join(t.TempDir(), "a.db")), world.Options{Campaign: "c", Scene: "Night."})
}

func at(x, y, z float64) *memory.Position { return &memory.Position{x, y, z} }

func put(t testing.TB, w *world.World, all ...memory.Entity) {
	t.Helper()
	for _, e := range all {
		if e.Name == "" {
			e.Name = e.ID
		}
		_, err := w.Put(t.Context(), e, "test")
		must(t, "Put", err)
	}
}

func follow(t testing.TB, w *world.World, f world.Filter) *world.Subscription {
	t.Helper()
	s, err := w.Subscribe(f)
	must(t, "Subscribe", err)
	t.Cleanup(s.Close)
	return s
}

func nextMatch(t testing.TB, s *world.Subscription) world.Delta {
	t.Helper()
	d, err := s.Next(t.Context())
	must(t, "Next", err)
	return d
}

func changed(d world.Delta) []string { return idsOf(d.Changes) }

func idsOf(all []world.Change) []string {
	out := []string{}
	for _, c := range all {
		out = append(out, c.Entity.ID)
	}
	return out
}

func encoded(t testing.TB, e memory.Entity) string {
	t.Helper()
	raw, err := json.Marshal(e)
	must(t, "Marshal", err)
	return string(raw)
}
