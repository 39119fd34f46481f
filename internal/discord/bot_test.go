package discord_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/play"
)

const tavern = `
languages: [en]
campaign: {name: The Flagon}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
server: {listen: "127.0.0.1:0"}
npcs:
  - name: Bartok
    lines: {greeting: ["Welcome to the Flagon."], smalltalk: ["Foggy."], unknown: ["No idea."]}
discord: {token: %s, api_url: %s}
`

// watch fails the test if a goroutine outlives it, except one that a dependency of Gemini's
// client never stops. Call watch first, so that its check runs last.
func watch(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		goleak.VerifyNone(t, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
	})
}

// run runs a bot of d in this process. The returned function stops it.
func run(t *testing.T, d *discordtest.Server) (stop func()) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, tavern, d.Token(), d.APIURL()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(t.Context(), app.Options{Config: cfg, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var said bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, app.RunOptions{Messages: &said}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the bot ended with %v; it said %s", err, said.String())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	if err := d.AwaitReady(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := d.AwaitCommands(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return stop
}

// table is a guild with a channel, a DM and a player.
type table struct{ guild, channel, dm, ana string }

func newTable(d *discordtest.Server, name string) table {
	g := d.AddGuild(name)
	role := d.AddRole(g, "Master", discordtest.ManageGuild)
	return table{guild: g, channel: d.AddChannel(g, "table"), dm: d.AddMember(g, name+"-dm", role), ana: d.AddMember(g, name+"-ana")}
}

// command sends a command and returns the answer.
func command(t testing.TB, d *discordtest.Server, user, channel, path string, options ...discordtest.Option) string {
	t.Helper()
	i, err := d.Command(user, channel, path, options...)
	if err == nil {
		var m discordtest.Message
		if m, err = i.Answer(t.Context()); err == nil {
			return m.Content
		}
	}
	t.Errorf("/%s: %v", path, err)
	return ""
}

// TestBotAtSeveralTables starts and stops sessions in several guilds at once.
func TestBotAtSeveralTables(t *testing.T) {
	watch(t)
	d := discordtest.New(t, nil)
	var all []table
	for n := range 4 {
		all = append(all, newTable(d, fmt.Sprintf("guild%d", n)))
	}
	stop := run(t, d)
	var work sync.WaitGroup
	for _, g := range all {
		work.Go(func() {
			for range 3 {
				if got := command(t, d, g.dm, g.channel, "session start"); !strings.Contains(got, "The Flagon") {
					t.Errorf("/session start: %q", got)
				}
				line := d.Say(g.channel, g.ana, "Hello Bartok!", nil)
				_, err := d.AwaitMessage(t.Context(), g.channel, func(m discordtest.Message) bool {
					return m.ID > line.ID && strings.Contains(m.Content, "Welcome to the Flagon.")
				})
				if err != nil {
					t.Error(err)
				}
				command(t, d, g.ana, g.channel, "session status")
				command(t, d, g.dm, g.channel, "tier raise", discordtest.Option{Name: "npc", Value: "Bartok"}, discordtest.Option{Name: "tier", Value: "deep"})
				command(t, d, g.ana, g.channel, "roll", discordtest.Option{Name: "dice", Value: "2d6"})
				if got := command(t, d, g.dm, g.channel, "session stop"); !strings.Contains(got, "The session has ended") {
					t.Errorf("/session stop: %q", got)
				}
			}
		})
	}
	work.Wait()
	stop()
}
