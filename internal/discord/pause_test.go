package discord_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestAPauseAndAsidesAreNotHeard: lines in brackets and lines during a break are neither
// answered nor stored, only the player and the DM see a private roll, and help is in the user's
// language.
func TestAPauseAndAsidesAreNotHeard(t *testing.T) {
	watch(t)
	d := discordtest.New(t, nil)
	g := newTable(d, "home")
	stop := run(t, d)
	command(t, d, g.dm, g.channel, "session start")
	d.Say(g.channel, g.ana, "(Hello Bartok, never mind: pizza)", nil)
	if got := command(t, d, g.dm, g.channel, "session pause"); !strings.Contains(got, "Break: nothing is heard") {
		t.Errorf("/session pause: %q", got)
	}
	d.Say(g.channel, g.ana, "Hello Bartok, in the break", nil)
	if got := command(t, d, g.dm, g.channel, "session pause"); !strings.Contains(got, "already paused") {
		t.Errorf("/session pause once more: %q", got)
	}
	if got := command(t, d, g.ana, g.channel, "session status"); !strings.Contains(got, "Break") {
		t.Errorf("/session status in the break: %q", got)
	}
	if got := command(t, d, g.dm, g.channel, "session resume"); !strings.Contains(got, "continues") {
		t.Errorf("/session resume: %q", got)
	}
	line := d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	if _, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
		return m.ID > line.ID && strings.Contains(m.Content, "Welcome to the Flagon.")
	}); err != nil {
		t.Error(err)
	}
	if got := command(t, d, g.ana, g.channel, "session recap"); strings.Contains(got, "pizza") || strings.Contains(got, "in the break") || !strings.Contains(got, "Hello Bartok!") {
		t.Errorf("/session recap: %q, want neither the aside nor what was said in the break", got)
	}

	i, err := d.Command(g.ana, g.channel, "roll", discordtest.Option{Name: "dice", Value: "1d1+6"}, discordtest.Option{Name: "private", Value: true})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := i.Answer(t.Context()); err != nil || !m.Ephemeral() || !strings.Contains(m.Content, "**7**") {
		t.Errorf("a private roll: %q (%v), want it for her alone", m.Content, err)
	}
	if got := command(t, d, g.dm, g.channel, "session status"); !strings.Contains(got, "<@"+g.ana+"> 1d1+6: **7**") {
		t.Errorf("the DM is told %q, want the private roll", got)
	}
	if got := command(t, d, g.ana, g.channel, "session status"); strings.Contains(got, "**7**") {
		t.Errorf("a player is told of a private roll: %q", got)
	}

	d.SetLocale(g.ana, "de")
	if got := command(t, d, g.ana, g.channel, "help"); !strings.HasPrefix(got, "**Mitspielen.**") || strings.Contains(got, "/npc mute") {
		t.Errorf("/help for a player: %q", got)
	}
	if got := command(t, d, g.dm, g.channel, "help"); !strings.HasPrefix(got, "**Playing.**") || !strings.Contains(got, "**Running the game.**") {
		t.Errorf("/help for a DM: %q", got)
	}
	stop()
}
