//go:build unix

package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// fills submits the form that a command answered with, as the user who gave the
// command.
func (g *guild) fills(t testing.TB, asked *discordtest.Interaction, values map[string]string) discordtest.Message {
	t.Helper()
	if _, err := asked.Response(t.Context()); err != nil {
		t.Fatal(err)
	}
	i, err := g.d.Submit(asked, values)
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fillInEntities gives commands without their options and fills them in through
// forms.
func fillInEntities(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	asks := func(user string, options ...discordtest.Option) *discordtest.Interaction {
		t.Helper()
		i, err := d.Command(user, g.channel, "entity add", options...)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	asked := asks(g.dm, opt("name", "Old Ted"))
	r, err := asked.Response(t.Context())
	if err != nil || r.Modal == nil {
		t.Fatalf("the answer to /entity add is %+v, %v; want a form", r, err)
	}
	if got := r.Modal.Components[0].Components[0].Value; got != "Old Ted" {
		t.Errorf("the form has the name %q filled in, want the one given", got)
	}
	answers(t, g.fills(t, asked, map[string]string{"name": "Old Ted", "kind": " NPC "}), true, "**Old Ted** is now part of the world, as `old-ted`")
	for _, row := range []struct {
		name   string
		values map[string]string
		words  []string
	}{
		{"everything", map[string]string{"name": "Old Mill", "kind": "location", "description": "It creaks.\nIt turns."}, []string{"**Old Mill** is now part of the world, as `old-mill`"}},
		{"in a place", map[string]string{"name": "Sack", "kind": "item", "place": "Old Mill"}, []string{"**Sack** is now part"}},
		{"no such kind", map[string]string{"name": "Fafnir", "kind": "dragon", "description": "Sleeps on gold."}, []string{"⚠", `"dragon" is not a kind`, "creature (a beast or a monster)", "What you typed", "Fafnir", "Sleeps on gold."}},
		{"no such place", map[string]string{"name": "Ned", "kind": "npc", "place": "Nowhere"}, []string{"⚠", "Nowhere", "What you typed", "Ned"}},
		{"blank name", map[string]string{"name": "  ", "kind": "npc"}, []string{"⚠ The name is missing"}},
	} {
		answers(t, g.fills(t, asks(g.dm), row.values), true, row.words...)
	}
	answers(t, g.gives(t, g.dm, "entity list", opt("name", "mill")), true, "Old Mill", "It creaks.")
	if m := g.gives(t, g.dm, "entity list"); strings.Contains(m.Content, "Fafnir") || strings.Contains(m.Content, "Ned") {
		t.Errorf("what was refused is part of the world: %q", m.Content)
	}
	answers(t, g.gives(t, g.ana, "entity add"), true, "Only a dungeon master")

	// A form outlives the session, but not the user's permission to submit it.
	g.gives(t, g.dm, "session start")
	late, last := asks(g.dm), asks(g.dm)
	g.gives(t, g.dm, "session stop")
	answers(t, g.fills(t, late, map[string]string{"name": "After", "kind": "item"}), true, "**After** is now part")
	if _, err := last.Response(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.SetRoles(g.id, g.dm)
	answers(t, g.fills(t, last, map[string]string{"name": "Never", "kind": "item"}), true, "Only a dungeon master")
}
