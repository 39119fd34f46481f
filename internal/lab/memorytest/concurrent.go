package memorytest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// testConcurrentUse runs all operations at once on two stores over one file, as
// two processes would.
func testConcurrentUse(t *testing.T, h Harness) {
	path := h.New(t)
	a := h.open(t, path, wordvectors.New())
	b := h.open(t, path, wordvectors.New())
	Village(t, a)
	id := StartSession(t, a)
	const rounds, writers = 15, 3
	g, ctx := errgroup.WithContext(t.Context())
	for w := range writers {
		for _, s := range []memory.Store{a, b} {
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

func readEverything(ctx context.Context, s memory.Store, session string, rounds int) error {
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

// testCancelledCallsLeaveNoTrace cancels calls at every moment: each either
// fails with the context's error or completes, and the store still works.
func testCancelledCallsLeaveNoTrace(t *testing.T, h Harness) {
	s := h.plain(t)
	Village(t, s)
	id := StartSession(t, s)
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

// testTakingBackConcurrently lets two stores over one file add, index, reword,
// retract and forget at once: after the last Forget no data of the user is
// left.
func testTakingBackConcurrently(t *testing.T, h Harness) {
	path := h.New(t)
	stores := []memory.Store{
		h.open(t, path, wordvectors.New()),
		h.open(t, path, wordvectors.New()),
	}
	id := StartSession(t, stores[0])
	const rounds = 12
	g, ctx := errgroup.WithContext(t.Context())
	for n, s := range stores {
		lines := make(chan int64, 2*rounds)
		g.Go(func() error {
			defer close(lines)
			for i := range rounds {
				kept, err := s.Append(ctx,
					memory.Line{Session: id, Speaker: "Ada", Text: fmt.Sprintf("zebra %d of %d", i, n), User: Ada, Ref: fmt.Sprint("m", i)},
					memory.Line{Session: id, Speaker: "Bob", Text: fmt.Sprintf("zebra, says Bob, %d of %d", i, n), User: Bob})
				if err != nil {
					return err
				}
				lines <- kept[0].ID
				lines <- kept[1].ID
			}
			return nil
		})
		g.Go(func() error {
			for range lines {
				if _, err := s.IndexLines(ctx); err != nil {
					return err
				}
				if _, err := s.EmbedFacts(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		g.Go(func() error {
			for i := range rounds {
				_, err1 := s.Reword(ctx, id, fmt.Sprint("m", i), "no zebra")
				_, err2 := s.Retract(ctx, id, fmt.Sprint("m", i/2))
				_, err3 := s.SearchFacts(ctx, "zebra", "", 10)
				if err := errors.Join(err1, err2, err3); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		// The cleanup may fail while the other store is busy.
		_, _ = stores[0].Forget(ctx, Ada)
		return nil
	})
	must(t, "concurrent use", g.Wait())
	_, err := stores[1].Forget(t.Context(), Ada)
	must(t, "Forget", err)

	var want []string
	lines, err := stores[0].Recent(t.Context(), id, 1000)
	must(t, "Recent", err)
	for _, l := range lines {
		if l.User != Bob {
			t.Errorf("line %+v is left", l)
		}
		want = append(want, l.Speaker+": "+l.Text)
	}
	if len(want) != 2*rounds {
		t.Errorf("%d lines, want Bob's %d", len(want), 2*rounds)
	}
	for _, s := range stores {
		check(t, s, id, "zebra", want)
	}
}
