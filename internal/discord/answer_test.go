package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// onlineBot is an online bot with its own guild.
type onlineBot struct {
	d                       *discordtest.Server
	bot                     *Bot
	guild, channel, dm, ana string
	stop                    func()
}

// noGuilds returns guilds without data.
func noGuilds(t *testing.T) *play.Guilds {
	t.Helper()
	gs := play.NewGuilds(play.GuildsOptions{Config: &config.Config{DataDir: t.TempDir()}, Front: Front})
	t.Cleanup(func() {
		if err := gs.Close(); err != nil {
			t.Error(err)
		}
	})
	return gs
}

// newOnlineBot starts a bot whose commands run the given actions.
func newOnlineBot(t *testing.T, actions map[string]action) *onlineBot {
	t.Helper()
	d := discordtest.New(t, nil)
	g := d.AddGuild("home")
	master := d.AddRole(g, "Master", discordtest.ManageGuild)
	s := &onlineBot{d: d, guild: g, channel: d.AddChannel(g, "table"), dm: d.AddMember(g, "dm", master), ana: d.AddMember(g, "ana")}
	bot, err := New(config.Discord{Token: config.Secret(d.Token()), APIURL: d.APIURL(), DMRoles: []string{"Master"}}, noGuilds(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range actions {
		if _, ok := bot.dispatcher.actions[name]; !ok {
			t.Fatalf("there is no command /%s", name)
		}
		bot.dispatcher.actions[name] = a
	}
	s.bot = bot
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the bot ended with %v", err)
		}
	})
	t.Cleanup(s.stop)
	if err := d.AwaitReady(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := d.AwaitCommands(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// gives sends a user's command.
func (s *onlineBot) gives(t *testing.T, user, command string) *discordtest.Interaction {
	t.Helper()
	i, err := s.d.Command(user, s.channel, command)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// announced waits until the bot announces an answer to Discord.
func announced(ctx context.Context, t *testing.T, i *discordtest.Interaction) {
	t.Helper()
	if _, err := i.Response(ctx); err != nil {
		t.Error(err)
	}
}

// TestAnswerCarriesFiles sends files at once, late, and in place of a question.
func TestAnswerCarriesFiles(t *testing.T) {
	late := make(chan struct{})
	show := func(_ context.Context, c *call) (string, error) {
		c.attachFile("turns.png", []byte("picture"))
		c.attachFile("turns.txt", []byte("words"))
		return "Here.", nil
	}
	s := newOnlineBot(t, map[string]action{
		"session status": {do: show},
		"session recap":  {do: func(ctx context.Context, c *call) (string, error) { <-late; return show(ctx, c) }},
		"npc list": {do: func(ctx context.Context, c *call) (string, error) {
			if c.pressed == "them" {
				return show(ctx, c)
			}
			c.buttons = []button{{"Show", "npc list them", discordgo.PrimaryButton}}
			return "Show them?", nil
		}},
		"tools list": {do: func(_ context.Context, c *call) (string, error) {
			c.attachFile("turns.png", []byte("picture"))
			return "", nil
		}},
	})
	carries := func(i *discordtest.Interaction, text string, files int) {
		t.Helper()
		m, err := i.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return len(m.Attachments) > 0 })
		if err != nil {
			t.Fatal(err)
		}
		if m.Content != text || len(m.Attachments) != files || m.Attachments[0].Filename != "turns.png" || m.Attachments[0].ContentType != "image/png" {
			t.Errorf("answer %q with %+v, want %q with %d files, the first turns.png", m.Content, m.Attachments, text, files)
		}
		if got := download(t, m.Attachments[0].URL); got != "picture" {
			t.Errorf("the first file is %q", got)
		}
	}
	carries(s.gives(t, s.dm, "session status"), "Here.", 2)
	carries(s.gives(t, s.dm, "tools list"), "", 1)
	i := s.gives(t, s.dm, "session recap")
	announced(t.Context(), t, i)
	close(late)
	carries(i, "Here.", 2)
	question, err := s.gives(t, s.dm, "npc list").Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if i, err = s.d.Press(s.dm, s.channel, question.ID, "npc list them"); err != nil {
		t.Fatal(err)
	}
	carries(i, "Here.", 2)
}

func download(t *testing.T, address string) string {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestAnswerToButton checks what happens to the question: an answer replaces it and an error
// leaves it, both at once and late.
func TestAnswerToButton(t *testing.T) {
	for _, slow := range []bool{false, true} {
		t.Run(fmt.Sprintf("slow=%t", slow), func(t *testing.T) {
			late := make(chan struct{})
			s := newOnlineBot(t, map[string]action{
				"npc list": {open: true, do: func(_ context.Context, c *call) (string, error) {
					if c.pressed == "" {
						c.buttons = []button{{"Do", "npc list done", discordgo.PrimaryButton}, {"Fail", "npc list failed", discordgo.DangerButton}}
						return "What now?", nil
					}
					if slow {
						<-late
					}
					if c.pressed == "failed" {
						return "", errors.New("it did not work")
					}
					return "It is done.", nil
				}},
			})
			question, err := s.gives(t, s.dm, "npc list").Answer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			press := func(user, button string) *discordtest.Interaction {
				t.Helper()
				i, err := s.d.Press(user, s.channel, question.ID, button)
				if err != nil {
					t.Fatal(err)
				}
				return i
			}
			refused, failed := press(s.ana, "npc list done"), press(s.dm, "npc list failed")
			m, err := refused.Answer(t.Context())
			if err != nil || !m.Ephemeral() || !strings.Contains(m.Content, "Only a dungeon master") {
				t.Errorf("a player is told %q in private: %t, %v", m.Content, m.Ephemeral(), err)
			}
			announced(t.Context(), t, failed)
			if slow {
				late <- struct{}{}
			}
			all, err := failed.AwaitFollowups(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			m = all[0]
			if !m.Ephemeral() || m.Content != "⚠ It did not work." {
				t.Errorf("the error reads %q, in private: %t", m.Content, m.Ephemeral())
			}
			done := press(s.dm, "npc list done")
			announced(t.Context(), t, done)
			if slow {
				late <- struct{}{}
			}
			m, err = done.AnswerWhen(t.Context(), func(m discordtest.Message) bool { return m.Content != "What now?" })
			if err != nil {
				t.Fatal(err)
			}
			if m.ID != question.ID || m.Content != "It is done." || len(m.Components) > 0 {
				t.Errorf("the question has become %q with %d rows of buttons, want the answer and none", m.Content, len(m.Components))
			}
		})
	}
}

// TestLateErrorIsPrivate checks that the bot deletes its public announcement, because the error
// is only for the user.
func TestLateErrorIsPrivate(t *testing.T) {
	late := make(chan struct{})
	s := newOnlineBot(t, map[string]action{
		"session start": {open: true, do: func(context.Context, *call) (string, error) {
			<-late
			return "", errors.New("it did not work: " + strings.Repeat("so much went wrong. ", 150))
		}},
	})
	i := s.gives(t, s.dm, "session start")
	announced(t.Context(), t, i)
	close(late)
	all, err := i.AwaitFollowups(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !m.Ephemeral() {
			t.Errorf("everyone reads %q", m.Content)
		}
	}
	if !strings.HasPrefix(all[0].Content, "⚠ It did not work") {
		t.Errorf("the error reads %q", all[0].Content)
	}
	for _, m := range s.d.Messages(s.channel) {
		if !m.Deleted && !m.Ephemeral() {
			t.Errorf("%q is left in the channel", m.Content)
		}
	}
}
