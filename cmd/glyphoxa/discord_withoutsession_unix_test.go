//go:build unix

package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// obeyWithoutASession gives the commands that need no session, with good and
// bad input.
func obeyWithoutASession(t *testing.T, h *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	for _, row := range []struct {
		name    string
		user    string
		command string
		options []discordtest.Option
		open    bool
		words   []string
	}{
		{"a player rolls", g.ana, "roll", []discordtest.Option{opt("dice", "2d6+3")}, true, []string{"🎲", "2d6+3", "**"}},
		{"no dice", g.ana, "roll", []discordtest.Option{opt("dice", "a horse")}, false, []string{"⚠"}},
		{"a rule", g.ana, "rules", []discordtest.Option{opt("about", "grapple")}, false, []string{"Grappl"}},
		{"no rule", g.ana, "rules", []discordtest.Option{opt("about", "xyzzyqq")}, false, []string{"The rules say nothing about that"}},
		{"the campaign", g.ana, "campaign info", nil, false, []string{"**The Flagon** (dnd5e): 2 NPCs", "A foggy evening."}},
		{"feedback", g.ana, "feedback", []discordtest.Option{opt("text", "Bartok is grumpy")}, false, []string{"Thank you"}},
		{"no feedback", g.ana, "feedback", []discordtest.Option{opt("text", "  ")}, false, []string{"⚠ The text is empty"}},
		{"nothing said", g.ana, "session recap", nil, false, []string{"Nothing has been said yet"}},
		{"an entity", g.dm, "entity add", []discordtest.Option{opt("name", "Old Ted"), opt("kind", "npc"), opt("description", "Mends nets.")}, false, []string{"**Old Ted** is now part of the world", "`old-ted`"}},
		{"entities", g.dm, "entity list", []discordtest.Option{opt("name", "ted")}, false, []string{"Old Ted", "Mends nets."}},
		{"no business of players", g.ana, "entity list", nil, false, []string{"Only a dungeon master"}},
		{"what is known", g.dm, "ask", []discordtest.Option{opt("about", "Old Ted")}, false, []string{"Old Ted"}},
		{"a name for an id", g.dm, "entity remove", []discordtest.Option{opt("id", "old ted")}, false, []string{"Permanently remove **Old Ted** `old-ted` from the world"}},
		{"tools", g.dm, "tools list", nil, false, []string{"**roll**: from quick (fast) on"}},
		{"tools measured", g.dm, "tools calibrate", nil, false, []string{"**roll**: from quick (fast) on"}},
		{"nothing waits", g.dm, "approve list", nil, false, []string{"Nothing is waiting"}},
		{"no such call", g.dm, "approve yes", []discordtest.Option{opt("id", "nope")}, false, []string{"⚠ No call waits"}},
		{"nobody to mute", g.dm, "npc muteall", nil, false, []string{"No session is running here"}},
	} {
		answers(t, g.gives(t, row.user, row.command, row.options...), !row.open, row.words...)
	}
	kept, err := os.ReadFile(h.path(filepath.Join(".glyphoxa", "guilds", g.id, "feedback.jsonl")))
	if err != nil || !strings.Contains(string(kept), "Bartok is grumpy") {
		t.Errorf("feedback.jsonl = %q, %v", kept, err)
	}
}

