//go:build unix

package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// TestDiscordVoiceComesBack checks three cases: a reconnect of the main gateway
// keeps the voice connection; a bot removed from the channel says so and can be
// called back; and a killed bot offers to continue and rejoins the voice
// channel.
func TestDiscordVoiceComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	house := newVoiceHouse(t)
	d := house.d
	g := newGuild(t, d, "home")
	g.channel = d.AddVoiceChannel(g.id, "Tavern")
	p := newProgram(t)
	const line = "Bartok, what is on tap?"
	service := fakestt.Start(t, fakestt.Script{Lines: slices.Repeat([]string{line}, 6), Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})
	config := house.talkingTavern(t, p, service)
	s := p.bot(d, config)
	ana := house.speaker(g.id, g.ana)
	if err := ana.Join(t.Context(), g.channel); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session start"), false, "speak and hear")
	said := p.spokenFrames(line)
	answered := func(when string) {
		t.Helper()
		before := len(ana.Sound(d.BotID()))
		if err := ana.Play(t.Context(), said); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if err := ana.AwaitSound(t.Context(), d.BotID(), before+20); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		g.awaitQuiet(ana)
	}
	answered("at first")
	before := len(d.Connections())
	d.RequestReconnect()
	if err := d.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool { return len(all) > before }); err != nil {
		t.Fatal(err)
	}
	answered("after a reconnection")
	if c, _ := house.v.Client(g.id, d.BotID()); c.Identified != 1 {
		t.Errorf("the bot's voice session is %+v, want the one it began with", c)
	}

	d.MoveVoice(g.id, d.BotID(), "")
	house.v.Expel(g.id, d.BotID())
	if _, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool { return strings.Contains(m.Content, "voice channel was lost") }); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session join"), false, "speak and hear in <#"+g.channel+">")
	answered("after it was called back")

	s.kill()
	d.MoveVoice(g.id, d.BotID(), "") // as Discord does for a process that is gone
	s = p.bot(d, config)
	m, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool { return strings.Contains(m.Content, "was cut off") })
	if err != nil {
		t.Fatal(err)
	}
	answers(t, g.presses(t, g.dm, g.channel, m, "Continue"), false, "continues", "speak and hear")
	answered("after it was killed")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// TestDiscordVoiceJoinsLater moves a session that began in text into its
// dungeon master's voice channel, where it is then heard.
func TestDiscordVoiceJoinsLater(t *testing.T) {
	t.Parallel()
	house := newVoiceHouse(t)
	g := newGuild(t, house.d, "home")
	channel := house.d.AddVoiceChannel(g.id, "Tavern")
	p := newProgram(t)
	const line = "Bartok, what is on tap?"
	s := p.bot(house.d, house.talkingTavern(t, p, fakestt.Start(t, fakestt.Script{Lines: []string{line}, Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})))
	dm := house.speaker(g.id, g.dm)
	if err := dm.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	g.gives(t, g.dm, "session start")
	house.d.Say(g.channel, g.ana, line, nil)
	g.hears(t, g.channel, "Bartok", "")
	if n := len(dm.Sound(house.d.BotID())); n != 0 {
		t.Errorf("%d packets are heard of a session in writing", n)
	}
	answers(t, g.gives(t, g.dm, "session join"), false, "speak and hear in <#"+channel+">")
	if err := dm.Play(t.Context(), p.spokenFrames(line)); err != nil {
		t.Fatal(err)
	}
	if err := dm.AwaitSound(t.Context(), house.d.BotID(), 20); err != nil {
		t.Errorf("%v; the peer says %v", err, dm.Events())
	}
	answers(t, g.gives(t, g.dm, "session leave"), false, "has left the voice channel")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// awaitQuiet waits for half a second of silence from the bot.
func (g *guild) awaitQuiet(p *voicetest.Peer) {
	for n := -1; ; time.Sleep(500 * time.Millisecond) {
		now := len(p.Sound(g.d.BotID()))
		if now == n {
			return
		}
		n = now
	}
}
