package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/hashing"
)

// TestConcurrentUse runs everything at once on two stores over one file, as
// two processes would.
func TestConcurrentUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	a := open(t, path, &sqlite.Options{Embedder: hashing.New()})
	b := open(t, path, &sqlite.Options{Embedder: hashing.New()})
	village(t, a)
	id := startSession(t, a)
	const rounds, writers = 15, 3
	g, ctx := errgroup.WithContext(t.Context())
	for w := range writers {
		for _, s := range []*sqlite.Store{a, b} {
			g.Go(func() error {
				for i := range rounds {
					text := fmt.Sprintf("writer %d says the dragon number %d", w, i)
					if _, err := s.Append(ctx, memory.Line{Session: id, Text: text}); err != nil {
						return err
					}
					if err := s.Remember(ctx, memory.Fact{Source: "s", Text: text}); err != nil {
						return err
					}
					if err := s.PutEntities(ctx, memory.Entity{ID: fmt.Sprint("e", w), Name: text}); err != nil {
						return err
					}
				}
				return nil
			})
			g.Go(func() error { return readEverything(ctx, s, id, rounds) })
		}
	}
	must(t, "concurrent use", g.Wait())
	lines, err := a.Recent(t.Context(), id, 1000)
	must(t, "Recent", err)
	if want := 2 * writers * rounds; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	for i := 1; i < len(lines); i++ {
		if lines[i].ID <= lines[i-1].ID {
			t.Errorf("ids %d, %d out of order", lines[i-1].ID, lines[i].ID)
		}
	}
	hits, err := b.SearchFacts(t.Context(), "dragon number", "bartok", 1000)
	must(t, "SearchFacts", err)
	if want := writers * rounds; len(hits) != want {
		t.Errorf("%d facts, want each of %d once", len(hits), want)
	}
}

func readEverything(ctx context.Context, s *sqlite.Store, session string, rounds int) error {
	for range rounds {
		_, err1 := s.SearchLines(ctx, memory.LineQuery{Text: "dragon number", Session: session})
		_, err2 := s.SearchFacts(ctx, "dragon", "bartok", 5)
		_, err3 := s.FindEntities(ctx, memory.EntityQuery{Name: "bartog", Viewer: "bartok"})
		_, err4 := s.Neighbours(ctx, "bartok", "bartok", 3)
		_, err5 := s.Recent(ctx, session, 20)
		_, err6 := s.Sessions(ctx, 5)
		if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
			return err
		}
	}
	return nil
}

// TestCancelledCallsLeaveNoTrace cancels calls at every moment: each either
// fails with the context's error or did its work, and the store goes on.
func TestCancelledCallsLeaveNoTrace(t *testing.T) {
	s := fresh(t)
	village(t, s)
	id := startSession(t, s)
	kept := 0
	for i := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range i * 50 {
				if ctx.Err() != nil {
					return
				}
			}
			cancel()
		}()
		_, err := s.Append(ctx, memory.Line{Session: id, Text: "perhaps"})
		if err == nil {
			kept++
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("Append = %v, want context.Canceled", err)
		}
		if _, err := s.SearchLines(ctx, memory.LineQuery{Text: "perhaps not"}); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("SearchLines = %v, want context.Canceled", err)
		}
		if _, err := s.Neighbours(ctx, "bartok", "", 3); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Neighbours = %v, want context.Canceled", err)
		}
		cancel()
		<-done
	}
	lines, err := s.Recent(t.Context(), id, 1000)
	must(t, "Recent", err)
	if len(lines) != kept {
		t.Errorf("%d lines are kept, %d appends succeeded", len(lines), kept)
	}
}
