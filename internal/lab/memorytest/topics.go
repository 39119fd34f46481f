package memorytest

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// testTopics stores facts of one topic one after another: viewers who may know
// it get the last fact, and the older ones remain with the time until which
// they were true.
func testTopics(t *testing.T, h Harness) {
	for name, embedder := range map[string]embeddings.Provider{"by_meaning": wordvectors.New(), "by_text": nil} {
		t.Run(name, func(t *testing.T) {
			s := h.fresh(t, embedder)
			day := func(n int64, text string) memory.Date { return memory.Date{Day: n, Text: text} }
			at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
			first := memory.Fact{Source: "notes", Text: "Nettie sells eels at the stall.", Topic: "nettie work", At: at, Date: day(3, "3 Reed"), Since: day(1, "1 Reed")}
			second := memory.Fact{Source: "notes", Text: "Nettie runs messages.", Topic: "nettie work", At: at.Add(time.Hour), Date: day(9, "9 Reed")}
			secret := memory.Fact{Source: "notes#rook", Text: "Nettie spies for Rook.", Topic: "nettie work", At: at.Add(2 * time.Hour), Visible: []string{"rook"}}
			other := memory.Fact{Source: "notes", Text: "Nettie is twelve, and sells nothing.", Topic: "nettie age", At: at}
			must(t, "Remember", s.Remember(t.Context(), first, other, second, secret))
			find := func(viewer string, k int) []memory.FactHit {
				t.Helper()
				hits, err := s.SearchFacts(t.Context(), "Nettie sells eels at the stall", viewer, k)
				must(t, "SearchFacts", err)
				return hits
			}
			place := func(hits []memory.FactHit, text string) int {
				for i, h := range hits {
					if h.Text == text {
						return i
					}
				}
				t.Fatalf("%q lacks %q", texts(hits), text)
				return 0
			}
			hits := find("gam", 10)
			stale, now := hits[place(hits, first.Text)], hits[place(hits, second.Text)]
			if place(hits, second.Text) > place(hits, first.Text) {
				t.Errorf("hits = %q, want what stands before what it superseded", texts(hits))
			}
			if !stale.Superseded.Equal(second.At) || stale.Until != second.Date || stale.Since != first.Since || stale.Date != first.Date {
				t.Errorf("stale fact = %+v, want it from 1 Reed until 9 Reed", stale)
			}
			if !now.Superseded.IsZero() || !now.Until.IsZero() || !hits[place(hits, other.Text)].Superseded.IsZero() {
				t.Errorf("hits = %+v, want the others to stand", hits)
			}
			if contains(hits, "spies") {
				t.Errorf("gam finds %q", texts(hits))
			}
			if hits := find("gam", 1); len(hits) != 1 || hits[0].Text != second.Text {
				t.Errorf("k = 1: %q, want what stands", texts(hits))
			}
			hits = find("rook", 10)
			if h := hits[place(hits, second.Text)]; !h.Superseded.Equal(secret.At) {
				t.Errorf("for rook %+v stands, want it superseded", h)
			}
			must(t, "Remember again", s.Remember(t.Context(), first))
			hits = find("gam", 10)
			if a, b := hits[place(hits, first.Text)], hits[place(hits, second.Text)]; !a.Superseded.IsZero() || b.Superseded.IsZero() {
				t.Errorf("stated again: %+v and %+v, want the first to stand", a, b)
			}
			must(t, "Unremember", s.Unremember(t.Context(), "notes", first.Text))
			hits = find("gam", 10)
			if h := hits[place(hits, second.Text)]; !h.Superseded.IsZero() {
				t.Errorf("after the last was deleted %+v, want it to stand", h)
			}
		})
	}
}
