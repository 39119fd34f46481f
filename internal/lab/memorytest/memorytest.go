// Package memorytest tests a store against the promises of package memory:
// stored text is found in every way, by those who may know it; retracted text
// is nowhere; text reported stored survives the process.
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

// Harness provides the suite with stores.
type Harness struct {
	// New creates a location for an empty store, and removes it with the test.
	New func(t testing.TB) (location string)
	// Open opens the store at a location; several may be open on the same one.
	// The embedder and the groups may be nil.
	Open func(ctx context.Context, location string, e embeddings.Provider, groups *memory.Groups) (memory.Store, error)
	// Inspect reads the storage directly, to find unreachable data: the rows by
	// which lines and facts are found, each list ascending. vectors reports
	// whether there ever were any, and is then the facts that have one. If nil,
	// the tests do not inspect.
	Inspect func(t testing.TB, location string) Inside
	// Alone forbids a second process or store on a location at the same time.
	Alone bool
}

// Inside is the result of an inspection, by id.
type Inside struct {
	// LinesFound are the lines indexed under the word zebra, Facts all facts,
	// and FactsFound those indexed under that word.
	LinesFound, Facts, FactsFound []int64
	// Embedded are the facts marked as having a vector, Vectors those that have
	// one; both are nil if there never were vectors.
	Embedded, Vectors []int64
}

// Run runs the whole suite on a harness's store.
func Run(t *testing.T, h Harness) {
	for _, part := range suite() {
		if part.several && h.Alone {
			continue
		}
		t.Run(part.name, func(t *testing.T) { part.test(t, h) })
	}
}

// RunVectors tests finding facts by meaning on a harness's store. It uses one
// location at a time.
func RunVectors(t *testing.T, h Harness) {
	for _, part := range suite() {
		if slices.Contains(vectorParts, part.name) {
			t.Run(part.name, func(t *testing.T) { part.test(t, h) })
		}
	}
}

// vectorParts are the tests about vectors.
var vectorParts = []string{
	"SearchFacts", "RememberOnce", "Unremember", "HiddenFactsDoNotCrowdOutVisibleOnes", "EmbedderChange", "AnotherEmbedder",
	"ARefusedText", "FactsFollowTheirEntity",
}

// part is one test of the suite.
type part struct {
	name string
	test func(t *testing.T, h Harness)
	// several marks tests that need more than one store on a location.
	several bool
}

// fresh opens a new store.
func (h Harness) fresh(t testing.TB, e embeddings.Provider) memory.Store {
	t.Helper()
	return h.open(t, h.New(t), e)
}

// open opens a store that closes with the test.
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

// plain opens a new store that matches words by their parts.
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

// QuickDir returns a directory in memory if there is one, for tests that write
// much and do not test the disk.
func QuickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "glyphoxa-memory-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, "RemoveAll", os.RemoveAll(dir)) })
	return dir
}
