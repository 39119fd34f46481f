package repository

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// cast returns the sample NPCs by file name without extension, which is their
// id.
func cast(t *testing.T) map[string]config.NPC {
	t.Helper()
	names, err := fs.Glob(glyphoxa.Shipped, "npcs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]config.NPC{}
	for _, name := range names {
		data, err := fs.ReadFile(glyphoxa.Shipped, name)
		if err != nil {
			t.Fatal(err)
		}
		var npc config.NPC
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(&npc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id := strings.TrimSuffix(path.Base(name), ".yaml")
		if want := strings.ReplaceAll(strings.ToLower(npc.Name), " ", "-"); id != want {
			t.Errorf("%s holds %q, want the file called %s.yaml", name, npc.Name, want)
		}
		all[id] = npc
	}
	return all
}

func TestNPCsAreComplete(t *testing.T) {
	occasions := []string{"greeting", "filler", "answer", "roll", "recall", "unknown", "refusal", "smalltalk", "farewell"}
	for id, npc := range cast(t) {
		t.Run(id, func(t *testing.T) {
			if npc.Personality == "" || len(npc.Aliases) == 0 || npc.Voice.ID == "" || npc.Voice.Language == "" {
				t.Error("personality, aliases or voice is missing")
			}
			if p, s := npc.Voice.Pitch, npc.Voice.Speed; p < 0.5 || p > 2 || s < 0.5 || s > 2 {
				t.Errorf("voice pitch %v, speed %v; want both within 0.5 to 2", p, s)
			}
			if len(npc.BehaviorRules) == 0 || len(npc.SecretKnowledge) == 0 || len(npc.KnowledgeScope) == 0 {
				t.Error("behavior_rules, secret_knowledge or knowledge_scope is missing")
			}
			if len(npc.Lines) != len(occasions) {
				t.Errorf("lines for %d occasions, want %d", len(npc.Lines), len(occasions))
			}
			for _, occasion := range occasions {
				lines := npc.Lines[occasion]
				if len(lines) < 3 {
					t.Errorf("%d lines for %s, want at least 3", len(lines), occasion)
				}
				template := slices.Contains([]string{"answer", "roll", "recall"}, occasion)
				for _, line := range lines {
					if got := strings.Count(line, "{answer}"); (got == 1) != template || got > 1 {
						t.Errorf("%s %q holds {answer} %d times", occasion, line, got)
					}
				}
			}
		})
	}
}

func TestCast(t *testing.T) {
	type role struct {
		engine string
		tier   mcp.BudgetTier
		tools  []string
	}
	want := map[string]role{
		"greymantle-the-sage": {config.EngineCascaded, mcp.BudgetStandard, []string{"roll", "search_rules", "get_rule", "query_entities", "get_summary", "search_sessions", "investigate"}},
		"bartok-the-barkeep":  {config.EngineS2S, mcp.BudgetFast, []string{"roll", "roll_table", "query_entities"}},
		"ysolde-quill": {config.EngineCascaded, mcp.BudgetDeep, []string{
			"search_sessions", "query_entities", "get_summary", "search_facts", "investigate",
			"search_rules", "get_rule", "write_file", "read_file",
		}},
		"captain-harrow":     {config.EngineSentenceCascade, mcp.BudgetStandard, []string{"roll", "search_rules", "get_rule", "query_entities"}},
		"wilhelmina-drossel": {config.EngineCascaded, mcp.BudgetFast, []string{"roll_table", "query_entities"}},
		"juniper":            {config.EngineCascaded, mcp.BudgetFast, []string{}},
		"lady-corvane":       {config.EngineCascaded, mcp.BudgetStandard, []string{"query_entities", "get_summary", "search_sessions", "investigate"}},
	}
	if got := cast(t)["ysolde-quill"].MayChange; !slices.Equal(got, []string{"write_file"}) {
		t.Errorf("Ysolde may change %q, want her notes", got)
	}
	got := map[string]role{}
	for id, npc := range cast(t) {
		got[id] = role{npc.Engine, npc.BudgetTier, npc.Tools}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(role{})); diff != "" {
		t.Errorf("cast (-want +got):\n%s", diff)
	}
}

func TestNamesSoundApart(t *testing.T) {
	first := map[byte]string{}
	for id, npc := range cast(t) {
		sound := npc.Aliases[0][0] // every first alias is a name
		if other, ok := first[sound]; ok {
			t.Errorf("%s and %s are both called by a name in %c", id, other, sound)
		}
		first[sound] = id
	}
}

func TestCastIsInTheCampaign(t *testing.T) {
	text, err := fs.ReadFile(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	world, err := world.ParseCampaign("thornhollow.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	for id, npc := range cast(t) {
		found := false
		for _, e := range world.Entities {
			if e.ID != id {
				continue
			}
			found = true
			if e.Type != "npc" || e.Name != npc.Name {
				t.Errorf("entity %s is the %s %q, want the npc %q", id, e.Type, e.Name, npc.Name)
			}
			if diff := cmp.Diff(npc.Aliases, e.Aliases); diff != "" {
				t.Errorf("aliases of %s (-npc +entity):\n%s", id, diff)
			}
		}
		if !found {
			t.Errorf("campaign has no entity %s", id)
		}
	}
}
