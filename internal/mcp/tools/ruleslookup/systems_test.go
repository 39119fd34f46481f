package ruleslookup_test

import (
	"os"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

func TestEachNPCHasTheRulesOfItsSystem(t *testing.T) {
	book := ruleslookup.BuiltIn(ruleslookup.System{Name: "lanternfall", Rules: os.DirFS("../../../../testdata/rules/lanternfall")})
	all := ruleslookup.NewToolsFor(book, func(c mcp.Caller) string {
		return map[string]string{"wick": "lanternfall", "lost": "nowhere"}[c.NPC]
	})
	for npc, want := range map[string]string{"wick": "condition-hollow", "lost": "condition-blinded", "": "condition-blinded"} {
		ctx := mcp.WithCaller(t.Context(), mcp.Caller{NPC: npc})
		text, err := all[0].Handler(ctx, `{"query":"hollow or blinded"}`)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%q finds %s, %v, want %s", npc, text, err, want)
		}
	}
	list, err := book.List()
	if err != nil || list[len(list)-1].ID != "general-traits" {
		t.Errorf("the list ends with %v, %v, want the other system's rules", list[max(0, len(list)-1):], err)
	}
}
