//go:build unix

package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// ferry is a table with a slow model: Bartok is always late, Mira never.
const ferry = `
languages: [en]
campaign: {name: The Crossing}
providers:
  llm: {name: openai, base_url: "${MODEL_URL}", api_key: "${MODEL_KEY}", model: gpt-4-test}
  tts: silent
  stt: none
  embeddings: none
server: {listen: "127.0.0.1:0"}
latency: {targets: {fast: 50ms, standard: 9m, deep: 10m}}
npcs:
  - {name: Bartok, budget_tier: fast}
  - {name: Mira, budget_tier: standard, tools: [roll]}
discord:
  token: ${DISCORD_TOKEN:-}
  api_url: %s
  dm_roles: [Dungeon Master]
`

// dawdles answers later than Bartok's deadline, and rolls dice as Mira.
func dawdles(r fakeopenai.Request) fakeopenai.Response {
	last := r.Chat.Messages[len(r.Chat.Messages)-1]
	switch {
	case last.Role == "tool":
		return fakeopenai.Say("The bones have spoken.")
	case strings.Contains(r.Chat.LastUser(), "Mira"):
		return fakeopenai.CallTools(fakeopenai.Call{Name: "roll", Arguments: `{"expression":"2d6"}`})
	}
	return fakeopenai.Response{Pieces: []string{"Wel", "come."}, Delay: 100 * time.Millisecond}
}

// TestDiscordFerry checks the status of sessions, each in its own server.
func TestDiscordFerry(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	h := newProgram(t)
	h.set("MODEL_URL", fakeopenai.Start(t, dawdles, &fakeopenai.Options{APIKey: modelKey}).URL())
	h.set("MODEL_KEY", modelKey)
	h.secrets = append(h.secrets, modelKey)
	s := h.bot(d, ferry)
	t.Run("timing", func(t *testing.T) { tellTimes(t, newGuild(t, d, "home")) })
	t.Run("the message that shows it", func(t *testing.T) { showHowItGoes(t, newGuild(t, d, "home")) })
	t.Run("which may not be", func(t *testing.T) { showNothing(t, newGuild(t, d, "home")) })
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// times asks for turn times until enough turns have ended, a moment after their
// last words.
func (g *guild) times(t *testing.T, user string, turns int) discordtest.Message {
	t.Helper()
	for {
		m := g.gives(t, user, "session timing")
		if strings.Count(m.Content, "#") >= turns || t.Failed() {
			return m
		}
	}
}

// drawn returns the code block of an answer.
func drawn(m discordtest.Message) string {
	_, rest, _ := strings.Cut(m.Content, "```")
	bars, _, _ := strings.Cut(rest, "```")
	return bars
}

// tellTimes asks where the time of turns went.
func tellTimes(t *testing.T, g *guild) {
	answers(t, g.gives(t, g.dm, "session timing"), true, "No session is running here")
	g.gives(t, g.dm, "session start")
	answers(t, g.gives(t, g.ana, "session timing"), true, "Only a dungeon master")
	answers(t, g.gives(t, g.dm, "session timing"), true, "No NPC has answered in this session yet", "<#"+g.channel+">")

	g.asks(t, "Bartok", "Hello Bartok!")
	m := g.times(t, g.dm, 1)
	answers(t, m, true, "#1 Bartok, quick (fast): ❌ first words after ", " of 50 ms, late: ", " in total")
	if bars := drawn(m); !strings.Contains(bars, "\nmodel ") || strings.Contains(bars, "\ntools ") {
		t.Errorf("the drawing is %q, want the model and no tools", bars)
	}

	g.asks(t, "Mira", "Mira, roll the bones for me")
	m = g.times(t, g.dm, 2)
	answers(t, m, true, "#1 Bartok, quick (fast): ❌", "\n#2 Mira, careful (standard): ✅ first words after ", " of 540 s")
	if bars := drawn(m); !strings.Contains(bars, "\ntools ") {
		t.Errorf("the drawing is %q, want the tools of the last turn", bars)
	}

	ben := g.d.AddMember(g.id, "Ben") // one player alone may not write this much at once
	for n := range 12 {
		g.d.Say(g.channel, []string{g.ana, ben}[n%2], "And you, Bartok?", nil)
	}
	for !strings.Contains(m.Content, "#14 ") {
		m = g.gives(t, g.dm, "session timing")
	}
	if n := strings.Count(m.Content, "#"); n != 12 || !strings.Contains(m.Content, "```\n#3 ") {
		t.Errorf("%d turns in %q, want the last 12", n, m.Content)
	}
	g.gives(t, g.dm, "session stop")
	answers(t, g.gives(t, g.dm, "session timing"), true, "No session is running here")
}

// statusMessage waits for a status message that contains words.
func (g *guild) statusMessage(t *testing.T, words ...string) discordtest.Message {
	t.Helper()
	m, err := g.d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		if len(m.Embeds) != 1 {
			return false
		}
		shown := fmt.Sprintf("%+v", m.Embeds[0])
		for _, w := range words {
			if !strings.Contains(shown, w) {
				return false
			}
		}
		return true
	})
	if err != nil {
		t.Fatalf("waiting for a status message with %q: %v", words, err)
	}
	return m
}

// showHowItGoes watches the status message of a session, deletes it, and stops.
func showHowItGoes(t *testing.T, g *guild) {
	g.gives(t, g.dm, "session start")
	first := g.statusMessage(t, "The Crossing", "At the table", "Bartok", "Mira")
	g.gives(t, g.dm, "tier raise", opt("npc", "Bartok"), opt("tier", "deep"), opt("minutes", 10))
	g.gives(t, g.dm, "npc direct", opt("npc", "Mira"), opt("text", "lie about the key"))
	g.asks(t, "Mira", "Mira, roll the bones for me")
	m := g.statusMessage(t, "Bartok: thoughtful (deep) until <t:", "for at most")
	if m.ID != first.ID || strings.Contains(fmt.Sprintf("%+v", m.Embeds), "P95") || strings.Contains(fmt.Sprintf("%+v", m.Embeds), "lie about") {
		t.Errorf("the status message is %+v, want the same message, without directions", m)
	}
	g.d.Delete(g.channel, first.ID)
	g.gives(t, g.dm, "tier lower", opt("npc", "Bartok"))
	g.asks(t, "Bartok", "Hello Bartok!")
	m = g.statusMessage(t, "At the table", "Mira")
	answers(t, g.gives(t, g.dm, "session status"), true, "one answer on time, 1 late or not at all")
	if m.ID == first.ID {
		t.Error("the status message is shown in a message that was deleted")
	}
	g.gives(t, g.dm, "session stop")
	g.statusMessage(t, "The session has ended.")
	messages := 0
	for _, m := range g.d.Messages(g.channel) {
		if len(m.Embeds) > 0 {
			messages++
		}
	}
	if messages != 2 {
		t.Errorf("%d messages were posted, want the one that was deleted and another", messages)
	}
}

// showNothing plays where the bot may not post embeds.
func showNothing(t *testing.T, g *guild) {
	g.d.Deny(g.channel, discordtest.EmbedLinks)
	g.gives(t, g.dm, "session start")
	_, err := g.d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return strings.Contains(m.Content, "give the bot the Embed Links permission")
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.asks(t, "Bartok", "Hello Bartok!"); got != "Welcome." {
		t.Errorf("Bartok says %q, want the session to go on", got)
	}
}
