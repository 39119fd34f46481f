package memorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// fakeEmbedder is an embedder made of functions; nil functions behave like the
// word vectors.
type fakeEmbedder struct {
	wordvectors.Embedder
	name  string
	embed func(ctx context.Context, texts []string) ([][]float32, error)
	dims  int
}

func (f *fakeEmbedder) Name() string { return f.name }

func (f *fakeEmbedder) Dimensions() int {
	if f.dims != 0 {
		return f.dims
	}
	return f.Embedder.Dimensions()
}

func (f *fakeEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if f.embed != nil {
		return f.embed(ctx, texts)
	}
	return f.Embedder.Embed(ctx, texts)
}

func Rumours() []memory.Fact {
	return []memory.Fact{
		{Source: "session:1", Text: "The silver crown was stolen from the temple at midnight."},
		{Source: "session:1", Text: "Bartok waters down his ale."},
		{Source: "entity:mayor", Text: "The mayor stole the silver crown himself.", Visible: []string{"mayor", "thief"}},
		{Source: "entity:cave", Text: "Die Höhle am Meer ist voller Schmuggelware."},
	}
}

func texts(hits []memory.FactHit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func contains(hits []memory.FactHit, part string) bool {
	return strings.Contains(strings.Join(texts(hits), "\n"), part)
}

func testSearchFacts(t *testing.T, h Harness) {
	for name, embedder := range map[string]embeddings.Provider{"by_meaning": wordvectors.New(), "by_text": nil} {
		t.Run(name, func(t *testing.T) {
			s := h.fresh(t, embedder)
			if s.Semantic() != (embedder != nil) {
				t.Errorf("Semantic = %v", s.Semantic())
			}
			must(t, "Remember", s.Remember(t.Context(), Rumours()...))
			rows := []struct {
				name, question, viewer, first string
				hidden                        bool
			}{
				{name: "subject", question: "who stole the silver crown", viewer: "bartok", first: "The silver crown was", hidden: true},
				{name: "secret", question: "did the mayor steal the crown himself", viewer: "thief", first: "The mayor stole"},
				{name: "operator", question: "did the mayor steal the crown himself", first: "The mayor stole"},
				{name: "german", question: "höhle schmuggel", viewer: "x", first: "Die Höhle", hidden: true},
			}
			for _, row := range rows {
				t.Run(row.name, func(t *testing.T) {
					hits, err := s.SearchFacts(t.Context(), row.question, row.viewer, 10)
					must(t, "SearchFacts", err)
					if len(hits) == 0 || !strings.HasPrefix(hits[0].Text, row.first) {
						t.Fatalf("hits = %q, want %q first", texts(hits), row.first)
					}
					if row.hidden && contains(hits, "mayor stole") {
						t.Errorf("%q sees the secret: %q", row.viewer, texts(hits))
					}
					for i, h := range hits {
						if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > hits[i-1].Score {
							t.Errorf("score %v at hit %d, want it falling within 0 to 1", h.Score, i)
						}
						if h.Source == "" || h.At.IsZero() || h.ID == 0 {
							t.Errorf("hit %d = %+v, want source, time and id", i, h)
						}
					}
				})
			}
			for _, blank := range []string{"", " \n"} {
				if hits, err := s.SearchFacts(t.Context(), blank, "", 5); err != nil || len(hits) != 0 {
					t.Errorf("SearchFacts(%q) = %v, %v, want nothing", blank, hits, err)
				}
			}
			if hits, err := s.SearchFacts(t.Context(), "silver crown", "", 1); err != nil || len(hits) != 1 {
				t.Errorf("k = 1: %q, %v, want one", texts(hits), err)
			}
			if _, err := s.SearchFacts(t.Context(), "silver crown", "x", 1<<30); err != nil {
				t.Errorf("huge k: %v", err)
			}
		})
	}
}

func testUnremember(t *testing.T, h Harness) {
	s := h.plain(t)
	dry := memory.Fact{Source: "session:1", Text: "The well is dry."}
	deep := memory.Fact{Source: "session:1", Text: "The well is deep."}
	other := memory.Fact{Source: "session:2", Text: dry.Text}
	must(t, "Remember", s.Remember(t.Context(), dry, deep, other))
	must(t, "Unremember", s.Unremember(t.Context(), "session:1", dry.Text, "The well is gone."))
	must(t, "Unremember", s.Unremember(t.Context(), "session:1"))
	hits, err := s.SearchFacts(t.Context(), "dry deep well", "", 10)
	must(t, "SearchFacts", err)
	if len(hits) != 2 || slices.ContainsFunc(hits, func(f memory.FactHit) bool { return f.Source == dry.Source && f.Text == dry.Text }) {
		t.Errorf("found %q, want what was not deleted", texts(hits))
	}
	must(t, "Remember", s.Remember(t.Context(), dry))
	hits, err = s.SearchFacts(t.Context(), "dry well", "", 10)
	must(t, "SearchFacts", err)
	if !slices.ContainsFunc(hits, func(f memory.FactHit) bool { return f.Source == dry.Source && f.Text == dry.Text }) {
		t.Errorf("found %q, want also what was told again", texts(hits))
	}
}

func testRememberOnce(t *testing.T, h Harness) {
	s := h.plain(t)
	f := memory.Fact{Source: "session:1", Text: "The well is dry."}
	must(t, "Remember", s.Remember(t.Context(), f, f, memory.Fact{Source: "session:1", Text: " "}))
	must(t, "Remember", s.Remember(t.Context(), f))
	other := f
	other.Source = "session:2"
	must(t, "Remember", s.Remember(t.Context(), other))
	hits, err := s.SearchFacts(t.Context(), "dry well", "", 10)
	must(t, "SearchFacts", err)
	if len(hits) != 2 {
		t.Errorf("%d facts %q, want one per source", len(hits), texts(hits))
	}

	f.Visible = []string{"miller"}
	other.Visible = []string{"miller"}
	must(t, "Remember", s.Remember(t.Context(), f, other))
	hits, err = s.SearchFacts(t.Context(), "dry well", "baker", 10)
	must(t, "SearchFacts", err)
	if len(hits) != 0 {
		t.Errorf("baker still finds %q, want the latest visibility to count", texts(hits))
	}
	hits, err = s.SearchFacts(t.Context(), "dry well", "miller", 10)
	must(t, "SearchFacts", err)
	if len(hits) != 2 {
		t.Errorf("miller finds %q, want both", texts(hits))
	}
}

func testHiddenFactsDoNotCrowdOutVisibleOnes(t *testing.T, h Harness) {
	for name, embedder := range map[string]embeddings.Provider{"by_meaning": wordvectors.New(), "by_text": nil} {
		t.Run(name, func(t *testing.T) {
			s := h.fresh(t, embedder)
			facts := []memory.Fact{{Source: "s", Text: "the harbour bell rang"}}
			for i := range 400 {
				facts = append(facts, memory.Fact{Source: "s", Text: fmt.Sprintf("harbour bell %d", i), Visible: []string{"spy"}})
			}
			must(t, "Remember", s.Remember(t.Context(), facts...))
			hits, err := s.SearchFacts(t.Context(), "harbour bell", "bartok", 5)
			must(t, "SearchFacts", err)
			if len(hits) != 1 || hits[0].Text != facts[0].Text {
				t.Errorf("hits = %q, want the visible one", texts(hits))
			}
		})
	}
}

func testEmbedderChange(t *testing.T, h Harness) {
	path := h.New(t)
	with := func(e embeddings.Provider, do func(s memory.Store)) {
		t.Helper()
		s, err := h.Open(t.Context(), path, e, nil)
		must(t, "Open", err)
		do(s)
		must(t, "Close", s.Close())
	}
	search := func(s memory.Store) []memory.FactHit {
		t.Helper()
		hits, err := s.SearchFacts(t.Context(), "silver crown", "", 10)
		must(t, "SearchFacts", err)
		return hits
	}
	with(nil, func(s memory.Store) {
		must(t, "Remember", s.Remember(t.Context(), Rumours()...))
		if n, err := EmbedAll(t, s); n != 0 || err != nil {
			t.Errorf("reindex without embedder = %d, %v, want nothing", n, err)
		}
	})
	small := &fakeEmbedder{name: "small", dims: 2, embed: func(_ context.Context, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, x := range texts {
			out[i] = []float32{1, float32(strings.Count(x, "crown"))}
		}
		return out, nil
	}}
	for _, e := range []embeddings.Provider{wordvectors.New(), small, &fakeEmbedder{name: "same length"}} {
		with(e, func(s memory.Store) {
			if hits := search(s); len(hits) != 2 {
				t.Errorf("%s: before reindexing %q, want the two that full text finds", e.Name(), texts(hits))
			}
			for _, want := range []int{4, 0} {
				if n, err := EmbedAll(t, s); n != want || err != nil {
					t.Errorf("%s: reindex = %d, %v, want %d", e.Name(), n, err, want)
				}
			}
			if hits := search(s); len(hits) != 4 || !strings.Contains(hits[0].Text, "crown") {
				t.Errorf("%s: after reindexing %q, want all four, nearest first", e.Name(), texts(hits))
			}
		})
	}
	with(small, func(s memory.Store) {
		must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "s", Text: "A crown of thorns"}))
		if hits := search(s); len(hits) != 3 || !strings.Contains(hits[0].Text, "thorns") {
			t.Errorf("hits = %q, want the one with a vector first, then what full text finds", texts(hits))
		}
	})
}

