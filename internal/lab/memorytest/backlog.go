package memorytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// vendor is an embedder of two dimensions, crowns and zebras, that counts its
// inputs and can report its dimensions only with its first answer.
type vendor struct {
	name   string
	late   bool // reports its dimensions late
	wide   int  // dimensions beyond the two
	down   error
	refuse string // a text it refuses, and every batch that contains it
	most   int    // texts per batch
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
func tell(t testing.TB, s memory.Store, texts ...string) string {
	t.Helper()
	id := StartSession(t, s)
	lines := make([]memory.Line, len(texts))
	for i, text := range texts {
		lines[i] = memory.Line{Session: id, Speaker: "Ada", Text: text, User: Ada, Ref: fmt.Sprint("m", i)}
	}
	_, err := s.Append(t.Context(), lines...)
	must(t, "Append", err)
	return id
}

// wants checks a search's hits by their beginnings.
func wants(t testing.TB, s memory.Store, question string, k int, want ...string) {
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

// testLinesSaidWhileTheEmbedderWasDown checks that lines are found by words
// until the embedder returns, and then by meaning, also lines that were never
// indexed.
func testLinesSaidWhileTheEmbedderWasDown(t *testing.T, h Harness) {
	path := h.New(t)
	v := &vendor{name: "v", down: errors.New("no route to vendor"), given: map[string]int{}}
	s, err := h.Open(t.Context(), path, v, nil)
	must(t, "Open", err)
	tell(t, s, "a zebra", "the crown")
	if n, err := s.IndexLines(t.Context()); n != 2 || err != nil {
		t.Errorf("IndexLines = %d, %v; want 2", n, err)
	}
	if n, err := s.EmbedFacts(t.Context()); n != 0 || !errors.Is(err, v.down) {
		t.Errorf("EmbedFacts = %d, %v; want the embedder's error", n, err)
	}
	wants(t, s, "zebra", 10, "Ada: a zebra")
	tell(t, s, "another zebra") // then the program is killed
	must(t, "Close", s.Close())

	v.down = nil
	s = h.open(t, path, v)
	IndexAll(t, s)
	IndexAll(t, s)
	wants(t, s, "zebra crown", 1, "Ada: ")
	wants(t, s, "crown", 3, "Ada: the crown", "Ada: ", "Ada: ")
	for text, n := range v.given {
		if strings.HasPrefix(text, "Ada") && n != 1 {
			t.Errorf("the embedder was given %q %d times, want once", text, n)
		}
	}
	if len(v.given) != 3+2 { // including the questions
		t.Errorf("the embedder was given %v, want three lines", v.given)
	}
}

// testUnindexedIsToldOnce checks that waiters are notified of every kind of
// write that needs indexing, and of no other.
func testUnindexedIsToldOnce(t *testing.T, h Harness) {
	v := &vendor{name: "v"}
	s := h.fresh(t, v)
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
	IndexAll(t, s)
	told("indexing", false)
	_, err := s.Reword(t.Context(), id, "m0", "uno")
	must(t, "Reword", err)
	told("Reword", true)
	must(t, "Change", s.Change(t.Context(), memory.Batch{Put: []memory.Entity{{ID: "a", Name: "A", Description: "x"}}}))
	told("Change", true)
	must(t, "Settle", s.ApplyCampaign(t.Context(), nil, nil, Rumours()[:1]))
	told("Settle", true)
	must(t, "Remember", s.Remember(t.Context(), Rumours()...))
	told("Remember", false)
	v.down = errors.New("gone")
	if err := s.Remember(t.Context(), memory.Fact{Source: "s", Text: "x"}); !errors.Is(err, v.down) {
		t.Errorf("Remember = %v, want the embedder's error", err)
	}
	told("Remember without the embedder", true)
}

// testAnIDThatComesAgain adds a line after the last one was retracted.
func testAnIDThatComesAgain(t *testing.T, h Harness) {
	s := h.plain(t)
	id := tell(t, s, "a zebra", "a crown")
	IndexAll(t, s)
	_, err := s.Retract(t.Context(), id, "m1")
	must(t, "Retract", err)
	tell(t, s, "a griffon")
	IndexAll(t, s)
	wants(t, s, "griffon", 1, "Ada: a griffon")
}

// testAnotherEmbedder changes the model, its dimensions, and both, with
// embedders that know their dimensions and one that learns them.
func testAnotherEmbedder(t *testing.T, h Harness) {
	path := h.New(t)
	first := true
	for _, v := range []*vendor{
		{name: "a"}, {name: "a", wide: 2}, {name: "b", wide: 2}, {name: "b", late: true, wide: 2}, {name: "b", late: true, wide: 1}, {name: "c", late: true},
	} {
		t.Run(fmt.Sprintf("%s %d late %v", v.name, v.wide, v.late), func(t *testing.T) {
			v.given = map[string]int{}
			s := h.open(t, path, v)
			if first {
				tell(t, s, "a zebra", "a crown", "a crown and a crown", "nothing")
				IndexAll(t, s)
				first = false
			}
			wants(t, s, "zebra", 10, append([]string{"Ada: a zebra"}, found(t, s)...)...)
			tell(t, s, "once more for "+t.Name())
			IndexAll(t, s)
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

// found returns the facts found by meaning alone.
func found(t *testing.T, s memory.Store) (more []string) {
	t.Helper()
	hits, err := s.SearchFacts(t.Context(), "zebra", "", 10)
	must(t, "SearchFacts", err)
	for range hits[1:] {
		more = append(more, "Ada: ")
	}
	return more
}

// testSearchWhileVectorsAreMadeAnew checks that search ranks by words while
// most facts lack a vector of the new embedder.
func testSearchWhileVectorsAreMadeAnew(t *testing.T, h Harness) {
	path := h.New(t)
	s, err := h.Open(t.Context(), path, &vendor{name: "old"}, nil)
	must(t, "Open", err)
	said := []string{"the griffon of Waterdeep"}
	for i := range 639 {
		said = append(said, fmt.Sprintf("crown number %d", i))
	}
	tell(t, s, said...)
	IndexAll(t, s)
	must(t, "Close", s.Close())

	s = h.open(t, path, &vendor{name: "new"})
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

// testARefusedText checks that a refused text stays searchable by words and all
// others are embedded.
func testARefusedText(t *testing.T, h Harness) {
	v := &vendor{name: "v", refuse: "poison", given: map[string]int{}}
	path := h.New(t)
	s := h.open(t, path, v)
	var said []string
	for i := range 100 {
		said = append(said, fmt.Sprint("zebra ", i))
	}
	said[30], said[97] = "poison zebra", "more poison"
	tell(t, s, said...)
	IndexAll(t, s)
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
	v.refuse = "" // a wrong key refuses every text
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

// testTwoEmbeddersOnOneFile checks that two embedders do not replace each
// other's vectors forever: the first one falls back to words.
func testTwoEmbeddersOnOneFile(t *testing.T, h Harness) {
	path := h.New(t)
	a := h.open(t, path, &vendor{name: "a"})
	tell(t, a, "a zebra", "a crown")
	IndexAll(t, a)
	b := h.open(t, path, &vendor{name: "b"})
	IndexAll(t, b)
	tell(t, a, "another zebra")
	_, err := a.IndexLines(t.Context())
	must(t, "IndexLines", err)
	if _, err := a.EmbedFacts(t.Context()); err == nil || !strings.Contains(err.Error(), "another embedding model") {
		t.Errorf("err = %v, want that the vectors are another's", err)
	}
	wants(t, a, "zebra", 10, "Ada: another zebra", "Ada: a zebra")
	IndexAll(t, b)
	wants(t, b, "zebra", 1, "Ada: a")
}
