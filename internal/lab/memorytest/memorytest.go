// Package memorytest holds a store to what package memory says of it: what is said
// comes back, by every way that leads to it and to those who may know it; what is
// taken back is nowhere; what was reported kept survives the process.
//
// It is for tests alone.
package memorytest

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// Harness is how the suite comes by stores.
type Harness struct {
	// New makes a place for a store in which nothing is kept yet, and takes it away
	// with the test.
	New func(t testing.TB) (location string)
	// Open opens the store at a place; several may be open on the same one. The
	// embedder and the groups may be nil.
	Open func(ctx context.Context, location string, e embeddings.Provider, groups *memory.Groups) (memory.Store, error)
	// Inspect looks behind the store's back for what nothing leads to any more: the
	// rows by which lines and facts are found, each list rising. vectors tells whether
	// there ever were any, and is then the facts that have one. If nil, nobody looks.
	Inspect func(t testing.TB, location string) Inside
	// Alone says that no second process or store may use a place at the same time.
	Alone bool
}

// Inside is what an inspection finds, by id.
type Inside struct {
	// LinesFound are the lines the full text leads to by the word zebra, Facts all
	// facts, and FactsFound those the full text leads to by that word.
	LinesFound, Facts, FactsFound []int64
	// Embedded are the facts that are said to have a vector and Vectors those that
	// have one, both nil if there never were vectors.
	Embedded, Vectors []int64
}

// Run holds the store of a harness to all of it.
func Run(t *testing.T, h Harness) {
	for _, part := range suite() {
		if part.several && h.Alone {
			continue
		}
		t.Run(part.name, func(t *testing.T) { part.test(t, h) })
	}
}

// RunVectors holds the store of a harness to what is said of finding facts by meaning. One
// place is used at a time.
func RunVectors(t *testing.T, h Harness) {
	for _, part := range suite() {
		if slices.Contains(vectorParts, part.name) {
			t.Run(part.name, func(t *testing.T) { part.test(t, h) })
		}
	}
}

// vectorParts are the tests of the suite that are about vectors.
var vectorParts = []string{
	"SearchFacts", "RememberOnce", "Unremember", "HiddenFactsDoNotCrowdOutVisibleOnes", "EmbedderChange", "AnotherEmbedder",
	"ARefusedText", "FactsFollowTheirEntity",
}

// part is one test of the suite.
type part struct {
	name string
	test func(t *testing.T, h Harness)
	// several marks what needs more than one store on a place.
	several bool
}

// fresh opens a new store.
func (h Harness) fresh(t testing.TB, e embeddings.Provider) memory.Store {
	t.Helper()
	return h.open(t, h.New(t), e)
}

// open opens a store and closes it with the test.
func (h Harness) open(t testing.TB, location string, e embeddings.Provider) memory.Store {
	t.Helper()
	s, err := h.Open(t.Context(), location, e, nil)
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

// plain opens a new store that knows words by their parts.
func (h Harness) plain(t testing.TB) memory.Store {
	t.Helper()
	return h.fresh(t, wordvectors.New())
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// QuickDir is a directory in memory where there is one, for tests that write
// much and are not about the disk.
func QuickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "glyphoxa-memory-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, "RemoveAll", os.RemoveAll(dir)) })
	return dir
}