func testEmbedderFailure(t *testing.T, h Harness) {
	broken := errors.New("no route to vendor")
	fail := true
	e := &fakeEmbedder{name: "flaky"}
	e.embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if fail {
			return nil, broken
		}
		return e.Embedder.Embed(ctx, texts)
	}
	s := h.fresh(t, e)
	if err := s.Remember(t.Context(), Rumours()...); !errors.Is(err, broken) {
		t.Errorf("Remember = %v, want the embedder's error", err)
	}
	hits, err := s.SearchFacts(t.Context(), "silver crown", "", 10)
	must(t, "SearchFacts", err)
	if len(hits) != 2 {
		t.Errorf("hits = %q, want the two that full text finds", texts(hits))
	}
	if n, err := EmbedAll(t, s); n != 0 || !errors.Is(err, broken) {
		t.Errorf("reindex = %d, %v, want the embedder's error", n, err)
	}
	fail = false
	must(t, "Remember again", s.Remember(t.Context(), Rumours()[:1]...))
	if n, err := EmbedAll(t, s); n != 3 || err != nil {
		t.Errorf("reindex = %d, %v, want the 3 that are left", n, err)
	}
}

func testEmbedderMisbehaves(t *testing.T, h Harness) {
	rows := []struct {
		name string
		dims int
		give [][]float32
	}{
		{name: "too_few", give: nil},
		{name: "too_short", give: [][]float32{{1}}},
		{name: "no_dimensions", dims: -1, give: [][]float32{{}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			e := &fakeEmbedder{name: "bad", dims: row.dims, embed: func(context.Context, []string) ([][]float32, error) { return row.give, nil }}
			s := h.fresh(t, e)
			if err := s.Remember(t.Context(), memory.Fact{Source: "s", Text: "the crown"}); err == nil {
				t.Error("Remember succeeded, want an error")
			}
			if hits, err := s.SearchFacts(t.Context(), "crown", "", 1); err != nil || len(hits) != 1 {
				t.Errorf("SearchFacts = %q, %v, want the fact by full text", texts(hits), err)
			}
		})
	}
	t.Run("no_direction", func(t *testing.T) {
		e := &fakeEmbedder{name: "zero", dims: 2, embed: func(_ context.Context, texts []string) ([][]float32, error) {
			return make2(len(texts)), nil
		}}
		s := h.fresh(t, e)
		must(t, "Remember", s.Remember(t.Context(), memory.Fact{Source: "s", Text: "the crown"}))
		if hits, err := s.SearchFacts(t.Context(), "crown", "", 1); err != nil || len(hits) != 1 {
			t.Errorf("SearchFacts = %q, %v, want the fact by full text", texts(hits), err)
		}
	})
}

