package memorytool_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestNothingIsClaimed asks a question that no line answers, of a log with search by
// meaning and of one with search by words.
func TestNothingIsClaimed(t *testing.T) {
	s := open(t, nil)
	session, err := s.StartSession(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"The smith hid the silver crown in the chapel.", "Good evening, all of you.", "Rain again, and no bread."} {
		if _, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Ada", Text: said}); err != nil {
			t.Fatal(err)
		}
	}
	for name, log := range map[string]memory.SessionLog{"meaning": s, "words": struct{ memory.SessionLog }{s}} {
		t.Run(name, func(t *testing.T) {
			x := tool(t, memorytool.NewTools(log, nil, s), "search_sessions")
			got := call[memorytool.FoundLines](t, t.Context(), x, `{"query":"How heavy is the silver crown?"}`)
			if got.Count == 0 || got.Lines[0].Score >= memorytool.SureFrom || !strings.Contains(got.Note, "you do not know") {
				t.Errorf("a question that nobody answered: %+v, want lines that are not sure, and a note", got)
			}
			if got := call[memorytool.FoundLines](t, t.Context(), x, `{"query":"silver crown"}`); got.Count == 0 || got.Note != "" || got.Lines[0].Score < memorytool.SureFrom || !strings.Contains(got.Lines[0].Text, "crown") {
				t.Errorf("words that were said: %+v, want the line", got)
			}
			facts := call[memorytool.FoundFacts](t, t.Context(), tool(t, memorytool.NewTools(log, nil, s), "search_facts"), `{"query":"How heavy is the silver crown?"}`)
			if facts.Count == 0 || !strings.Contains(facts.Note, "you do not know") {
				t.Errorf("facts: %+v, want a note", facts)
			}
		})
	}
}
