//go:build unix

package main_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordReload changes the cast during a session: one NPC leaves, one
// arrives, and one gets a new look.
func TestDiscordReload(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	answers(t, g.gives(t, g.dm, "npc reload"), true, "No session is running here")
	g.gives(t, g.dm, "session start")
	answers(t, g.gives(t, g.ana, "npc reload"), true, "Only a dungeon master")
	g.gives(t, g.dm, "npc mute", opt("npc", "Bartok"))

	changed := strings.Replace(tavern, "bartok.png", "older.png", 1)
	changed = strings.Replace(changed, "name: Mira", "name: Nele", 1)
	changed = strings.Replace(changed, "Mind the gap.", "Ahoy.", 1)
	broken := strings.Replace(tavern, "budget_tier: fast", "budget_tier: quick", 1)
	h.write("glyphoxa.yaml", fmt.Sprintf(broken, d.APIURL()))
	m := g.gives(t, g.dm, "npc reload")
	answers(t, m, true, "⚠", "glyphoxa.yaml:", "quick")
	if strings.Contains(m.Content, h.path("")) {
		t.Errorf("the answer names a place of the machine: %q", m.Content)
	}
	answers(t, g.gives(t, g.dm, "npc list"), true, "Bartok", "Mira")

	h.write("glyphoxa.yaml", fmt.Sprintf(changed, d.APIURL()))
	answers(t, g.gives(t, g.dm, "npc reload"), true, "Nele", "Mira")
	answers(t, g.gives(t, g.dm, "npc list"), true, "Bartok (silent)", "- Nele")
	if got := g.completes(t, g.dm, "npc mute", "npc", ""); got != "Bartok, Nele, all" {
		t.Errorf("%q is suggested after the reload", got)
	}
	g.gives(t, g.dm, "npc unmute", opt("npc", "Bartok"))
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	if m := g.hears(t, g.channel, "Bartok", "Welcome"); m.AvatarURL != "https://example.com/older.png" {
		t.Errorf("Bartok looks like %q, want as in the files now", m.AvatarURL)
	}
	d.Say(g.channel, g.ana, "Hello Nele!", nil)
	greeting := g.hears(t, g.channel, "Nele", "Ahoy.")
	d.Say(g.channel, g.ana, "Hello again!", &discordtest.SayOptions{ReplyTo: greeting.ID})
	if _, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.ID > greeting.ID && m.Author.Username == "Nele"
	}); err != nil {
		t.Errorf("Nele does not answer a reply to her: %v", err)
	}
	s.stop()
}
