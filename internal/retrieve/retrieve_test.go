package retrieve_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func TestRules(t *testing.T) {
	book := ruleslookup.BuiltIn()
	if err := book.Warm(); err != nil {
		t.Fatal(err)
	}
	s := &retrieve.Searcher{Rules: book}
	for _, row := range []struct {
		name, text string
		told       string // the rule returned; empty for none
		offers     bool
	}{
		{"a question without a keyword", "how far can I jump with a running start?", "jump", true},
		{"less sure, in German: offered", "Kann ich noch angreifen, wenn ich geblendet bin?", "", true},
		{"assent", "Aye.", "", false},
		{"assent in more words", "Okay, yes, right then.", "", false},
		{"a greeting", "Good evening to you all.", "", false},
		{"nothing", "", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := s.Search(t.Context(), retrieve.Query{Caller: mcp.Caller{NPC: "sage"}, Text: row.text, Rules: true, Memory: true})
			told := slices.ContainsFunc(f.Rules, func(h ruleslookup.Hit) bool { return strings.Contains(h.ID, row.told) })
			if told != (row.told != "") || f.Offers() != row.offers || len(f.Rules) > 3 {
				t.Errorf("found %+v, want %q told, offers %v", f, row.told, row.offers)
			}
		})
	}
	if f := s.Search(t.Context(), retrieve.Query{Caller: mcp.Caller{NPC: "sage"}, Text: "how far can I jump with a running start?"}); f.Offers() || len(f.Rules) > 0 {
		t.Errorf("an NPC that may not look rules up found %+v", f)
	}
}

// TestABookThatIsNotLoadedIsNotWaitedFor searches a book before it is loaded, and then again.
func TestABookThatIsNotLoadedIsNotWaitedFor(t *testing.T) {
	book := ruleslookup.Lazy(os.DirFS("../../testdata/rules/lanternfall"))
	s := &retrieve.Searcher{Rules: book}
	q := retrieve.Query{Caller: mcp.Caller{NPC: "sage"}, Text: "how many points are shared among the four traits?", Rules: true}
	if f := s.Search(t.Context(), q); len(f.Rules) > 0 {
		t.Errorf("found %+v before the book was loaded", f.Rules)
	}
	if err := book.Warm(); err != nil {
		t.Fatal(err)
	}
	if f := s.Search(t.Context(), q); len(f.Rules) == 0 {
		t.Error("nothing was found once the book was loaded")
	}
}

func TestMemory(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	past, err := store.StartSession(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []memory.Line{
		{Turn: 1, Speaker: "Ada", Text: "The smith hid the silver crown in the chapel.", Present: memory.Heard("bartok")},
		{Turn: 2, Speaker: "Ada", Text: "Aye.", Present: memory.Heard("bartok", "mira")},
		{Turn: 3, Speaker: "Ben", Text: "Rain again, and no bread for the mill.", Present: memory.Heard("bartok", "mira")},
	} {
		l.Session = past.ID
		if _, err := store.Append(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	s := &retrieve.Searcher{Log: store}
	search := func(q retrieve.Query) retrieve.Found {
		q.Text, q.Memory = "Where did the smith hide the silver crown?", true
		s.Search(t.Context(), q) // the first search reads the lines of the session
		return s.Search(t.Context(), q)
	}
	if f := search(retrieve.Query{Caller: mcp.Caller{NPC: "bartok"}}); len(f.Lines) == 0 || !strings.Contains(f.Lines[0].Text, "chapel") || f.Reason() != retrieve.ReasonMemory {
		t.Errorf("who heard it finds %+v", f)
	}
	for name, q := range map[string]retrieve.Query{
		"who was absent":       {Caller: mcp.Caller{NPC: "mira"}},
		"no NPC":               {},
		"in the prompt by now": {Caller: mcp.Caller{NPC: "bartok", Session: past.ID}, Before: 1},
	} {
		if f := search(q); slices.ContainsFunc(f.Lines, func(h memory.LineHit) bool { return strings.Contains(h.Text, "chapel") || h.Text == "Aye." }) {
			t.Errorf("%s: found %+v", name, f.Lines)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if f := s.Search(ended, retrieve.Query{Caller: mcp.Caller{NPC: "bartok"}, Text: "Where did the smith hide the silver crown?", Memory: true}); len(f.Lines) > 0 {
		t.Errorf("after the deadline: %+v", f.Lines)
	}
}
