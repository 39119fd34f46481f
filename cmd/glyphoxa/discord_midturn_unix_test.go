//go:build unix

package main_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// thoughtful is a table with one NPC that uses a model.
const thoughtful = `
languages: [en]
campaign: {name: The Flagon}
providers:
  llm: {name: openai, base_url: "${MODEL_URL}", api_key: "${MODEL_KEY}", model: gpt-4-test}
  tts: silent
  stt: none
  embeddings: none
server: {listen: "127.0.0.1:0"}
npcs:
  - {name: Bartok, budget_tier: fast, tools: [roll]}
discord:
  token: ${DISCORD_TOKEN:-}
  api_url: %s
  dm_roles: [Dungeon Master]
`

// thinker is a model that calls a tool and then waits until the test releases
// it.
type thinker struct {
	server *fakeopenai.Server
	asked  chan string   // the last word asked, sent when the model begins to think
	think  chan struct{} // closed when the model may answer
	then   string        // sent after the answer, without an end; then silence
}

// maxAsked exceeds the number of questions in any test.
const maxAsked = 1000

// newThinker starts a model and a house whose NPCs use it.
func newThinker(t testing.TB) (*thinker, *program) {
	t.Helper()
	m := &thinker{asked: make(chan string, maxAsked), think: make(chan struct{})}
	m.server = fakeopenai.Start(t, m.answer, &fakeopenai.Options{APIKey: modelKey})
	t.Cleanup(m.wake)
	h := newProgram(t)
	h.set("MODEL_URL", m.server.URL())
	h.set("MODEL_KEY", modelKey)
	h.secrets = append(h.secrets, modelKey)
	return m, h
}

func (m *thinker) answer(r fakeopenai.Request) fakeopenai.Response {
	if ids, _ := results(r); len(ids) == 0 {
		return fakeopenai.CallTools(fakeopenai.Call{Name: "roll", Arguments: `{"expression":"1d6"}`})
	}
	words := strings.Fields(r.Chat.LastUser())
	word := words[len(words)-1]
	m.asked <- word
	<-m.think
	if m.then != "" {
		return fakeopenai.HangAfter("I heard ", word, ". ", m.then)
	}
	return fakeopenai.Say("I heard ", word, ".")
}

// wake releases the model for all past and future questions.
func (m *thinker) wake() {
	select {
	case <-m.think:
	default:
		close(m.think)
	}
}

// kept returns the lines in a guild's database, oldest first.
func (h *program) kept(g *guild) (lines []string) {
	h.t.Helper()
	store, err := sqlite.Open(h.t.Context(), h.path(filepath.Join(".glyphoxa", "guilds", g.id, "glyphoxa.db")), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			h.t.Error(err)
		}
	}()
	sessions, err := store.Sessions(h.t.Context(), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, s := range slices.Backward(sessions) {
		said, err := store.Recent(h.t.Context(), s.ID, s.Lines)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, l := range said {
			lines = append(lines, l.Speaker+": "+l.Text)
		}
	}
	return lines
}

// TestDiscordConnectionLostInATurn loses the connection while an NPC thinks.
// The bot posts the answer once, and hears messages written meanwhile once and
// in order, if Discord delivers them.
func TestDiscordConnectionLostInATurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(*discordtest.Server)
		away []string // written before the bot reconnects
	}{
		{"dropped", (*discordtest.Server).DropConnections, []string{"beryl", "cinnabar"}},
		{"reconnect asked for", (*discordtest.Server).RequestReconnect, []string{"beryl", "cinnabar"}},
		{"session to be resumed", func(d *discordtest.Server) { d.InvalidateSessions(true) }, []string{"beryl", "cinnabar"}},
		{"session gone", func(d *discordtest.Server) { d.InvalidateSessions(false) }, nil},
		{"session expired while away", func(d *discordtest.Server) { d.DropConnections(); d.ExpireSessions() }, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if testing.Short() && row.name != "dropped" && row.name != "session gone" {
				t.Skip("each is a program of its own; make test-all runs them all")
			}
			t.Parallel()
			d := discordtest.New(t, nil)
			g := newGuild(t, d, "home")
			m, h := newThinker(t)
			s := h.bot(d, thoughtful)
			g.gives(t, g.dm, "session start")
			d.Say(g.channel, g.ana, "Bartok, amaranth", nil)
			m.next(t)
			before := len(d.Connections())
			row.make(d)
			awaitConnections(t, d, func(all []discordtest.Connection) bool { return !all[before-1].Open || len(all) > before })
			words := append([]string{"amaranth"}, row.away...)
			for _, w := range row.away {
				d.Say(g.channel, g.ana, "Bartok, "+w, nil)
			}
			awaitConnections(t, d, func(all []discordtest.Connection) bool {
				return len(all) > before && all[len(all)-1].Open && all[len(all)-1].Session != ""
			})
			words = append(words, "damask")
			d.Say(g.channel, g.ana, "Bartok, damask", nil)
			g.gives(t, g.dm, "session status") // the bot has heard everything before this
			m.wake()
			g.hears(t, g.channel, "Bartok", "damask")
			if r := s.stop(); r.code != 0 {
				t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
			}
			var heard, want []string
			for _, w := range words {
				want = append(want, "Ana: Bartok, "+w, "Bartok: I heard "+w+".")
			}
			heard = h.kept(g)
			if !slices.Equal(heard, want) {
				t.Errorf("kept is %q, want %q", heard, want)
			}
			posted(t, g, words...)
		})
	}
}

