package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// vendor is an embedder of two dimensions, crowns and zebras, that counts what
// it is given and may tell its length with its first answer only.
type vendor struct {
	name   string
	late   bool // tells its length late
	wide   int  // dimensions beyond the two
	down   error
	refuse string // a text it refuses, and every batch with it
	most   int    // texts at once
	given  map[string]int
	told   atomic.Bool
	peek   func()
}

func (v *vendor) Name() string { return v.name }

func (v *vendor) Dimensions() int {
	if v.late && !v.told.Load() {
		return 0
	}
	return 2 + v.wide
}

func (v *vendor) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if v.peek != nil {
		v.peek()
	}
	if v.down != nil {
		return nil, v.down
	}
	if v.refuse != "" && strings.Contains(strings.Join(texts, "\n"), v.refuse) {
		return nil, fmt.Errorf("%w: too long", embeddings.ErrRejected)
	}
	v.most = max(v.most, len(texts))
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if v.given != nil {
			v.given[text]++
		}
		out[i] = append([]float32{0.1 + float32(strings.Count(text, "crown")), 0.1 + float32(strings.Count(text, "zebra"))}, make([]float32, v.wide)...)
	}
	v.told.Store(true)
	return out, nil
}

// tell appends lines by Ada and returns their session.
func tell(t testing.TB, s *sqlite.Store, texts ...string) string {
	t.Helper()
	id := startSession(t, s)
	lines := make([]memory.Line, len(texts))
	for i, text := range texts {
		lines[i] = memory.Line{Session: id, Speaker: "Ada", Text: text, User: ada, Ref: fmt.Sprint("m", i)}
	}
	_, err := s.Append(t.Context(), lines...)
	must(t, "Append", err)
	return id
}

// wants checks what a search finds, by the beginnings of its hits.
func wants(t testing.TB, s *sqlite.Store, question string, k int, want ...string) {
	t.Helper()
	hits, err := s.SearchFacts(t.Context(), question, "", k)
	must(t, "SearchFacts", err)
	got := texts(hits)
	if len(got) != len(want) {
		t.Errorf("%q finds %q, want %q", question, got, want)
		return
	}
	for i := range got {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
}

// TestLinesSaidWhileTheEmbedderWasDown are found by their words until it is
// back, and by their meaning then, also where nobody had indexed them at all.
func TestLinesSaidWhileTheEmbedderWasDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	v := &vendor{name: "v", down: errors.New("no route to vendor"), given: map[string]int{}}
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: v})
	must(t, "Open", err)
	tell(t, s, "a zebra", "the crown")
	if n, err := s.IndexLines(t.Context()); n != 2 || err != nil {
		t.Errorf("IndexLines = %d, %v; want 2", n, err)
	}
	if n, err := s.EmbedFacts(t.Context()); n != 0 || !errors.Is(err, v.down) {
		t.Errorf("EmbedFacts = %d, %v; want the embedder's error", n, err)
	}
	wants(t, s, "zebra", 10, "Ada: a zebra")
	tell(t, s, "another zebra") // and the program is killed
	must(t, "Close", s.Close())

	v.down = nil
	s = open(t, path, &sqlite.Options{Embedder: v})
	index(t, s)
	index(t, s)
	wants(t, s, "zebra crown", 1, "Ada: ")
	wants(t, s, "crown", 3, "Ada: the crown", "Ada: ", "Ada: ")
	for text, n := range v.given {
		if strings.HasPrefix(text, "Ada") && n != 1 {
			t.Errorf("the embedder was given %q %d times, want once", text, n)
		}
	}
	if len(v.given) != 3+2 { // and the questions
		t.Errorf("the embedder was given %v, want three lines", v.given)
	}
}

// TestUnindexedIsToldOnce shows that whoever waits learns of every kind of
// writing that leaves something to do, and of nothing else.
func TestUnindexedIsToldOnce(t *testing.T) {
	v := &vendor{name: "v"}
	s := open(t, filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: v})
	told := func(doing string, want bool) {
		t.Helper()
		got := false
		select {
		case <-s.Unindexed():
			got = true
		default:
		}
		if got != want {
			t.Errorf("%s: told = %v, want %v", doing, got, want)
		}
	}
	told("opened", false)
	id := tell(t, s, "one", "two")
	told("Append", true)
	told("Append, again", false)
	index(t, s)
	told("indexing", false)
	_, err := s.Reword(t.Context(), id, "m0", "uno")
	must(t, "Reword", err)
	told("Reword", true)
	must(t, "Change", s.Change(t.Context(), memory.Batch{Put: []memory.Entity{{ID: "a", Name: "A", Description: "x"}}}))
	told("Change", true)
	must(t, "Settle", s.Settle(t.Context(), nil, nil, rumours()[:1]))
	told("Settle", true)
	must(t, "Remember", s.Remember(t.Context(), rumours()...))
	told("Remember", false)
	v.down = errors.New("gone")
	if err := s.Remember(t.Context(), memory.Fact{Source: "s", Text: "x"}); !errors.Is(err, v.down) {
		t.Errorf("Remember = %v, want the embedder's error", err)
	}
	told("Remember without the embedder", true)
}