func make2(n int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, 2)
	}
	return out
}

func testNoLockWhileEmbedding(t *testing.T, h Harness) {
	e := &fakeEmbedder{name: "slow"}
	path := h.New(t)
	s := h.open(t, path, e)
	id := StartSession(t, s)
	inside := 0
	e.embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		inside++
		// These calls would deadlock if Remember or SearchFacts held a lock.
		Say(t, s, id, "while embedding")
		for range 5 {
			if _, err := s.Recent(ctx, id, 1); err != nil {
				t.Errorf("Recent: %v", err)
			}
		}
		return e.Embedder.Embed(ctx, texts)
	}
	must(t, "Remember", s.Remember(t.Context(), Rumours()...))
	if _, err := s.SearchFacts(t.Context(), "crown", "", 1); err != nil {
		t.Errorf("SearchFacts: %v", err)
	}
	if inside != 2 {
		t.Errorf("embedder ran %d times, want 2", inside)
	}
}

func testSlowEmbedderLeavesTimeForFullText(t *testing.T, h Harness) {
	synctest.Test(t, func(t *testing.T) {
		e := &fakeEmbedder{name: "slow"}
		s := h.fresh(t, e)
		must(t, "Remember", s.Remember(t.Context(), Rumours()...))
		e.embed = func(ctx context.Context, _ []string) ([][]float32, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		hits, err := s.SearchFacts(ctx, "silver crown", "", 5)
		must(t, "SearchFacts", err)
		if len(hits) != 2 {
			t.Errorf("hits = %q, want the two that full text finds", texts(hits))
		}
		if got, want := time.Since(start), 600*time.Millisecond; got != want {
			t.Errorf("the embedder had %v, want %v", got, want)
		}
		gone, stop := context.WithCancel(t.Context())
		stop()
		if _, err := s.SearchFacts(gone, "silver crown", "", 5); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled search = %v, want context.Canceled", err)
		}
	})
}

// EmbedAll calls EmbedFacts until every fact has its vector and returns the
// number of facts.
func EmbedAll(t testing.TB, s memory.Store) (done int, err error) {
	t.Helper()
	for {
		n, err := s.EmbedFacts(t.Context())
		if done += n; err != nil || n == 0 {
			return done, err
		}
	}
}
