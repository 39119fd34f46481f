package agent_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

var update = flag.Bool("update", false, "write the prompts under testdata anew")

// shipped is the sample campaign: its NPCs by ID, its scene and its world.
type shipped struct {
	npcs  []config.NPC
	scene string
	facts *hotctx.Source
}

func openShipped(tb testing.TB) *shipped {
	tb.Helper()
	cfg, err := config.Load("", &config.Options{BuiltIn: glyphoxa.Shipped, Dir: tb.TempDir(), LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		tb.Fatal(err)
	}
	text, err := fs.ReadFile(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	world, err := world.ParseCampaign("thornhollow.yaml", text)
	if err != nil {
		tb.Fatal(err)
	}
	store, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "db"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := world.Apply(tb.Context(), store); err != nil {
		tb.Fatal(err)
	}
	return &shipped{cfg.NPCs, world.Scene, hotctx.New(store, store)}
}

func (s *shipped) npc(id string) config.NPC {
	return s.npcs[slices.IndexFunc(s.npcs, func(n config.NPC) bool { return n.ID == id })]
}

// query assembles an NPC's context with all NPCs at the table, as a table does.
func (s *shipped) query(npc config.NPC, line agent.Line, recent []memory.Line) hotctx.Query {
	person := func(n config.NPC) hotctx.Person {
		return hotctx.Person{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Place: n.Place}
	}
	most := agent.BoundsOf(line.Tier)
	q := hotctx.Query{
		NPC: person(npc), Players: []string{"Ana", "Ben"}, Scene: s.scene, Utterance: line.Text,
		Recent: min(20, most.Lines), Entities: most.Entities, Lines: recent,
	}
	for _, n := range s.npcs {
		if n.ID != npc.ID {
			q.Others = append(q.Others, person(n))
		}
	}
	return q
}

// prompt builds the prompt of a turn.
func (s *shipped) prompt(tb testing.TB, a *agent.Agent, line agent.Line, recent []memory.Line) []llm.Message {
	tb.Helper()
	now, err := s.facts.Assemble(tb.Context(), s.query(a.NPC, line, recent))
	if err != nil {
		tb.Fatal(err)
	}
	return a.Snapshot().Prompt(line, now)
}

// said is a player's line, answered an NPC's.
func said(name, text string) memory.Line { return memory.Line{Speaker: name, Text: text} }

func answered(id, name, text string) memory.Line {
	return memory.Line{NPC: id, Speaker: name, Text: text}
}

func tokens(messages ...llm.Message) int64 {
	size := 0
	for _, m := range messages {
		size += len(m.Content)
	}
	return cost.EstimateTokens(size)
}

// compareGolden compares got with a file under testdata, or writes the file.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the prompt is not as in %s; if it should not be, go test -update (-want +got):\n%s", file, diff)
	}
}

