package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// evening returns the lines of a player who will be forgotten, of an NPC that mentions
// her, and of another player.
func evening(session string) (all []memory.Line) {
	for i := range spokenTurns {
		turn := int64(i)
		all = append(all,
			memory.Line{Session: session, Turn: turn, Speaker: "Anastasia", User: memorytest.Ada, To: "bartok", Text: fmt.Sprint("the gribblefrotz is buried under the oak of cobblesnatch ", i)},
			memory.Line{Session: session, Turn: turn, Speaker: "Bartok", NPC: "bartok", Text: []string{
				"Well, Anastasia, I will tell nobody.", "You say the gribblefrotz, then.", "It is buried under the oak, I see.", "I see.", "ANASTASIA's secret, and Borin Ironfist's.",
			}[i%5]},
			memory.Line{Session: session, Turn: turn, Speaker: "Bob", User: memorytest.Bob, Text: "what does Anastasia say, and who buried what"},
		)
	}
	return all
}

// TestForgetUser removes a player's lines from a file without leaving a copy, and keeps
// other speakers' lines about her.
func TestForgetUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path, &sqlite.Options{Embedder: memorytest.Noise{}})
	id := memorytest.StartSession(t, s)
	memorytest.Write(t, s, evening(id)...)
	seen := 0
	n, err := s.ForgetUser(t.Context(), memorytest.Ada, func(p memory.Forgetting) { seen = max(seen, p.Phase) })
	must(t, "ForgetUser", err)
	if n != spokenTurns || seen == 0 {
		t.Errorf("%d lines forgotten, progress up to phase %d; want %d and some", n, seen, spokenTurns)
	}
	lines, err := s.Recent(t.Context(), id, 2000)
	must(t, "Recent", err)
	var got, want []string
	for _, l := range lines {
		got = append(got, l.Speaker+": "+l.Text)
	}
	for _, l := range evening(id) {
		if l.User != memorytest.Ada {
			want = append(want, l.Speaker+": "+l.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines are %q, want those of the others", got)
	}
	nowhere(t, path, "cobblesnatch", memorytest.Ada)
	if all, err := s.Sessions(t.Context(), 1); err != nil || all[0].Lines != len(lines) {
		t.Errorf("the session has %+v lines, %v; want %d", all, err, len(lines))
	}
}

// nowhere checks that the files of a database contain none of the words.
func nowhere(t *testing.T, path string, words ...string) {
	t.Helper()
	data := files(t, path)
	for _, word := range words {
		if at := bytes.Index(data, []byte(word)); at >= 0 {
			t.Errorf("%q is left in the file: %q", word, data[max(at-40, 0):min(at+60, len(data))])
		}
	}
}

// TestForgettingIsHiddenAtOnce stops right after the start of forgetting: from then on no
// line is found. Later lines of the player stay.
func TestForgettingIsHiddenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path, nil)
	id := memorytest.StartSession(t, s)
	memorytest.Write(t, s, evening(id)...)
	memorytest.Write(t, s, memory.Line{Session: id, Speaker: "Anastasia", User: memorytest.Ada, Text: "my cobblesnatch"})
	const both = "good evening to all the harbour"
	memorytest.Write(t, s, memory.Line{Session: id, Speaker: "Anastasia", User: "u:namesake", Text: both}, memory.Line{Session: id, Speaker: "Anastasia", User: memorytest.Ada, Text: both},
		memory.Line{Session: id, Speaker: "Anastasia", User: memorytest.Ada, Text: "a harbour of cobblesnatch"})
	memorytest.IndexAll(t, s)
	stopped, stop := context.WithCancel(t.Context())
	_, err := s.ForgetUser(stopped, memorytest.Ada, func(memory.Forgetting) { stop() })
	if err == nil {
		t.Fatal("it was not stopped")
	}
	hidden := func() {
		t.Helper()
		lines, err := s.Recent(t.Context(), id, 2000)
		must(t, "Recent", err)
		hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "oak Anastasia buried", Limit: 1000})
		must(t, "SearchLines", err)
		facts, err := s.SearchFacts(t.Context(), "oak Anastasia buried", "", 1000)
		must(t, "SearchFacts", err)
		for _, h := range hits {
			lines = append(lines, h.Line)
		}
		for _, f := range facts {
			lines = append(lines, memory.Line{Text: f.Text})
		}
		if len(lines) < spokenTurns {
			t.Errorf("only %d lines are found", len(lines))
		}
		facts, err = s.SearchFacts(t.Context(), "evening harbour", "", 1000)
		must(t, "SearchFacts", err)
		if !slices.ContainsFunc(facts, func(f memory.FactHit) bool { return f.Text == "Anastasia: "+both }) {
			t.Errorf("what another player of the same name said is not found: %+v", facts)
		}
		for _, l := range lines {
			if l.User == memorytest.Ada || strings.Contains(l.Text, "cobblesnatch") {
				t.Fatalf("%+v is found", l)
			}
		}
	}
	hidden()
	memorytest.IndexAll(t, s)
	hidden()
	now := memorytest.Write(t, s, memory.Line{Session: id, Speaker: "Stasi", User: memorytest.Ada, Text: "good morning"})[0]
	n, err := s.ResumeForgetting(t.Context())
	must(t, "GoOnForgetting", err)
	if n != 1 {
		t.Errorf("%d people were still to be forgotten, want 1", n)
	}
	hidden2, err := s.Recent(t.Context(), id, 1)
	must(t, "Recent", err)
	if hidden2[0].ID != now.ID {
		t.Errorf("the last line is %+v, want what was said meanwhile", hidden2[0])
	}
	nowhere(t, path, "cobblesnatch")
	if n, err := s.ResumeForgetting(t.Context()); n != 0 || err != nil {
		t.Errorf("then %d, %v are left, want nobody", n, err)
	}
}

// forgetUntilKilled is the child process of TestForgettingSurvivesKill.
func forgetUntilKilled(path string) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, nil)
	if err == nil {
		_, err = s.ForgetUser(ctx, memorytest.Ada, func(p memory.Forgetting) { fmt.Println(p.Phase) })
	}
	fmt.Println("over", err)
	time.Sleep(time.Minute)
}
