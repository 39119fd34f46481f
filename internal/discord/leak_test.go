package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestNothingLeaksBetweenGuilds runs random actions in several guilds: no text of one guild
// appears in another.
func TestNothingLeaksBetweenGuilds(t *testing.T) {
	watch(t)
	d := discordtest.New(t, nil)
	var all []table
	for n := range 3 {
		all = append(all, newTable(d, fmt.Sprintf("guild%d", n)))
	}
	run(t, d)
	secret := func(n int) string { return fmt.Sprintf("Xyzzy%d", n) }
	named := func(name string, value any) discordtest.Option {
		return discordtest.Option{Name: name, Value: value}
	}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			n := rapid.IntRange(0, len(all)-1).Draw(r, "guild")
			g, got := all[n], ""
			step := rapid.SampledFrom([]string{"start", "stop", "line", "entity", "ask", "list", "recap", "roll", "say"}).Draw(r, "step")
			switch step {
			case "start", "stop":
				got = command(t, d, g.dm, g.channel, "session "+step)
			case "line":
				d.Say(g.channel, g.ana, "Hello Bartok, I am "+secret(n), nil)
			case "entity":
				got = command(t, d, g.dm, g.channel, "entity add", named("name", secret(n)), named("kind", "item"))
			case "ask":
				got = command(t, d, g.dm, g.channel, "ask", named("about", "Xyzzy"))
			case "list":
				got = command(t, d, g.dm, g.channel, "entity list")
			case "recap":
				got = command(t, d, g.ana, g.channel, "session recap")
			case "roll":
				got = command(t, d, g.ana, g.channel, "roll", named("dice", "d6"))
			case "say":
				got = command(t, d, g.dm, g.channel, "npc say", named("npc", "Bartok"), named("text", "I say "+secret(n)))
			}
			for other := range all {
				if other != n && strings.Contains(got, secret(other)) {
					r.Fatalf("%s in guild %d shows what is of guild %d: %s", step, n, other, got)
				}
			}
		}
		for n, g := range all {
			for _, m := range d.Messages(g.channel) {
				for other := range all {
					if other != n && strings.Contains(m.Content, secret(other)) {
						r.Fatalf("a message in guild %d shows what is of guild %d: %s", n, other, m.Content)
					}
				}
			}
		}
	})
}
