package play

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func TestWarningsOfToolsThatOnlyAServerCanOffer(t *testing.T) {
	const see = "see"
	vague := func(tool string) string {
		return `tools[1]: "` + tool + `" is not a built-in tool, so it must come from an external server`
	}
	ready, down := mcphost.ServerStatus{Name: "web", State: "ready"}, mcphost.ServerStatus{Name: "dock", State: "down"}
	tools := []mcphost.Status{
		{Name: "roll", Source: "builtin", State: "ready"}, {Name: "search_web", Source: "web", State: "ready"},
		{Name: "web_echo", Source: "web", State: "ready", Original: "echo"}, {Name: "old", Source: "web", State: "held"},
		{Name: "tide", Source: "dock", State: "down"},
	}
	for _, row := range []struct {
		name, tool string
		servers    []mcphost.ServerStatus
		what, fix  string
	}{
		{"right", "search_web", []mcphost.ServerStatus{ready}, "", ""},
		{"right_but_down", "tide", []mcphost.ServerStatus{ready, down}, "", ""},
		{"misspelt", "serch_web", []mcphost.ServerStatus{ready}, `tools[1]: "serch_web" is not a built-in tool, and no server offers it`, `did you mean "search_web"?`},
		{"misspelt_with_one_away", "serch_web", []mcphost.ServerStatus{ready, down}, `tools[1]: "serch_web" is not a built-in tool, and no connected server offers it (dock is not connected)`, `did you mean "search_web"?`},
		{"unlike_any", "xyzzy", []mcphost.ServerStatus{ready}, `tools[1]: "xyzzy" is not a built-in tool, and no server offers it`, `"glyphoxa tools" lists all tools`},
		{"under_another_name", "echo", []mcphost.ServerStatus{ready}, `tools[1]: "echo" is not a built-in tool, and no server offers it`, `that tool is called "web_echo" here; "glyphoxa tools" says why`},
		{"held", "old", []mcphost.ServerStatus{ready}, `tools[1]: "old" is waiting for approval`, `see "glyphoxa tools diff", then "glyphoxa tools approve web/old"`},
		{"nobody_there_to_ask", "serch_web", []mcphost.ServerStatus{down}, vague("serch_web"), see},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := userfile.Problem{File: "npcs/mira.yaml", Line: 4, What: vague(row.tool), Fix: see}
			if what, fix := aboutTool(w, row.tool, tools, row.servers); what != row.what || fix != row.fix {
				t.Errorf("aboutTool = %q; %q, want %q; %q", what, fix, row.what, row.fix)
			}
		})
	}
}
