package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

func recalled(t testing.TB, s *sqlite.Store, q memory.LineQuery) []string {
	t.Helper()
	hits, err := s.Recall(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestRecall(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.db"), nil)
	session, err := s.StartSession(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	say := func(ref, speaker, text string, present ...string) {
		t.Helper()
		_, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: speaker, Text: text, Ref: ref, User: "u-" + speaker, Present: present})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := memory.LineQuery{Text: "What became of the physician?"}
	if got := recalled(t, s, ask); len(got) != 0 {
		t.Errorf("in an empty log %q is found", got)
	}
	say("1", "Ada", "The soup was cold again.")
	say("2", "Ben", "The doctor drowned in the lake.", "oake")
	if got := recalled(t, s, ask); len(got) == 0 || got[0] != "The doctor drowned in the lake." {
		t.Errorf("found %q, want the doctor first", got)
	}
	ask.Viewer = "gam"
	for _, text := range recalled(t, s, ask) {
		if text == "The doctor drowned in the lake." {
			t.Error("gam is told what only oake heard")
		}
	}
	ask.Viewer = "oake"
	if _, err := s.Reword(t.Context(), session.ID, "2", "The doctor left by boat."); err != nil {
		t.Fatal(err)
	}
	if got := recalled(t, s, ask); len(got) == 0 || got[0] != "The doctor left by boat." {
		t.Errorf("after rewording %q is found", got)
	}
	if _, err := s.Forget(t.Context(), "u-Ben"); err != nil {
		t.Fatal(err)
	}
	if got := recalled(t, s, ask); len(got) != 0 {
		t.Errorf("after forgetting %q is found", got)
	}
}

// TestRecallOfVeryMany finds a line that is older than those cached in memory.
func TestRecallOfVeryMany(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 20,000 lines")
	}
	s := open(t, filepath.Join(t.TempDir(), "a.db"), nil)
	session, err := s.StartSession(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	lines := []memory.Line{{Session: session.ID, Speaker: "Ada", Text: "The silver crown lies under the pear tree."}}
	for i := range 20_000 {
		lines = append(lines, memory.Line{Session: session.ID, Speaker: "Ben", Text: fmt.Sprintf("We walk on for another %d miles through rain and mud.", i)})
	}
	if _, err := s.Append(t.Context(), lines...); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		start := time.Now()
		got := recalled(t, s, memory.LineQuery{Text: "Where is the silver crown buried?", Limit: 3})
		if len(got) == 0 || got[0] != lines[0].Text {
			t.Errorf("found %q, want the crown first", got)
		}
		t.Logf("took %v", time.Since(start))
	}
}

// TestRecallByMeaning finds a line that shares no word with the question, by its vector.
func TestRecallByMeaning(t *testing.T) {
	for _, row := range []struct {
		name     string
		embedder embeddings.Provider
		found    bool
	}{{"with_vectors", alike{}, true}, {"by_words_alone", nil, false}} {
		t.Run(row.name, func(t *testing.T) {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: row.embedder})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			session, err := s.StartSession(t.Context(), "campaign")
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"Zzyx qwop.", "Blorf snib.", "Vlim grent."} {
				if _, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Ada", Text: text}); err != nil {
					t.Fatal(err)
				}
			}
			for done := false; !done; {
				lines, err := s.IndexLines(t.Context())
				facts, err2 := s.EmbedFacts(t.Context())
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				done = lines+facts == 0
			}
			hits, err := s.Recall(t.Context(), memory.LineQuery{Text: "Thrumpel?"})
			if found := len(hits) > 0 && hits[0].Text == "Blorf snib."; err != nil || found != row.found {
				t.Errorf("found %v, %v", hits, err)
			}
			if len(hits) > 0 && !hits[0].Nearest {
				t.Error("what is near is said to answer")
			}
		})
	}
}

// alike is an embedder for which one word of the question resembles one of the lines.
type alike struct{}

func (alike) Name() string    { return "alike" }
func (alike) Dimensions() int { return 2 }

func (alike) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{1, 0}
		if strings.Contains(text, "Blorf") || strings.Contains(text, "Thrumpel") {
			out[i] = []float32{0, 1}
		}
	}
	return out, nil
}