func awaitConnections(t testing.TB, d *discordtest.Server, match func([]discordtest.Connection) bool) {
	t.Helper()
	if err := d.AwaitConnections(t.Context(), match); err != nil {
		t.Fatal(err)
	}
}

// posted requires that the thoughtful NPC posted one answer to each word, in
// order.
func posted(t testing.TB, g *guild, words ...string) {
	t.Helper()
	var got, want []string
	for _, said := range spokenBy(g.d.Messages(g.channel), "Bartok") {
		if strings.Contains(said, "I heard ") { // the rest are fillers
			got = append(got, said)
		}
	}
	for _, w := range words {
		want = append(want, "I heard "+w+".")
	}
	if !slices.Equal(got, want) {
		t.Errorf("Bartok posted %q, want %q", got, want)
	}
}

// TestDiscordStoppedInATurn stops the program while an NPC thinks and players
// wait. The bot stores all the players' messages, and none of the answer that
// it had not posted.
func TestDiscordStoppedInATurn(t *testing.T) {
	t.Parallel()
	for _, waiting := range []int{0, 30} {
		t.Run(fmt.Sprintf("%d waiting", waiting), func(t *testing.T) {
			t.Parallel()
			d := discordtest.New(t, nil)
			g := newGuild(t, d, "home")
			m, h := newThinker(t)
			s := h.bot(d, thoughtful)
			g.gives(t, g.dm, "session start")
			d.Say(g.channel, g.ana, "Bartok, amaranth", nil)
			m.next(t)
			want := []string{"Ana: Bartok, amaranth"}
			var players []string
			for n := range 8 {
				players = append(players, d.AddMember(g.id, fmt.Sprint("Player", n)))
			}
			last := "Ana"
			for n := range waiting {
				line := fmt.Sprintf("Bartok, line %d", n)
				d.Say(g.channel, players[n%8], line, nil)
				last = fmt.Sprint("Player", n%8)
				want = append(want, last+": "+line)
			}
			g.gives(t, g.dm, "session status") // the bot has received all messages
			if r := s.stop(); r.code != 0 || r.stderr != "" && !strings.HasPrefix(r.stderr, "glyphoxa") {
				t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
			}
			if got := h.kept(g); !slices.Equal(got, want) {
				t.Errorf("kept are %d lines, want %d: %q", len(got), len(want), got)
			}
			posted(t, g) // no posts
			all := d.Messages(g.channel)
			if end := all[len(all)-1]; !strings.Contains(end.Content, "The session has ended: the bot is going offline") {
				t.Errorf("the last message is %q", end.Content)
			}
			h.bot(d, thoughtful)
			answers(t, g.gives(t, g.ana, "session recap"), true, map[bool]string{true: "one line", false: fmt.Sprintf("%d lines", 1+waiting)}[waiting == 0], strings.Replace(want[len(want)-1], last+":", "**"+last+"** (player):", 1))
		})
	}
}

// TestDiscordStoppedInASentence stops the program when half an answer is
// posted, and checks that exactly that half is stored.
func TestDiscordStoppedInASentence(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	m, h := newThinker(t)
	m.wake()
	m.then = "The rest is for later"
	s := h.bot(d, thoughtful)
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Bartok, amaranth", nil)
	g.hears(t, g.channel, "Bartok", "I heard amaranth.")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	posted(t, g, "amaranth")
	if got, want := h.kept(g), []string{"Ana: Bartok, amaranth", "Bartok: I heard amaranth."}; !slices.Equal(got, want) {
		t.Errorf("kept is %q, want %q", got, want)
	}
}

// TestDiscordStoppedTwice stops a program twice while it waits for Discord to
// accept its farewell; it exits at once on the second signal.
func TestDiscordStoppedTwice(t *testing.T) {
	t.Parallel()
	const posts = "POST /channels/{channel}/messages"
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h := newProgram(t)
	s := h.bot(d, tavern)
	g.gives(t, g.dm, "session start")
	d.Say(g.channel, g.ana, "Hello Bartok!", nil)
	g.hears(t, g.channel, "Bartok", "Welcome")
	before := len(d.Requests(posts))
	d.RefuseNext(posts, time.Minute)
	s.signal(syscall.SIGTERM)
	if _, err := d.AwaitRequests(t.Context(), posts, before+1); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGTERM)
	if r := s.ended(); r.code != -1 {
		t.Errorf("exit code %d, want death by the second signal; stderr %s", r.code, r.stderr)
	}
	if got, want := h.kept(g), []string{"Ana: Hello Bartok!", "Bartok: Welcome to the Flagon."}; !slices.Equal(got, want) {
		t.Errorf("kept is %q, want %q", got, want)
	}
}
