//go:build unix

package main_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// awaitDeleted waits until a message is deleted from its channel.
func (g *guild) awaitDeleted(t *testing.T, m discordtest.Message) {
	t.Helper()
	is := func(o discordtest.Message) bool { return o.ID == m.ID && !o.Deleted }
	begun := time.Now()
	for slices.ContainsFunc(g.d.Messages(m.ChannelID), is) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%q is still in the channel", m.Content)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestDiscordReactions retracts NPC lines with ❌ and asks for another answer
// with 🔁.
func TestDiscordReactions(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	ben := d.AddMember(g.id, "ben")
	h := newProgram(t)
	config := strings.Replace(tavern, `["Welcome to the Flagon."]`, `["Welcome to the Flagon.", "Come in, come in."]`, 1)
	s := h.bot(d, config)
	g.gives(t, g.dm, "session start")
	var seen []string
	answer := func(npc string) discordtest.Message {
		t.Helper()
		m, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
			return m.WebhookID != "" && m.Author.Username == npc && !slices.Contains(seen, m.ID)
		})
		if err != nil {
			t.Fatalf("waiting for %s: %v", npc, err)
		}
		seen = append(seen, m.ID)
		return m
	}
	d.Say(g.channel, g.ana, "Hello Bartok", nil)
	first := answer("Bartok")
	d.React(g.channel, ben, first.ID, "❌")   // the line was not said to Ben
	d.React(g.channel, g.ana, first.ID, "🍺") // has no meaning
	d.Say(g.channel, g.ana, "Hello Mira", nil)
	second := answer("Mira")
	d.React(g.channel, g.ana, first.ID, "❌") // is no longer the last line to Ana

	var failed atomic.Bool
	d.Disturb(func(route string) discordtest.Fault {
		if strings.HasPrefix(route, "DELETE /webhooks/") && !failed.Swap(true) {
			return discordtest.Fault{Status: http.StatusBadGateway}
		}
		return discordtest.Fault{}
	})
	d.React(g.channel, g.ana, second.ID, "❌")
	g.awaitDeleted(t, second)
	if !failed.Load() {
		t.Error("no message was deleted through the webhook")
	}
	recap := g.gives(t, g.ana, "session recap").Content
	for _, want := range []string{first.Content, "Hello Mira"} {
		if !strings.Contains(recap, want) {
			t.Errorf("the recap is %q, want %q in it", recap, want)
		}
	}
	if strings.Contains(recap, second.Content) {
		t.Errorf("the recap %q has %q, which was taken back", recap, second.Content)
	}

	d.React(g.channel, g.dm, first.ID, "🔁")
	instead := answer("Bartok")
	g.awaitDeleted(t, first)
	if recap := g.gives(t, g.ana, "session recap").Content; strings.Count(recap, "Flagon.")+strings.Count(recap, "Come in") != 1 {
		t.Errorf("the recap is %q, want one of Bartok's answers in it", recap)
	}
	d.React(g.channel, g.dm, instead.ID, "✖\ufe0f")
	g.awaitDeleted(t, instead)
	s.kill()

	h.bot(d, config)
	g.presses(t, g.dm, g.channel, g.offered(t, g.channel), "Continue")
	recap = g.recapUntil(t, func(recap string) bool { return strings.Contains(recap, "Hello Mira") })
	for _, m := range []discordtest.Message{first, second, instead} {
		if strings.Contains(recap, m.Content) {
			t.Errorf("%q, which was taken back, is known after a crash: %q", m.Content, recap)
		}
	}
}
