package offline

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestSpokenWords(t *testing.T) {
	for _, row := range []struct {
		lang language
		text string
		want string
	}{
		{german, "biste nen Zwerg", "bist du einen zwerg"},
		{german, "wat willste dafür", "was willst du dafuer"},
		{german, "die beste Liste", "die beste liste"},
		{english, "you leavin?", "you leaving"},
		{english, "gimme a shield tonigth", "give me a shield tonight"},
		{english, "is it a nen", "is it a nen"},
	} {
		_, said, origin := knownWays().spokenWords(tokenize(row.text), row.lang)
		if got := strings.Join(said, " "); got != row.want || len(origin) != len(said) {
			t.Errorf("%q is read as %q, want %q", row.text, got, row.want)
		}
	}
}

func TestGoesOnWithWhatWasSpokenOf(t *testing.T) {
	ask := func(said ...string) string {
		var r llm.Request
		for i, s := range said {
			if i > 0 {
				r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, Content: "Hm."})
			}
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Content: s})
		}
		text, _, _ := newTurn(&r).talk(nil)
		return text
	}
	if got, among := ask("Any rumours?", "and then?"), stockLines(english, "rumour"); !slices.Contains(among, got) {
		t.Errorf("and then? is answered %q, want one of %q", got, among)
	}
	if got, among := ask("Hello!", "and then?"), stockLines(english, "yes_no"); !slices.Contains(among, got) {
		t.Errorf("and then? after a greeting is answered %q, want one of %q", got, among)
	}
}
