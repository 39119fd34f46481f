package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// TestFactsStayWithinBounds gives NPCs far more of every kind of fact than fits.
func TestFactsStayWithinBounds(t *testing.T) {
	text := rapid.Map(rapid.IntRange(0, 400), func(n int) string { return strings.Repeat("Ähm, \"you\" know.\n", n) })
	list := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 40), func(n int) string { return strings.Repeat("viel «Lärm» ", n) }), 0, 40)
	name := rapid.StringN(1, 64, 100)
	rapid.Check(t, func(t *rapid.T) {
		npc := config.NPC{ID: "bart", Name: "Bart"}
		for _, secret := range list.Draw(t, "secrets") {
			npc.SecretKnowledge = append(npc.SecretKnowledge, config.KeptSecret{Text: secret})
		}
		a := agent.New(npc, agent.Options{History: 12})
		for i := range npc.SecretKnowledge {
			a.Reveal(i)
		}
		a.Direct(text.Draw(t, "directive"), 1)
		a.RememberFindings(list.Draw(t, "found"))
		now := hotctx.Context{
			Scene: text.Draw(t, "scene"), Place: name.Draw(t, "place"), Presence: hotctx.Presence(rapid.IntRange(0, 2).Draw(t, "presence")),
			Around: rapid.SliceOfN(name, 0, 8).Draw(t, "around"), Lines: list.Draw(t, "lines"), Entities: list.Draw(t, "entities"),
			Company: hotctx.Company{Players: rapid.SliceOfN(name, 0, 8).Draw(t, "players"), NPCs: rapid.SliceOfN(name, 0, 8).Draw(t, "npcs"), MoreNPCs: 3},
		}
		tier := rapid.SampledFrom([]mcp.BudgetTier{mcp.BudgetFast, mcp.BudgetStandard, mcp.BudgetDeep}).Draw(t, "tier")
		messages := a.Snapshot().Prompt(agent.Line{Text: "hm", Tier: tier, MayDecline: rapid.Bool().Draw(t, "decline"), Leader: name.Draw(t, "leader"), Answer: text.Draw(t, "answer")}, now)
		facts := messages[len(messages)-2].Content
		if got, most := cost.EstimateTokens(len(facts)), int64(agent.BoundsOf(tier).Facts); got > most {
			t.Errorf("%d tokens of facts in %s, want at most %d:\n%s", got, tier, most, facts)
		}
		if !utf8.ValidString(facts) {
			t.Errorf("a letter was cut in two:\n%q", facts)
		}
	})
}

// TestTheNewestLinesAreKept fills a fast turn with lines: the oldest are left out.
func TestTheNewestLinesAreKept(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("Ben: line %d %s", i, strings.Repeat("and so on ", 30)))
	}
	a := agent.New(config.NPC{ID: "bart", Name: "Bart"}, agent.Options{})
	messages := a.Snapshot().Prompt(agent.Line{Text: "hm"}, hotctx.Context{Lines: lines})
	facts := messages[1].Content
	if strings.Contains(facts, "line 80 ") || !strings.Contains(facts, "line 98 ") || !strings.HasSuffix(facts, lines[99][len(lines[99])-20:len(lines[99])-1]) {
		t.Errorf("the facts are\n%s", facts)
	}
}

func TestLongPartsEndWithASentence(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
	}{
		{"short", "  He bakes.  ", "He bakes."},
		{"at_a_stop", strings.Repeat("He bakes bread, Dr. Alm says. ", 100), strings.TrimSpace(strings.Repeat("He bakes bread, Dr. Alm says. ", 80))},
		{"in_a_quotation", strings.Repeat(`He says: "Bread is life!" `, 93), strings.TrimSpace(strings.Repeat(`He says: "Bread is life!" `, 92))},
		{"between_paragraphs", strings.Repeat("Bread\n\n", 400), strings.TrimSpace(strings.Repeat("Bread\n\n", 342)) + "\n\nBread"},
		{"no_stop_at_all", strings.Repeat("Brötchen ", 400), strings.TrimSpace(strings.Repeat("Brötchen ", 239)) + "…"},
		{"no_word_either", strings.Repeat("ö", 2000), strings.Repeat("ö", 1198) + "…"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := agent.New(config.NPC{Name: "Bart", Personality: row.text}, agent.Options{})
			_, after, _ := strings.Cut(a.Snapshot().Conversation()[0].Content, "Who you are:\n")
			got, _, _ := strings.Cut(after, "\n\nHow you answer:")
			if got != row.want {
				t.Errorf("%d bytes, ends with %q; want %d, %q", len(got), got[max(len(got)-40, 0):], len(row.want), row.want[max(len(row.want)-40, 0):])
			}
		})
	}
}

func TestFindFaults(t *testing.T) {
	rule := strings.Repeat("Offer a drink. ", 20) // 300 bytes, 299 without the last space
	npc := config.NPC{
		Name: "Bart", Personality: strings.Repeat("x", 2400), KnowledgeScope: []string{"ale", strings.Repeat("beer ", 200)},
		BehaviorRules: []string{rule, rule, rule, rule, rule, rule}, SecretKnowledge: []config.KeptSecret{{Text: "He waters the ale."}},
	}
	var got []string
	for _, f := range agent.FindFaults(npc) {
		got = append(got, f.String())
	}
	want := []string{
		"knowledge_scope: is about 251 tokens long, and a model is given 150 of them; shorten it, or its last sentences are left out",
		"behavior_rules: is about 449 tokens long, and a model is given 400 of them; shorten it, or its last sentences are left out",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	system := agent.New(npc, agent.Options{}).Snapshot().Conversation()[0].Content
	if got := strings.Count(system, "Offer a drink."); got != 5*20+7 {
		t.Errorf("the rules are there with %d sentences, want the 107 that fit", got)
	}
}

// TestHistoryIsDroppedInQuarters checks that the beginning of a prompt stays the same for
// several turns even if the history is full, because providers cache prompt prefixes.
func TestHistoryIsDroppedInQuarters(t *testing.T) {
	for _, row := range []struct {
		name, said string
		turns      int
		kept       []int // exchanges after each of the last turns
	}{
		{"by_number", "Hello", 17, []int{12, 9, 10, 11, 12, 9}},
		{"by_size", strings.Repeat("hello ", 150), 9, []int{4, 5, 6, 4, 5, 6}},
		{"one_is_too_long", strings.Repeat("hello ", 2000), 3, []int{1, 1, 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := agent.New(config.NPC{Name: "Bart"}, agent.Options{History: 12})
			var kept []int
			for i := range row.turns {
				a.Remember(agent.Exchange{Speaker: "Ana", Utterance: fmt.Sprintf("%d %s", i, row.said), Answer: "Aye."})
				history := a.Snapshot().Conversation()[1:]
				kept = append(kept, len(history)/2)
				if last := history[len(history)-2].Content; !strings.HasPrefix(last, fmt.Sprint(i, " ")) {
					t.Errorf("after turn %d the latest is %q", i, last)
				}
			}
			if diff := cmp.Diff(row.kept, kept[len(kept)-len(row.kept):]); diff != "" {
				t.Errorf("exchanges kept (-want +got):\n%s", diff)
			}
		})
	}
}