// confirmARemoval checks that the bot asks before it deletes a member's data.
func confirmARemoval(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	answers(t, g.gives(t, g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc")), true, "`old-ted`")
	question := g.gives(t, g.dm, "entity remove", opt("id", "old-ted"))
	again := g.gives(t, g.dm, "entity remove", opt("id", "Old Ted"))
	for n, question := range []discordtest.Message{question, again} {
		want := []string{"`old-ted` is no longer part of the world", "⚠"}[n]
		answers(t, question, true, "Permanently remove **Old Ted** `old-ted` from the world")
		i, err := d.Press(g.dm, g.channel, question.ID, "entity remove old-ted")
		if err != nil {
			t.Fatal(err)
		}
		answers(t, follows(t, i, question), true, want)
	}
}

// importACampaign imports a campaign file attached to a command.
func importACampaign(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	file := func(text string) discordtest.Option {
		return opt("file", discordtest.Upload{Name: "mere.yaml", Type: "application/yaml", Data: []byte(text)})
	}
	answers(t, g.gives(t, g.dm, "entity import", file("name: Mere\nentities:\n  - {id: old-ted, type: npc, name: Old Ted, description: Mends nets.}\n")), true, "Read from mere.yaml: a world of one entity.")
	answers(t, g.gives(t, g.dm, "entity list", opt("name", "ted")), true, "Old Ted")
	answers(t, g.gives(t, g.dm, "entity import", file("name: Mere\nentitles: []\n")), true, "⚠", "mere.yaml", "entitles")
	answers(t, g.gives(t, g.ana, "entity import", file("name: Mere\n")), true, "Only a dungeon master")
}

// playInTenGuilds plays in ten guilds at once; no guild hears or knows
// another's lines.
func playInTenGuilds(t *testing.T, _ *program, d *discordtest.Server) {
	var all []*guild
	for n := range 10 {
		all = append(all, newGuild(t, d, fmt.Sprintf("guild%d", n)))
	}
	var work sync.WaitGroup
	for n, g := range all {
		work.Go(func() {
			secret := fmt.Sprintf("Secret%d", n)
			i, err := d.Command(g.dm, g.channel, "session start")
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := i.Answer(t.Context()); err != nil {
				t.Error(err)
				return
			}
			d.Say(g.channel, g.ana, "Hello Bartok, the password is "+secret, nil)
			_, err = d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool { return m.WebhookID != "" })
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for n, g := range all {
		g.gives(t, g.dm, "session stop") // everything is stored then
		m := g.gives(t, g.dm, "ask", opt("about", "password"))
		answers(t, m, true, fmt.Sprintf("Secret%d", n))
		for other := range all {
			if other != n && strings.Contains(m.Content, fmt.Sprintf("Secret%d", other)) {
				t.Errorf("guild %d knows the secret of guild %d: %s", n, other, m.Content)
			}
		}
		if n := len(d.Messages(g.channel)); n > 6 {
			t.Errorf("%d messages in a channel, want 6 at most: start, line, answer, status, end", n)
		}
	}
}

// loseTheChannel and leaveTheServer remove the bot's channel or guild; they
// read its messages after it has ended.
func loseTheChannel(t *testing.T, _ *program, d *discordtest.Server) {
	takeAway(t, d, func(g *guild) { d.DeleteChannel(g.channel) })
}

func leaveTheServer(t *testing.T, _ *program, d *discordtest.Server) {
	takeAway(t, d, func(g *guild) { d.Kick(g.id) })
}

func takeAway(t *testing.T, d *discordtest.Server, take func(*guild)) {
	g, other := newGuild(t, d, "home"), newGuild(t, d, "other")
	g.gives(t, g.dm, "session start")
	take(g)
	other.gives(t, other.dm, "session start") // all earlier events have been handled
}

// playWithoutWebhooks lets the bot post the NPCs' lines itself where it may not
// use webhooks.
func playWithoutWebhooks(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	d.Deny(g.channel, discordtest.ManageWebhooks|discordtest.EmbedLinks)
	answers(t, g.gives(t, g.dm, "session start"), false, "Manage Webhooks", "Embed Links")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	_, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.Author.ID == d.BotID() && strings.Contains(m.Content, "**Bartok:** Welcome")
	})
	if err != nil {
		t.Error(err)
	}
}

// obeyMany sends 150 commands at once, and checks that each gets an answer, at
// least that there are too many.
func obeyMany(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	g.gives(t, g.dm, "session start")
	var work sync.WaitGroup
	for range 150 {
		i, err := d.Command(g.dm, g.channel, "tier status")
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			m, err := i.Answer(t.Context())
			if err != nil || !strings.Contains(m.Content, "Bartok") && !strings.Contains(m.Content, "at once") {
				t.Errorf("the answer is %q, %v", m.Content, err)
			}
		})
	}
	work.Wait()
}
