package discordtest_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// told is an output line of a bot written with a third-party library.
type told struct {
	Event    string   `json:"event"`
	Text     string   `json:"text"`
	Author   string   `json:"author"`
	Guild    string   `json:"guild"`
	Emoji    string   `json:"emoji"`
	Roles    int      `json:"roles"`
	Hooks    int      `json:"hooks"`
	Same     bool     `json:"same"`
	Commands []string `json:"commands"`
	Last     []string `json:"last"`
}

// libraryBot is a bot written with a third-party library.
type libraryBot struct {
	t     *testing.T
	lines chan told
}

// startLibrary starts a bot of testdata/peers, which ends with the test and
// must print no errors.
func startLibrary(t *testing.T, d *discordtest.Server, script, module string) *libraryBot {
	t.Helper()
	modules := filepath.Dir(filepath.Dir(peers.File(t, module+"/package.json")))
	cmd := exec.Command(peers.Node(t), filepath.Join(filepath.Dir(modules), script), d.APIURL(), d.Token())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := &strings.Builder{}
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := &libraryBot{t: t, lines: make(chan told, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(b.lines)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var line told
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Event == "complaint" {
				t.Errorf("%s says %s", script, lines.Text())
			}
			b.lines <- line
		}
	}()
	t.Cleanup(func() {
		_ = in.Close() // the bot ends then
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s ended with %v: %s", script, err, errs)
		}
		_, _ = io.Copy(io.Discard, out)
	})
	return b
}

// await returns the next line of an event and skips earlier ones.
func (b *libraryBot) await(event string) told {
	b.t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case line, ok := <-b.lines:
			if !ok {
				b.t.Fatalf("the bot ended before it told of %q", event)
			}
			if line.Event == event {
				return line
			}
		case <-limit:
			b.t.Fatalf("the bot did not tell of %q within a minute", event)
		}
	}
}

// TestLibrariesPlayAnEvening lets bots of other libraries log in and use
// everything that bots use, because the libraries check whether the server
// behaves like Discord.
func TestLibrariesPlayAnEvening(t *testing.T) {
	for _, row := range []struct{ script, module string }{
		{"discordjs.mjs", "discord.js"},
		{"oceanic.mjs", "oceanic.js"},
	} {
		t.Run(row.module, func(t *testing.T) {
			d := discordtest.New(t, nil)
			g := d.AddGuild("Waterdeep")
			channel, ana := d.AddChannel(g, "tavern"), d.AddMember(g, "Ana", d.AddRole(g, "Player", 0))
			b := startLibrary(t, d, row.script, row.module)
			ready := b.await("ready")
			if ready.Guild != "Waterdeep" || ready.Roles != 3 || !slices.Equal(ready.Commands, []string{"form", "roll"}) {
				t.Errorf("it is ready with %+v", ready)
			}
			d.SetNick(g, ana, "Ana the Bold")
			m := d.Say(channel, ana, "play", nil)
			if heard := b.await("heard"); heard.Author != "Ana the Bold" || heard.Text != "play" {
				t.Errorf("it heard %+v", heard)
			}
			played := b.await("played")
			if want := []string{"Said once.", "Welcome, stranger.", "Replied."}; !played.Same || played.Hooks != 1 || !slices.Equal(played.Last, want) {
				t.Errorf("it played %+v, want %q", played, want)
			}
			d.Edit(channel, m.ID, "play on")
			if edited := b.await("edited"); edited.Text != "play on" {
				t.Errorf("it saw %+v edited", edited)
			}
			d.React(channel, ana, m.ID, "❌")
			if reacted := b.await("reacted"); reacted.Emoji != "❌" {
				t.Errorf("it saw %+v", reacted)
			}
			commandsOf(t, d, channel, ana)

			before := len(d.Connections())
			d.DropConnections()
			if err := d.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool {
				return len(all) > before && all[len(all)-1].Resumed
			}); err != nil {
				t.Fatal(err)
			}
			d.Say(channel, ana, "still there?", nil)
			if heard := b.await("heard"); heard.Text != "still there?" {
				t.Errorf("after it came back it heard %+v", heard)
			}
		})
	}
}

// commandsOf gives each command that a library's bot registered.
func commandsOf(t *testing.T, d *discordtest.Server, channel, user string) {
	t.Helper()
	must := func(i *discordtest.Interaction, err error) *discordtest.Interaction {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	says := func(i *discordtest.Interaction, want string) discordtest.Message {
		t.Helper()
		m, err := i.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return m.Content == want })
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	i := must(d.Autocomplete(user, channel, "roll", "dice", discordtest.Option{Name: "dice", Value: "2"}))
	if r, err := i.Response(t.Context()); err != nil || len(r.Choices) != 1 || r.Choices[0].Value != "2d6" {
		t.Errorf("suggested %+v, %v", r, err)
	}
	i = must(d.Command(user, channel, "roll", discordtest.Option{Name: "dice", Value: "2d6"}))
	m := says(i, "Rolled 2d6.")
	if more, err := i.AwaitFollowups(t.Context(), 1); err != nil || !more[0].Ephemeral() {
		t.Errorf("followed by %+v, %v", more, err)
	}
	says(must(d.Press(user, channel, m.ID, "again")), "Rolled again.")
	i = must(d.Command(user, channel, "form"))
	if r, err := i.Response(t.Context()); err != nil || r.Modal == nil {
		t.Fatalf("no form: %+v, %v", r, err)
	}
	says(must(d.Submit(i, map[string]string{"name": "Mira"})), "It is Mira.")
}
