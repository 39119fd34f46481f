package discord

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/orders"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestGermanRefusals lets the policy refuse requests of DMs and players.
func TestGermanRefusals(t *testing.T) {
	for name, rules := range map[string]string{
		"forbidden":    `{name: r, rule: tool_restriction, tools: ["*"]}`,
		"approval":     `{name: r, rule: approval, tools: ["*_entity", "roll", "entity_import", "campaign_*"], expires: 10m}`,
		"rate":         `{name: r, rule: rate_limit, tools: ["*"], calls: 1, window: 1m}`,
		"at this time": `{name: r, rule: time_window, tools: ["*"], from: "03:00", to: "03:01"}`,
		"overridden":   `{name: r, rule: permission_override, revoke: [world.read, world.write, session.control, memory.read, rules.read, dice.roll]}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := openGerman(t, rules)
				e.tries(e.dm, "session start")
				refused := 0
				for _, user := range []string{e.dm, e.ana} {
					for _, line := range germanCommands {
						if strings.HasPrefix(e.tries(user, line), "⚠") {
							refused++
						}
					}
				}
				e.tries(e.ana, "roll dice:d20")
				list := e.tries(e.dm, "approve list")
				if name == "approval" && (strings.Contains(list, "discord:") || !strings.Contains(list, "<@"+e.ana+">")) {
					t.Errorf("/approve list shows who asks as %q", list)
				}
				if name == "approval" { // looked up by name
					if got := e.tries(e.dm, "approve yes id:roll"); got != "Erlaubt, dieses eine Mal." {
						t.Errorf("/approve yes id:roll: %q", got)
					}
				}
				e.suggests()
				for _, m := range e.d.Messages(e.channel) { // cards
					if m.Author.ID == e.d.BotID() {
						e.check("the channel", m.Content)
					}
				}
				if refused < 20 {
					t.Errorf("%d commands are refused", refused)
				}
				e.stop()
			})
		})
	}
}

// TestGermanVoice checks the German reports about spoken orders and about packets.
func TestGermanVoice(t *testing.T) {
	g := german{t, englishTexts(t)}
	for order, e := range map[orders.Kind]table.Ordered{
		orders.Quiet: {NPC: "Mira"}, orders.Resume: {}, orders.Say: {NPC: "Mira"}, orders.Think: {NPC: "Mira", Tier: "deep", Turns: 1},
		orders.Raise: {Tier: "standard", Turns: 10}, orders.Lower: {NPC: "Mira", Tier: "fast"},
	} {
		e.Order, e.Done = order.String(), "Mira is silent now"
		g.check(e.Order, orderText(German, &e))
		e.Problem = "you can only speak as one NPC at a time"
		if got := orderText(German, &e); !strings.HasPrefix(got, "⚠ du kannst immer nur") {
			t.Errorf("%s: %q", e.Order, got)
		}
	}
	got := describeFailures(German, voice.Received{Transport: 1, Padding: 2, NoKey: 3, Passthrough: 4, Replay: 5, TooOld: 6, Broken: 7, Unknown: 8})
	g.check("packets", got)
	if !slices.Equal(regexp.MustCompile(`\d`).FindAllString(got, -1), strings.Split("12345678", "")) {
		t.Errorf("packets: %q", got)
	}
}

// TestTheGermanTestFindsEnglish checks the detector of English text that the German tests use.
func TestTheGermanTestFindsEnglish(t *testing.T) {
	g := german{t, englishTexts(t)}
	for _, text := range []string{NPCMuted.In(English, "Mira"), "⚠ not allowed here", "Erledigt, and how."} {
		found := englishWords.MatchString(verbatim.ReplaceAllString(text, " "))
		found = found || slices.ContainsFunc(g.english, func(part string) bool { return strings.Contains(text, part) })
		if !found {
			t.Errorf("%q passes for German", text)
		}
	}
}
