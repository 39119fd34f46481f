package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lanternfall writes the rules of another system and a configuration that names
// them into the working directory.
func lanternfall(h *program) {
	h.t.Helper()
	rules, err := os.ReadFile(filepath.Join("..", "..", "testdata", "rules", "lanternfall", "rules.yaml"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.write("lanternfall/rules.yaml", string(rules))
	h.write("glyphoxa.yaml", `
rules_dirs: [{system: lanternfall, path: lanternfall}]
campaign: {system: lanternfall}
npcs:
  - {name: Wick, tools: [search_rules]}
  - {name: Sage, tools: [search_rules], rules: dnd5e}
`)
}

func TestAnotherSystemIsSearched(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	lanternfall(h)
	if out := h.run("", "check").ok(t).stdout; !strings.Contains(out, "glyphoxa.yaml") {
		t.Errorf("check says %q", out)
	}
	session, _ := h.agent(nil)
	call := func(tool string, args map[string]any) string {
		t.Helper()
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil || res.IsError {
			t.Fatalf("%s %v: %+v, %v", tool, args, res, err)
		}
		return res.Content[0].(*sdk.TextContent).Text
	}
	for _, row := range []struct{ query, system, want string }{
		{"how do I rest", "", `"general-dawn"`},
		{"Was macht eine Laterne?", "", `"equipment-storm-lantern"`},
		{"how do I rest", "dnd5e", `"general-long-rest"`},
		{"cost<1 light", "Lanternfall", `"equipment-tallow-candle"`},
	} {
		args := map[string]any{"query": row.query}
		if row.system != "" {
			args["system"] = row.system
		}
		out := call("search_rules", args)
		if !strings.Contains(out, row.want) || strings.Contains(out, "general-dawn") && strings.Contains(out, "general-long-rest") {
			t.Errorf("search_rules %v = %s, want %s and nothing of another system", args, out, row.want)
		}
	}
	for id, want := range map[string]string{"condition-hollow": `"system":"lanternfall"`, "spell-fireball": `"system":"dnd5e"`} {
		if out := call("get_rule", map[string]any{"id": id}); !strings.Contains(strings.ReplaceAll(out, " ", ""), want) {
			t.Errorf("get_rule %s = %s, want %s", id, out, want)
		}
	}
}

func TestCheckTellsWhereAnotherSystemIsWrong(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	lanternfall(h)
	h.write("lanternfall/more.yaml", "- id: general-the-pool\n  category: general\n  name: Twice\n  summary: It is there already.\n  text: Twice.\n\n- id: general-odd\n  categroy: general\n  name: Odd\n  summary: It is odd.\n  text: Odd.\n")
	r := h.run("", "check")
	if r.code != 2 {
		t.Errorf("exit code %d, want 2", r.code)
	}
	for _, want := range []string{filepath.Join("lanternfall", "more.yaml") + ":8", `"category"`, "general-the-pool"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("check says %q, want %q", r.stderr, want)
		}
	}
	h.write("glyphoxa.yaml", "rules_dirs:\n  - {system: dnd5e, path: lanternfall}\n  - {system: nowhere, path: nowhere}\n  - {system: lanternfall, path: lanternfall}\nnpcs:\n  - {name: Wick, rules: lanternfal}\n")
	r = h.run("", "check")
	for _, want := range []string{":2: system: there are already rules for this system", ":3: path: there is no such directory", ":6: rules: there are no rules for this system; did you mean \"lanternfall\"?"} {
		if r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("check ends with %d and says %q, want %q", r.code, r.stderr, want)
		}
	}
}