// TestAnIDThatComesAgain says something after the last line was taken back.
func TestAnIDThatComesAgain(t *testing.T) {
	s := fresh(t)
	id := tell(t, s, "a zebra", "a crown")
	index(t, s)
	_, err := s.Retract(t.Context(), id, "m1")
	must(t, "Retract", err)
	tell(t, s, "a griffon")
	index(t, s)
	wants(t, s, "griffon", 1, "Ada: a griffon")
}

// TestAnotherEmbedder changes the model, its length, and both, with embedders
// that know their length and with one that learns it.
func TestAnotherEmbedder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	first := true
	for _, v := range []*vendor{
		{name: "a"}, {name: "a", wide: 2}, {name: "b", wide: 2}, {name: "b", late: true, wide: 2}, {name: "b", late: true, wide: 1}, {name: "c", late: true},
	} {
		t.Run(fmt.Sprintf("%s %d late %v", v.name, v.wide, v.late), func(t *testing.T) {
			v.given = map[string]int{}
			s := open(t, path, &sqlite.Options{Embedder: v})
			if first {
				tell(t, s, "a zebra", "a crown", "a crown and a crown", "nothing")
				index(t, s)
				first = false
			}
			wants(t, s, "zebra", 10, append([]string{"Ada: a zebra"}, found(t, s)...)...)
			tell(t, s, "once more for "+t.Name())
			index(t, s)
			wants(t, s, "zebra", 1, "Ada: a zebra")
			if hits, err := s.SearchFacts(t.Context(), "zebra", "", 100); err != nil || len(hits) < 5 {
				t.Errorf("%q, %v; want all by meaning", texts(hits), err)
			}
			for text, n := range v.given {
				if n != 1 && strings.HasPrefix(text, "Ada: ") {
					t.Errorf("the embedder was given %q %d times, want once", text, n)
				}
			}
		})
	}
}

// found is what is left to be found by meaning alone.
func found(t *testing.T, s *sqlite.Store) (more []string) {
	t.Helper()
	hits, err := s.SearchFacts(t.Context(), "zebra", "", 10)
	must(t, "SearchFacts", err)
	for range hits[1:] {
		more = append(more, "Ada: ")
	}
	return more
}

// TestSearchWhileVectorsAreMadeAnew gives words their places as long as most
// facts have no vector of the new embedder.
func TestSearchWhileVectorsAreMadeAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: &vendor{name: "old"}})
	must(t, "Open", err)
	said := []string{"the griffon of Waterdeep"}
	for i := range 639 {
		said = append(said, fmt.Sprintf("crown number %d", i))
	}
	tell(t, s, said...)
	index(t, s)
	must(t, "Close", s.Close())

	s = open(t, path, &sqlite.Options{Embedder: &vendor{name: "new"}})
	n, err := s.EmbedFacts(t.Context())
	must(t, "EmbedFacts", err)
	if n != 64 {
		t.Fatalf("EmbedFacts = %d, want one batch", n)
	}
	hits, err := s.SearchFacts(t.Context(), "griffon", "", 5)
	must(t, "SearchFacts", err)
	if len(hits) != 5 || !contains(hits, "griffon") {
		t.Errorf("%q; want five, one of them the oldest line, which has no vector yet", texts(hits))
	}
}

// TestARefusedText leaves one text to the words and embeds all others.
func TestARefusedText(t *testing.T) {
	v := &vendor{name: "v", refuse: "poison", given: map[string]int{}}
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path, &sqlite.Options{Embedder: v})
	var said []string
	for i := range 100 {
		said = append(said, fmt.Sprint("zebra ", i))
	}
	said[30], said[97] = "poison zebra", "more poison"
	tell(t, s, said...)
	index(t, s)
	n := 0
	for text := range v.given {
		if strings.HasPrefix(text, "Ada: ") {
			n++
		}
	}
	if n != 98 {
		t.Errorf("%d lines have vectors, want all but the two that are refused", n)
	}
	v.given = map[string]int{}
	if n, err := s.EmbedFacts(t.Context()); n != 0 || err != nil || len(v.given) > 0 {
		t.Errorf("EmbedFacts = %d, %v, given %v; want nothing left to do", n, err, v.given)
	}
	hits, err := s.SearchFacts(t.Context(), "more", "", 100)
	must(t, "SearchFacts", err)
	if !contains(hits, "more poison") {
		t.Error("what was refused is not found by its words")
	}
	v.refuse = "" // a wrong key refuses everything
	v.down = fmt.Errorf("%w: check api_key", embeddings.ErrRejected)
	tell(t, s, "a crown")
	_, err = s.IndexLines(t.Context())
	must(t, "IndexLines", err)
	if _, err := s.EmbedFacts(t.Context()); !errors.Is(err, embeddings.ErrRejected) {
		t.Errorf("err = %v, want why everything is refused", err)
	}
	v.down = nil
	if n, err := s.EmbedFacts(t.Context()); n != 1 || err != nil {
		t.Errorf("EmbedFacts = %d, %v; want the line that waited", n, err)
	}
}

