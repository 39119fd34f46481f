//go:build unix

package main_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// offered waits for the message that offers to continue a session that was cut
// off.
func (g *guild) offered(t testing.TB, channel string) discordtest.Message {
	t.Helper()
	m, err := g.d.AwaitMessage(t.Context(), channel, func(m discordtest.Message) bool { return len(m.Components) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// button returns the button with a label.
func button(t testing.TB, m discordtest.Message, label string) string {
	t.Helper()
	for _, row := range m.Components {
		for _, c := range row.Components {
			if c.Label == label {
				return c.CustomID
			}
		}
	}
	t.Fatalf("message %q has no button %q", m.Content, label)
	return ""
}

// presses lets a user press a button of a message and returns the response.
func (g *guild) presses(t testing.TB, user, channel string, m discordtest.Message, label string) discordtest.Message {
	t.Helper()
	i, err := g.d.Press(user, channel, m.ID, button(t, m, label))
	if err != nil {
		t.Fatal(err)
	}
	return follows(t, i, m)
}

// cutOff plays until a line is answered, then kills the program.
func (g *guild) cutOff(t testing.TB, h *program, channel string) {
	t.Helper()
	s := h.bot(g.d, tavern)
	home := g.channel
	g.channel = channel
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon")
	g.channel = home
	g.d.Say(channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, channel, "Bartok", "Welcome")
	s.kill()
}

// TestDiscordGoesOn kills the program during a session. After a restart the bot
// asks in the session's channel whether to continue, and continues with the
// same transcript.
func TestDiscordGoesOn(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	thread := d.AddThread(g.channel, "night one")
	h := newProgram(t)
	g.cutOff(t, h, thread)

	s := h.bot(d, tavern)
	question := g.offered(t, thread)
	answers(t, question, false, "was cut off; its 2 lines are saved", "Continue it, or start a new one?")
	answers(t, g.gives(t, g.ana, "session recap"), true, "Hello Bartok!", "Welcome to the Flagon.")
	answers(t, g.presses(t, g.ana, thread, question, "Continue"), true, "Only a dungeon master")
	answers(t, g.presses(t, g.dm, thread, question, "Continue"), false, "**The Flagon** continues", "A foggy evening.")
	d.Say(thread, g.ana, "Goodbye, Bartok.", nil)
	answers(t, g.gives(t, g.dm, "session stop"), false, "Everything said has been saved")
	answers(t, g.gives(t, g.ana, "session recap"), true, "Hello Bartok!", "Goodbye, Bartok.")
	if m := g.gives(t, g.dm, "session start"); strings.Contains(m.Content, "cut off") {
		t.Errorf("a session that was stopped counts as cut off: %q", m.Content)
	}
	s.stop()
}

// TestDiscordBeginsAnew does not continue a session that was cut off. The bot
// asks once in its channel and again at every session start; old questions get
// an explanation.
func TestDiscordBeginsAnew(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	g.cutOff(t, h, g.channel)
	h.bot(d, tavern).kill() // or before it has asked
	s := h.bot(d, tavern)
	old := g.gives(t, g.dm, "session start")
	answers(t, old, false, "was cut off; its 2 lines are saved")
	question := g.gives(t, g.dm, "session start")
	answers(t, g.presses(t, g.dm, g.channel, question, "Start a new one"), false, "The Flagon", "cut off; its 2 lines are saved, and /session recap shows")
	answers(t, g.presses(t, g.dm, g.channel, old, "Continue"), true, "⚠ A session is already running in <#"+g.channel+">")
	d.Say(g.channel, g.ana, "Hello Mira!", nil)
	g.hears(t, g.channel, "Mira", "Mind the gap.")
	g.gives(t, g.dm, "session stop")
	if m := g.gives(t, g.ana, "session recap"); strings.Contains(m.Content, "Hello Bartok!") {
		t.Errorf("the new session has lines of the old one: %q", m.Content)
	}
	answers(t, g.presses(t, g.dm, g.channel, old, "Continue"), true, "⚠ Someone has already continued that session or started another")
	asked := 0
	for _, m := range d.Messages(g.channel) {
		if len(m.Components) > 0 && m.Type == 0 {
			asked++
		}
	}
	if asked > 1 {
		t.Errorf("the bot asked %d times by itself, want once at most", asked)
	}
	s.stop()
}

// TestDiscordTwoDecide lets two dungeon masters press different buttons at
// once, and checks that one session begins.
func TestDiscordTwoDecide(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	other := d.AddMember(g.id, "other-dm", g.role)
	h := newProgram(t)
	g.cutOff(t, h, g.channel)
	s := h.bot(d, tavern)
	question := g.offered(t, g.channel)
	var work sync.WaitGroup
	var shown [2]discordtest.Message
	for n, user := range []string{g.dm, other} {
		work.Go(func() {
			i, err := d.Press(user, g.channel, question.ID, button(t, question, []string{"Continue", "Start a new one"}[n]))
			if err != nil {
				return // the other was first, and the buttons are gone
			}
			if _, err := i.Response(t.Context()); err != nil {
				t.Error(err)
				return
			}
			shown[n], err = i.AnswerWhen(t.Context(), func(now discordtest.Message) bool { return now.Content != question.Content })
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	begun := 0
	for _, m := range shown {
		if strings.Contains(m.Content, "At the table:") && !m.Ephemeral() {
			begun++
		}
	}
	if begun == 0 || !strings.Contains(g.gives(t, g.dm, "session status").Content, "In <#"+g.channel+">") {
		t.Errorf("the two were shown %q and %q, want a session", shown[0].Content, shown[1].Content)
	}
	answers(t, g.gives(t, g.dm, "session stop"), false, "has ended")
	answers(t, g.gives(t, g.dm, "session stop"), true, "No session is running")
	s.stop()
}
