//go:build unix

package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordShards plays over two connections, which Discord requires of large
// bots.
func TestDiscordShards(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, &discordtest.Options{Shards: 2})
	var all []*guild
	for n := range 4 {
		all = append(all, newGuild(t, d, fmt.Sprintf("guild%d", n)))
	}
	s := newProgram(t).bot(d, tavern)
	if err := d.AwaitReady(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon")
		d.Say(g.channel, g.ana, "Hello Bartok!", nil)
		g.hears(t, g.channel, "Bartok", "Welcome")
	}
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// TestDiscordOneGuild plays only in the configured guild.
func TestDiscordOneGuild(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g, other := newGuild(t, d, "home"), newGuild(t, d, "other")
	h := newProgram(t)
	s := h.bot(d, tavern) // registers the commands globally
	s.stop()
	h.write("glyphoxa.yaml", fmt.Sprintf(tavern, d.APIURL())+fmt.Sprintf("  guild: %q\n", g.id))
	s = h.start("run")
	if err := d.AwaitCommands(t.Context(), g.id); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AwaitRequests(t.Context(), "PUT /applications/{application}/commands", 2); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon")
	if i, err := d.Command(other.dm, other.channel, "session start"); err == nil {
		t.Errorf("another guild has the commands: %v", i)
	}
	s.stop()
}

// slowDown rate-limits the bot and checks that it posts the line once.
func slowDown(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	g.gives(t, g.dm, "session start")
	before, _ := d.Refused()
	d.RefuseNext("POST /webhooks/{webhook}/{token}", 700*time.Millisecond)
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	if said := spokenBy(d.Messages(g.channel), "Bartok"); len(said) != 1 {
		t.Errorf("Bartok said %q, want one line", said)
	}
	if all, hasty := d.Refused(); all != before+1 || hasty != 0 {
		t.Errorf("%d refusals, %d of calls that did not wait; want one more than %d, and 0", all, hasty, before)
	}
}

// TestDiscordPermissionTaken checks that the bot closes a session in a channel
// where it may no longer write, and starts none there.
func TestDiscordPermissionTaken(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	d.Deny(g.channel, discordtest.ManageWebhooks) // so that the bot speaks for the NPCs
	s := newProgram(t).bot(d, tavern)
	g.gives(t, g.dm, "session start")
	d.Deny(g.channel, discordtest.SendMessages)
	const posts = "POST /channels/{channel}/messages"
	before := len(d.Requests(posts))
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	if _, err := d.AwaitRequests(t.Context(), posts, before+1); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session start"), true, "The bot cannot play here; give it Send Messages in this channel")
	if r := s.stop(); r.code != 0 || !strings.Contains(r.stderr, "may no longer write in the channel of a session") {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	refused := slices.DeleteFunc(d.Requests(posts)[before:], func(r discordtest.Request) bool { return r.Status != http.StatusForbidden })
	if n := len(refused); n > 2 {
		t.Errorf("%d attempts to post where the bot may not, want two at most, of the line and of the message that shows the state: %+v", n, refused)
	}
}

// TestDiscordOneProgram checks that a second bot for the same data is refused,
// because it would treat the first one's sessions as cut off.
func TestDiscordOneProgram(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	gaveUp(t, h.run("", "run"), "another glyphoxa run already plays from this data directory", "data_dir")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	s.stop()
	again := h.bot(d, tavern)
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon")
	again.stop()
}
