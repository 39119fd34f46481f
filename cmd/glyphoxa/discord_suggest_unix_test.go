//go:build unix

package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// completes returns the suggestions for a partly typed option.
func (g *guild) completes(t testing.TB, user, command, option, typed string) string {
	t.Helper()
	i, err := g.d.Autocomplete(user, g.channel, command, option, opt(option, typed))
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.Response(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("/%s %s: %q was completed within %v", command, option, typed, r.Latency)
	var all []string
	for _, c := range r.Choices {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

// suggestNPCs checks suggestions of NPC names, and of "all" where a command
// accepts all NPCs.
func suggestNPCs(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	if got := g.completes(t, g.dm, "npc mute", "npc", ""); got != "" {
		t.Errorf("without a session %q is suggested, want nothing", got)
	}
	g.gives(t, g.dm, "session start")
	for _, row := range []struct{ name, user, command, typed, want string }{
		{"nothing typed", g.dm, "npc mute", "", "Bartok, Mira, all"},
		{"in whatever case", g.dm, "npc mute", "mI", "Mira"},
		{"no such", g.dm, "npc mute", "zz", ""},
		{"everyone", g.dm, "tier cap", " al", "all"},
		{"everyone, and one with that in the name", g.dm, "npc direct", "a", "Bartok, Mira, all"},
		{"one alone can speak", g.dm, "npc say", "", "Bartok, Mira"},
		{"players need not know", g.ana, "npc mute", "", ""},
	} {
		if got := g.completes(t, row.user, row.command, "npc", row.typed); got != row.want {
			t.Errorf("%s: %q is completed to %q, want %q", row.name, row.typed, got, row.want)
		}
	}
	g.gives(t, g.dm, "session stop")
	if got := g.completes(t, g.dm, "npc mute", "npc", ""); got != "" {
		t.Errorf("after the session %q is suggested, want nothing", got)
	}
}

// suggestEntities checks that only dungeon masters get ids suggested by entity
// name.
func suggestEntities(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	answers(t, g.gives(t, g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc")), true, "`old-ted`")
	answers(t, g.gives(t, g.dm, "entity add", opt("name", "Old Mill"), opt("kind", "location")), true, "`old-mill`")
	for _, row := range []struct{ name, user, typed, want string }{
		{"all", g.dm, "old", "Old Mill (location), Old Ted (npc)"},
		{"a word of the name", g.dm, "TED", "Old Ted (npc)"},
		{"nothing of that name", g.dm, "zz", ""},
		{"a secret", g.ana, "old", ""},
	} {
		if got := g.completes(t, row.user, "entity remove", "id", row.typed); got != row.want {
			t.Errorf("%s: %q is completed to %q, want %q", row.name, row.typed, got, row.want)
		}
	}
}