// TestGoldenPrompts records the complete prompts of four NPCs.
func TestGoldenPrompts(t *testing.T) {
	s := openShipped(t)
	recent := []memory.Line{
		said("Ben", "I sit down by the hearth and order an ale."),
		answered("bartok-the-barkeep", "Bartok the Barkeep", "One ale, and mind the fog on your boots."),
		said("Ana", "Greymantle, what do you read there?"),
		answered("greymantle-the-sage", "Greymantle the Sage", "A letter from somebody who has been dead for ninety years."),
	}
	german := []memory.Line{
		said("Ben", "Ich setze mich an den Kamin und bestelle ein Bier."),
		answered("bartok-the-barkeep", "Bartok the Barkeep", "Ein Bier, und Vorsicht mit den nassen Stiefeln."),
	}
	for _, row := range []struct {
		name, npc string
		language  string
		prepare   func(*agent.Agent)
		line      agent.Line
		recent    []memory.Line
	}{
		{
			name: "bartok_in_the_scene", npc: "bartok-the-barkeep", language: "en", recent: recent,
			prepare: func(a *agent.Agent) {
				a.Remember(agent.Exchange{Speaker: "Ana (player)", Utterance: "Good evening, Bartok.", Answer: "Well met! First cup's on the house, second pays for both."})
			},
			line: agent.Line{Speaker: "Ana (player)", Text: "And have you heard anything of the miller?", Tier: mcp.BudgetFast, MayDecline: true},
		},
		{
			name: "harrow_in_another_place", npc: "captain-harrow", language: "en", recent: recent,
			line: agent.Line{Speaker: "Ben (player)", Text: "Captain Harrow, what did you find at the Old Weir?", Tier: mcp.BudgetStandard},
		},
		{
			name: "wilhelmina_reacts_in_german", npc: "wilhelmina-drossel", language: "de", recent: german,
			prepare: func(a *agent.Agent) {
				a.Remember(agent.Exchange{Speaker: "Ben (player)", Utterance: "Guten Morgen, Frau Drossel!", Answer: "Guten Morgen! Vorsicht, das Blech ist heiß."})
			},
			line: agent.Line{
				Speaker: "Ana (player)", Text: "Bartok, Wilhelmina, wer hat Aldo zuletzt gesehen?", Tier: mcp.BudgetFast,
				Leader: "Bartok the Barkeep", Answer: "Ich nicht. Vor drei Nächten hat er hier noch seinen Krug geleert.",
			},
		},
		{
			name: "greymantle_directed_in_german", npc: "greymantle-the-sage", language: "de", recent: german,
			prepare: func(a *agent.Agent) {
				a.Reveal(2)
				a.Direct("Lenke den Verdacht auf die Schmuggler, ohne sie beim Namen zu nennen.", 3)
				a.RememberFindings([]string{`search_sessions({"query":"Glocke"}): [{"speaker":"Father Emeric","text":"Zwanzig Jahre habe ich sie geläutet, und nie klang sie so."}]`})
			},
			line: agent.Line{Speaker: "Ana (player)", Text: "Greymantle, denk gut nach: Was weißt du über die Mirrormere und den Chronicle?", Tier: mcp.BudgetDeep},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := agent.New(s.npc(row.npc), agent.Options{History: 12, Language: row.language})
			if row.prepare != nil {
				row.prepare(a)
			}
			var out strings.Builder
			messages := s.prompt(t, a, row.line, row.recent)
			for _, m := range messages {
				fmt.Fprintf(&out, "=== %s %s(%d tokens)\n%s\n", m.Role, strings.TrimLeft(m.Name+" ", " "), tokens(m), strings.TrimSpace(m.Content))
			}
			fmt.Fprintf(&out, "=== %d tokens in all, tier %s\n", tokens(messages...), row.line.Tier)
			compareGolden(t, row.name+".txt", out.String())
		})
	}
}

// TestGoldenSizes records the size of four NPCs' prompts by tier when there is more
// context than fits: a long conversation, a long scene, many lines, many mentioned names.
// The stable part is the same in all tiers.
func TestGoldenSizes(t *testing.T) {
	s := openShipped(t)
	s.scene = strings.Repeat(s.scene+" ", 4)
	var recent []memory.Line
	for i := range 60 {
		recent = append(recent, said("Ben", fmt.Sprintf("This is line %d, and it has something to say of the well and the weir, of the fog on the lane and of the bell.", i)))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%-20s %-9s %8s %8s %6s %5s %6s\n", "tokens", "tier", "itself", "history", "facts", "line", "all")
	for _, id := range []string{"bartok-the-barkeep", "captain-harrow", "greymantle-the-sage", "wilhelmina-drossel"} {
		a := agent.New(s.npc(id), agent.Options{History: 12, Language: "en"})
		for i := range 30 {
			a.Remember(agent.Exchange{Speaker: "Ana (player)", Utterance: fmt.Sprintf("Question %d: %s", i, strings.Repeat("who built the weir, and when? ", 8)), Answer: strings.Repeat("Nobody here remembers. ", 12)})
		}
		a.Reveal(0)
		a.Direct(strings.Repeat("Be slow to answer. ", 50), 3)
		a.RememberFindings([]string{strings.Repeat("found ", 80), strings.Repeat("more ", 80)})
		var stable []llm.Message
		for _, tier := range mcp.Tiers() {
			line := agent.Line{Speaker: "Ana (player)", Text: "What of the Mirrormere, Marsh Mill, Old Hollow, the Nine Sisters, Father Emeric and Aldo Marsh?", Tier: tier}
			messages := s.prompt(t, a, line, recent)
			last := len(messages) - 2
			if stable == nil {
				stable = messages[:last]
			} else if diff := cmp.Diff(stable, messages[:last]); diff != "" {
				t.Errorf("the stable part of %s changes with the tier:\n%s", id, diff)
			}
			facts := tokens(messages[last])
			fmt.Fprintf(&out, "%-20s %-9s %8d %8d %6d %5d %6d\n", id, tier, tokens(messages[0]), tokens(messages[1:last]...), facts, tokens(messages[last+1]), tokens(messages...))
			if most := int64(agent.BoundsOf(tier).Facts); facts > most || facts < most/2 {
				t.Errorf("the facts of %s in %s take %d tokens, want at most %d and at least half of that", id, tier, facts, most)
			}
		}
	}
	compareGolden(t, "sizes.txt", out.String())
}