// TestTwoEmbeddersOnOneFile do not take the vectors from each other for ever:
// whoever came first goes on by words.
func TestTwoEmbeddersOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	a := open(t, path, &sqlite.Options{Embedder: &vendor{name: "a"}})
	tell(t, a, "a zebra", "a crown")
	index(t, a)
	b := open(t, path, &sqlite.Options{Embedder: &vendor{name: "b"}})
	index(t, b)
	tell(t, a, "another zebra")
	_, err := a.IndexLines(t.Context())
	must(t, "IndexLines", err)
	if _, err := a.EmbedFacts(t.Context()); err == nil || !strings.Contains(err.Error(), "another embedding model") {
		t.Errorf("err = %v, want that the vectors are another's", err)
	}
	wants(t, a, "zebra", 10, "Ada: another zebra", "Ada: a zebra")
	index(t, b)
	wants(t, b, "zebra", 1, "Ada: a")
}

// TestAHundredThousandLines indexes a campaign that never was, and again for
// another embedder: in small batches, each line once, in bounded memory. It shows how
// long that takes, and how long others waited meanwhile.
func TestAHundredThousandLines(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	const lines = manyLines
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := sqlite.Open(t.Context(), path, nil)
	must(t, "Open", err)
	id := startSession(t, s)
	batch := make([]memory.Line, 1000)
	for i := range lines / len(batch) {
		for j := range batch {
			batch[j] = memory.Line{Session: id, Speaker: "Ada", Text: fmt.Sprintf("zebra %d of the east", i*len(batch)+j)}
		}
		_, err := s.Append(t.Context(), batch...)
		must(t, "Append", err)
	}
	must(t, "Close", s.Close())

	for _, name := range []string{"first", "second"} {
		v := &vendor{name: name, given: make(map[string]int, lines)}
		s := open(t, path, &sqlite.Options{Embedder: v})
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var grown uint64
		calls := 0
		v.peek = func() {
			if calls++; calls%200 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				// What the test itself counts is no part of it.
				grown = max(grown, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc+uint64(len(v.given))*100))
			}
		}
		stop := make(chan struct{})
		var meanwhile sync.WaitGroup
		var said atomic.Int64
		var longest time.Duration
		meanwhile.Go(func() {
			id := startSession(t, s)
			for ; ; said.Add(1) {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				start := time.Now()
				if _, err := s.Append(t.Context(), memory.Line{Session: id, Speaker: "Bob", Text: fmt.Sprint(name, said.Load())}); err != nil {
					t.Error(err)
				}
				longest = max(longest, time.Since(start))
			}
		})
		start := time.Now()
		var half time.Duration
		for done := 0; ; {
			n, err := s.IndexLines(t.Context())
			must(t, "IndexLines", err)
			m, err := s.EmbedFacts(t.Context())
			must(t, "EmbedFacts", err)
			if done += m; half == 0 && done >= lines/2 {
				half = time.Since(start)
			}
			if n == 0 && m == 0 {
				break
			}
			if done >= lines && said.Load() > 0 {
				close(stop)
				meanwhile.Wait()
				done = -1 << 30
			}
		}
		took := time.Since(start)
		earlier := strings.Count(strings.Join(slices.Collect(maps.Keys(v.given)), "\n"), "Bob: ") - int(said.Load())
		t.Logf("%s embedder: %d lines in %v, the first half in %v, %d kB of memory; a line said meanwhile was kept after %v at most",
			name, len(v.given), took, half, grown>>10, longest)
		given := 0
		for _, n := range v.given {
			given += n
		}
		if want := lines + int(said.Load()) + earlier; len(v.given) != want || given != want || v.most > 64 {
			t.Errorf("%d lines, given %d times, at most %d at once; want %d, each once, 64 at a time", len(v.given), given, v.most, want)
		}
		if grown > 32<<20 {
			t.Errorf("memory grew by %d MB, want a bound", grown>>20)
		}
		v.peek = nil
		wants(t, s, "zebra", 1, "Ada: zebra")
	}
}
