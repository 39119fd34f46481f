//go:build unix

package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// library is a table with one fast NPC whose only tool takes a deep turn.
const library = `
languages: [en]
campaign: {name: The Library}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
server: {listen: "127.0.0.1:0"}
tools: {floors: {search_rules: deep}}
npcs:
  - name: Sage
    budget_tier: fast
    tools: [search_rules]
    lines: {answer: ["It is written: {answer}"], unknown: ["I do not know.", "That, too, I do not know."], filler: ["Hm."]}
discord:
  token: ${DISCORD_TOKEN:-}
  api_url: %s
  dm_roles: [Dungeon Master]
`

// asks lets a player say a line and returns the first thing an NPC says after it.
func (g *guild) asks(t testing.TB, npc, line string) string {
	t.Helper()
	said := g.d.Say(g.channel, g.ana, line, nil)
	m, err := g.d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.Author.Username == npc && (len(m.ID) > len(said.ID) || m.ID > said.ID)
	})
	if err != nil {
		t.Fatalf("waiting for %s to answer %q: %v", npc, line, err)
	}
	return m.Content
}

// TestDiscordRaise raises a fast NPC, which then uses a deeper tool until the
// raise ends, by turns or by time.
func TestDiscordRaise(t *testing.T) {
	t.Parallel()
	const question = "Sage, what are the rules for grappling?"
	for _, row := range []struct {
		name, latency string
		lasts         time.Duration
	}{
		{"by turns", "latency: {lease: 10m, lease_turns: 1}\n", 0},
		{"by time", "latency: {lease: 3s, lease_turns: 50}\n", 3 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := discordtest.New(t, nil)
			g := newGuild(t, d, "home")
			s := newProgram(t).bot(d, library+row.latency)
			g.gives(t, g.dm, "session start")
			if got := g.asks(t, "Sage", question); !strings.Contains(got, "I do not know.") {
				t.Errorf("before the raise: %q", got)
			}
			answers(t, g.gives(t, g.ana, "tier raise", opt("npc", "Sage"), opt("tier", "deep")), true, "Only a dungeon master")
			answers(t, g.gives(t, g.dm, "tier raise", opt("npc", "Sage"), opt("tier", "deep")), true, "Sage may be thoughtful (deep)")
			raised := time.Now() // or a moment before
			if got := g.asks(t, "Sage", question); !strings.Contains(got, "It is written:") {
				t.Errorf("while raised: %q", got)
			}
			for row.lasts > 0 && time.Since(raised) <= row.lasts { // until the raise ends
				g.gives(t, g.dm, "tier status")
			}
			if got := g.asks(t, "Sage", question); !strings.Contains(got, "I do not know.") {
				t.Errorf("after the raise: %q", got)
			}
			s.stop()
		})
	}
}
