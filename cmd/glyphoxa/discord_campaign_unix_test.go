//go:build unix

package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordCampaigns loads campaigns and switches between them.
func TestDiscordCampaigns(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	file := func(text string) discordtest.Option {
		return opt("file", discordtest.Upload{Name: "mere.yaml", Type: "application/yaml", Data: []byte(text)})
	}
	const mere = "name: The Mere\nentities:\n  - {id: old-ted, type: npc, name: Old Ted, description: Mends nets.}\n"
	answers(t, g.gives(t, g.ana, "campaign load", file(mere)), true, "Only a dungeon master")
	answers(t, g.gives(t, g.dm, "campaign switch", opt("campaign", "The Mere")), true, "⚠", "/campaign load")
	answers(t, g.gives(t, g.dm, "campaign load", file("name: The Mere\nentitles: []\n")), true, "⚠", "mere.yaml", "entitles")
	answers(t, g.gives(t, g.dm, "campaign load", file(strings.Repeat("#", 1<<20+1))), true, "⚠", "1 MB")
	answers(t, g.gives(t, g.dm, "campaign load", file(mere)), true, "**The Mere**", "mere.yaml", "a world of one entity", "/campaign switch")
	answers(t, g.gives(t, g.dm, "campaign info"), true, "**The Flagon**", "/campaign switch:\n- **The Mere**")
	if m := g.gives(t, g.ana, "campaign info"); strings.Contains(m.Content, "Mere") {
		t.Errorf("a player learns what may be played: %q", m.Content)
	}
	if got := g.completes(t, g.dm, "campaign switch", "campaign", ""); got != "The Flagon, The Mere" {
		t.Errorf("%q is suggested", got)
	}
	if got := g.completes(t, g.ana, "campaign switch", "campaign", ""); got != "" {
		t.Errorf("%q is suggested to a player", got)
	}
	answers(t, g.gives(t, g.dm, "campaign switch", opt("campaign", "The Moor")), true, "⚠", "The Flagon, The Mere")

	g.gives(t, g.dm, "session start")
	answers(t, g.gives(t, g.dm, "campaign switch", opt("campaign", "the mere")), true, "⚠", "/session stop")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	g.gives(t, g.dm, "session stop")
	answers(t, g.gives(t, g.dm, "campaign switch", opt("campaign", "the mere")), true, "**The Mere**", "a world of one entity, 0 sessions")
	answers(t, g.gives(t, g.ana, "session recap"), true, "Nothing has been said yet")
	answers(t, g.gives(t, g.dm, "entity list"), true, "Old Ted")
	answers(t, g.gives(t, g.dm, "session start"), false, "**The Mere**")
	g.gives(t, g.dm, "session stop")
	s.stop()

	s = h.bot(d, tavern) // the bot remembers the choice
	answers(t, g.gives(t, g.ana, "campaign info"), true, "**The Mere**")
	i, err := d.Autocomplete(g.dm, g.channel, "campaign switch", "campaign", opt("campaign", "flag"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.Response(t.Context())
	if err != nil || len(r.Choices) != 1 {
		t.Fatalf("suggested %+v, %v", r.Choices, err)
	}
	answers(t, g.gives(t, g.dm, "campaign switch", opt("campaign", r.Choices[0].Value)), true, "**The Flagon**")
	answers(t, g.gives(t, g.ana, "session recap"), true, "Hello Bartok!")
	s.stop()
}
