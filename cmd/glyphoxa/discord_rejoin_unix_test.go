//go:build unix

package main_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// awaitText waits for a message that contains words and is newer than another.
func (g *guild) awaitText(t *testing.T, words, after string) discordtest.Message {
	t.Helper()
	m, err := g.d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.ID > after && strings.Contains(m.Content, words)
	})
	if err != nil {
		t.Fatalf("waiting for %q: %v", words, err)
	}
	return m
}

// lastMessage returns the id of the newest message of the channel.
func (g *guild) lastMessage() string {
	all := g.d.Messages(g.channel)
	return all[len(all)-1].ID
}

// TestDiscordVoiceRejoins kills a session that began in text and was moved to a
// voice channel, and kills it again after a member moved the bot. The session
// continues in its last voice channel. If that channel is gone, the bot says so
// and continues in text.
func TestDiscordVoiceRejoins(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	house := newVoiceHouse(t)
	d := house.d
	g := newGuild(t, d, "home")
	tavern, cellar := d.AddVoiceChannel(g.id, "Tavern"), d.AddVoiceChannel(g.id, "Cellar")
	p := newProgram(t)
	config := house.talkingTavern(t, p, fakestt.Start(t, fakestt.Script{}))
	s := p.bot(d, config)
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	answers(t, g.gives(t, g.dm, "session join", opt("voice", tavern)), false, "<#"+tavern+">")

	restart := func() discordtest.Message {
		t.Helper()
		before := g.lastMessage()
		s.kill()
		d.MoveVoice(g.id, d.BotID(), "") // as Discord does for a process that is gone
		house.v.Expel(g.id, d.BotID())
		s = p.bot(d, config)
		return g.awaitText(t, "was cut off", before)
	}
	answers(t, g.presses(t, g.dm, g.channel, restart(), "Continue"), false, "continues", "speak and hear in <#"+tavern+">")

	before := g.lastMessage()
	d.MoveVoice(g.id, d.BotID(), cellar)
	connections := d.Connections()
	d.AnnounceVoice(g.id, discordtest.VoiceServer(house.v.Admit(voicetest.Join{
		Guild: g.id, Channel: cellar, User: d.BotID(), Session: connections[len(connections)-1].Session,
	})))
	g.awaitText(t, "was moved to <#"+cellar+">", before)
	if _, err := house.v.AwaitClient(t.Context(), g.id, d.BotID(), func(c voicetest.Client) bool { return c.InChannel && c.Channel == cellar }); err != nil {
		t.Fatal(err)
	}
	g.until(t, "session status", "in <#"+cellar+">")
	answers(t, g.presses(t, g.dm, g.channel, restart(), "Continue"), false, "continues", "speak and hear in <#"+cellar+">")

	before = g.lastMessage()
	s.kill()
	d.MoveVoice(g.id, d.BotID(), "")
	d.DeleteChannel(cellar)
	s = p.bot(d, config)
	m := g.awaitText(t, "was cut off", before)
	answers(t, g.presses(t, g.dm, g.channel, m, "Continue"), false, "continues", "there is no sound: the voice channel <#"+cellar+"> no longer exists")
	answers(t, g.gives(t, g.dm, "session join", opt("voice", tavern)), false, "<#"+tavern+">")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}
