package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// dicePlayers is a table whose NPC reports its dice, so that each line is distinguishable.
const dicePlayers = `
languages: [en]
campaign: {name: The Flagon}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
npcs:
  - name: Mira
    tools: [roll]
    lines: {greeting: ["Mind the gap."], roll: ["Here they go. {answer}"], unknown: ["Ask the river."]}
discord: {token: %s, api_url: %s}
`

// evening is the real bot at the test's own Discord, both in the test's bubble of virtual time,
// connected by pipes.
type evening struct {
	t                       *testing.T
	d                       *discordtest.Server
	bot                     *Bot
	dir                     string
	guild, channel, dm, ana string
	stop                    func()

	mu   sync.Mutex // guards said
	said []string   // messages for the operator
}

// beginEvening starts Discord, the bot and a session; more is appended to the configuration.
// Call it in a bubble.
func beginEvening(t *testing.T, o discordtest.Options, more ...string) *evening {
	t.Helper()
	e := openEvening(t, o, dicePlayers+strings.Join(more, ""))
	if got := e.gives(e.dm, "session start"); !strings.Contains(got, "The Flagon") {
		t.Fatalf("/session start: %q", got)
	}
	return e
}

// openEvening starts Discord and the bot. The configuration has one verb for the token and one
// for Discord's address.
func openEvening(t *testing.T, o discordtest.Options, yaml string) *evening {
	t.Helper()
	dir, err := os.MkdirTemp("", "glyphoxa-evening-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pipes := discordtest.NewPipes()
	o.Listener = pipes
	e := &evening{t: t, d: discordtest.New(t, &o), dir: dir}
	e.guild = e.d.AddGuild("home")
	e.channel = e.d.AddChannel(e.guild, "table")
	e.dm = e.d.AddMember(e.guild, "dm", e.d.AddRole(e.guild, "Master", discordtest.ManageGuild))
	e.ana = e.d.AddMember(e.guild, "Ana")
	path := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, yaml, e.d.Token(), e.d.APIURL()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	rules := ruleslookup.BuiltIn()
	gs := play.NewGuilds(play.GuildsOptions{Config: cfg, Front: Front, Open: func(ctx context.Context, _ string, cfg *config.Config) (*play.Game, error) {
		return play.Open(ctx, play.Options{Config: cfg, Rules: rules})
	}})
	b, err := New(cfg.Discord, gs, &Options{Logger: slog.New(slog.DiscardHandler), Report: e.tell, Dial: pipes.Dial})
	if err != nil {
		t.Fatal(err)
	}
	e.bot = b
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- errors.Join(b.Run(ctx), gs.Close()) }()
	e.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the bot ended with %v", err)
		}
		b.rest.CloseIdle()
	})
	t.Cleanup(e.stop)
	if err := errors.Join(e.d.AwaitReady(ctx, 1), e.d.AwaitCommands(ctx, "")); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *evening) tell(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, text)
}

// told returns the operator's messages.
func (e *evening) told() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.said, "\n")
}

// gives sends a user's command and returns the answer.
func (e *evening) gives(user, command string, options ...discordtest.Option) string {
	e.t.Helper()
	i, err := e.d.Command(user, e.channel, command, options...)
	if err == nil {
		var m discordtest.Message
		if m, err = i.Answer(e.t.Context()); err == nil {
			return m.Content
		}
	}
	e.t.Errorf("/%s: %v", command, err)
	return ""
}

// asks lets the player ask for a number, from 1000 on, which the answer repeats.
func (e *evening) asks(number int) {
	e.d.Say(e.channel, e.ana, fmt.Sprintf("Mira, roll 1d1+%d", number-1), nil)
}

// heard returns the numbers in the NPCs' messages in the channel, in order.
func (e *evening) heard() (numbers []string) {
	for _, m := range e.d.Messages(e.channel) {
		if m.WebhookID == "" || m.Author.Username != "Mira" || m.Deleted {
			continue
		}
		numbers = append(numbers, numbersIn(m.Content)...)
	}
	return numbers
}

func numbersIn(text string) (numbers []string) {
	for _, found := range answeredNumber.FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, found[1])
	}
	return numbers
}

var answeredNumber = regexp.MustCompile(`makes (\d+)`)

// kept returns the numbers in the NPCs' stored lines, in order. The bot must have stopped.
func (e *evening) kept() []string {
	e.t.Helper()
	return e.keptIn(filepath.Join(e.dir, ".glyphoxa"))
}

// keptIn is kept for a data directory that no process uses.
func (e *evening) keptIn(dir string) (numbers []string) {
	e.t.Helper()
	for _, l := range e.keptLines(dir) {
		if l.NPC != "" {
			numbers = append(numbers, numbersIn(l.Text)...)
		}
	}
	return numbers
}

// keptLines returns the session's lines from a data directory that no process uses.
func (e *evening) keptLines(dir string) []memory.Line {
	e.t.Helper()
	store, err := sqlite.Open(e.t.Context(), filepath.Join(dir, "guilds", e.guild, "glyphoxa.db"), nil)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			e.t.Error(err)
		}
	}()
	all, err := store.Sessions(e.t.Context(), 1)
	if err != nil || len(all) != 1 {
		e.t.Fatalf("%d sessions, %v", len(all), err)
	}
	lines, err := store.Recent(e.t.Context(), all[0].ID, all[0].Lines)
	if err != nil {
		e.t.Fatal(err)
	}
	return lines
}

