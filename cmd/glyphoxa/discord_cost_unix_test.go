//go:build unix

package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestWhatASessionCostsIsForTheDM plays on Discord until the hard cap.
func TestWhatASessionCostsIsForTheDM(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	m, h := newThinker(t)
	m.wake()
	// Each answer takes two model requests: one with a call of two words, one
	// with a reply of three.
	s := h.bot(d, strings.Replace(thoughtful, "tools: [roll]}", "tools: [roll], lines: {unknown: [\"Who knows.\"]}}", 1)+
		"cost: {prices: [{provider: openai gpt-4-test, input: 0, output: 100000}], soft_cap: 0.4, hard_cap: 0.5}\n")
	g.gives(t, g.dm, "session start")
	if text := g.gives(t, g.dm, "session status").Content; !strings.Contains(text, "So far this session has not cost anything.") {
		t.Errorf("the DM is told %q at the beginning", text)
	}
	d.Say(g.channel, g.ana, "Bartok, amaranth", nil)
	g.hears(t, g.channel, "Bartok", "amaranth")
	notice, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool { return strings.Contains(m.Content, "prepared lines") })
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(notice.Content, "USD") || strings.Contains(notice.Content, "hard_cap") {
		t.Errorf("the channel is told %q, want what follows and no amount", notice.Content)
	}
	d.Say(g.channel, g.ana, "Bartok, what is damask?", nil)
	g.hears(t, g.channel, "Bartok", "Who knows.")
	if n := len(m.server.ChatRequests()); n != 2 {
		t.Errorf("the model was asked %d times, want twice: then come the lines", n)
	}
	told := g.gives(t, g.dm, "session status")
	answers(t, told, true, "So far this session has cost 0.5000 USD.", "From 0.4000 USD on, the NPCs give cheaper answers.", "They only use prepared lines now.")
	if strings.Contains(told.Content, "gpt-4-test") {
		t.Errorf("the DM is told of providers: %q", told.Content)
	}
	if text := g.gives(t, g.ana, "session status").Content; !strings.Contains(text, "Bartok") || strings.Contains(text, "cost") || strings.Contains(text, "USD") {
		t.Errorf("a player is told %q", text)
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}
