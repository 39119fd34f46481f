package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// TestClausesAreJudged judges clauses of sentences that may and may not be heard.
func TestClausesAreJudged(t *testing.T) {
	c := func(text string) Event { return Clause{Text: text} }
	for _, tt := range []struct {
		name    string
		answers [][]any
		secrets bool
		want    []string // c:clauses and s:entences
		clauses []bool   // whether clauses are requested
	}{
		{"harmless", [][]any{{c("It rains,"), "It rains, and I am wet.", "So."}}, false, []string{"c:It rains,", "s:It rains, and I am wet.", "s:So."}, []bool{true}},
		{"withheld_itself", [][]any{{c("other_voice says,"), "other_voice says, and so on."}}, false, nil, []bool{true}},
		{"changed_itself", [][]any{{c("cut It rains,"), "cut It rains, and so on."}}, false, []string{"s:It rains, and so on."}, []bool{true}},
		{"withheld_with_the_rest", [][]any{{c("It rains,"), "It rains, and other_voice speaks."}, {"Let us go in."}}, false, []string{"c:It rains,", "c:", "s:Let us go in."}, []bool{true, false}},
		{"changed_behind_it", [][]any{{c("It rains,"), "It rains, and so cut on."}}, false, []string{"c:It rains,", "s:It rains, and so on."}, []bool{true}},
		{"secrets", [][]any{{"It rains, and I am wet."}}, true, []string{"s:It rains, and I am wet."}, []bool{false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			e := NewGuarded(s, nil)
			e.newJudge = func(*guard.Card, guard.TurnOptions) judge { return &words{} }
			req := Request{Clauses: true, Tools: newHost(t).Toolset(mcphost.ToolsetOptions{})}
			if tt.secrets {
				req.NPC.SecretKnowledge = []config.KeptSecret{{Text: "I am dry."}}
			}
			var got []string
			for ev := range e.Answer(t.Context(), req) {
				switch ev := ev.(type) {
				case Clause:
					got = append(got, "c:"+ev.Text)
				case Sentence:
					got = append(got, "s:"+ev.Text)
				}
			}
			if tt.want != nil && !slices.Equal(got, tt.want) || tt.want == nil && slices.ContainsFunc(got, func(s string) bool { return s[0] == 'c' }) {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			var asked []bool
			for _, r := range s.asked {
				asked = append(asked, r.Clauses)
			}
			if n := min(len(asked), len(tt.clauses)); fmt.Sprint(asked[:n]) != fmt.Sprint(tt.clauses[:n]) {
				t.Errorf("clauses asked for: %v, want %v", asked, tt.clauses)
			}
		})
	}
}