// isMuted reports whether the NPC is silent.
func (e *evening) isMuted() bool { return strings.Contains(e.gives(e.dm, "npc list"), "(silent)") }

// notices returns the bot's messages in the channel.
func (e *evening) notices() (all []string) {
	for _, m := range e.d.Messages(e.channel) {
		if m.Author.ID == e.d.BotID() && strings.HasPrefix(m.Content, "-#") {
			all = append(all, m.Content)
		}
	}
	return all
}

// webhookPosts is the route for NPCs' lines.
const webhookPosts = "POST /webhooks/{webhook}/{token}"

// TestLateInteractionDoesNothing slows the bot's calls down until Discord reports the commands
// as failed: the bot then does not run them and says so in the channel.
func TestLateInteractionDoesNothing(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault discordtest.Fault // for first answers
		acts  bool
	}{
		{"five seconds a call", discordtest.Fault{Delay: 5 * time.Second}, false},
		{"refused", discordtest.Fault{Status: 500}, false},
		{"taken, and not said so", discordtest.Fault{Status: 502, Accepted: true}, true},
		{"in time", discordtest.Fault{Delay: 2 * time.Second}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := beginEvening(t, discordtest.Options{InteractionDeadline: 3 * time.Second})
				answered := false
				e.d.Disturb(func(route string) discordtest.Fault {
					first := strings.HasPrefix(route, "POST /interactions/")
					if row.fault.Status != 0 && (!first || row.fault.Accepted && answered) {
						return discordtest.Fault{}
					}
					answered = answered || first
					return row.fault
				})
				i, err := e.d.Command(e.dm, e.channel, "npc mute", discordtest.Option{Name: "npc", Value: "Mira"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				e.d.Disturb(nil)
				_, failed := i.Response(t.Context())
				if acted := e.isMuted(); acted != row.acts || acted != (failed == nil) {
					t.Errorf("the command acted: %t, want %t; Discord says %v", acted, row.acts, failed)
				}
				if told := strings.Join(e.notices(), "\n"); strings.Contains(told, "<@"+e.dm+">") == row.acts {
					t.Errorf("the channel is told %q", told)
				}
				e.stop()
			})
		})
	}
}

// TestRepeatedInteractionActsOnce delivers a command over the gateway twice.
func TestRepeatedInteractionActsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.d.RepeatEvents(true)
		e.gives(e.dm, "npc say", discordtest.Option{Name: "npc", Value: "Mira"}, discordtest.Option{Name: "text", Value: "It makes 1234."})
		time.Sleep(time.Minute)
		if got := e.heard(); !slices.Equal(got, []string{"1234"}) {
			t.Errorf("heard %q, want it once", got)
		}
		e.stop()
	})
}

// TestChannelTakenAway removes the right to write during a session: the bot tells the DM who
// started the session, or another channel.
func TestChannelTakenAway(t *testing.T) {
	for _, closed := range []bool{false, true} { // whether the DM refuses direct messages
		t.Run(fmt.Sprintf("closed=%t", closed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := beginEvening(t, discordtest.Options{})
				other := e.d.AddChannel(e.guild, "lobby")
				direct := e.d.AddDM(e.dm)
				e.d.Disturb(func(route string) discordtest.Fault {
					if closed && route == "POST /users/@me/channels" {
						return discordtest.Fault{Status: 403}
					}
					return discordtest.Fault{}
				})
				e.d.DeleteWebhooks(e.channel)
				e.d.Deny(e.channel, discordtest.SendMessages|discordtest.ManageWebhooks)
				e.asks(1000)
				time.Sleep(time.Minute)
				told := map[bool]string{false: direct, true: other}[closed]
				_, err := e.d.AwaitMessage(t.Context(), told, func(m discordtest.Message) bool { return strings.Contains(m.Content, "<#"+e.channel+">") })
				if err != nil {
					t.Error(err)
				}
				if got := e.gives(e.dm, "npc list"); !strings.Contains(got, "No session is running") {
					t.Errorf("the session goes on: %q", got)
				}
				e.stop()
				if kept := e.kept(); len(kept) != 0 {
					t.Errorf("kept is %q, which nobody could read", kept)
				}
			})
		})
	}
}

// TestFloodOfOne lets one player write 500 messages at once: the bot still hears another
// player, and answers no more of the flood than the limit.
func TestFloodOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		bea := e.d.AddMember(e.guild, "Bea")
		for n := range 500 {
			e.asks(2000 + n)
		}
		e.d.Say(e.channel, bea, "Mira, roll 1d1+1233", nil)
		time.Sleep(10 * time.Minute)
		e.stop()
		heard := e.heard()
		if !slices.Contains(heard, "1234") || len(heard) > 20 {
			t.Errorf("of 500 messages of one, and one of another, %q are answered", heard)
		}
		if told := e.notices(); len(told) < 1 || !strings.Contains(told[0], "Ana") || len(told) > 3 {
			t.Errorf("the channel is told %q", told)
		}
	})
}
