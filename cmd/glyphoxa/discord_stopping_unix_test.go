//go:build unix

package main_test

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordAnswersWhileStopping checks that commands, buttons and forms get
// an explanation while the bot stops.
func TestDiscordAnswersWhileStopping(t *testing.T) {
	t.Parallel()
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	s := newProgram(t).bot(d, tavern)
	g.gives(t, g.dm, "session start")
	question := g.gives(t, g.ana, "privacy forget")
	form, err := d.Command(g.dm, g.channel, "entity add")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := form.Response(t.Context()); err != nil {
		t.Fatal(err)
	}
	// This delays the farewell, and so the exit.
	const posts = "POST /channels/{channel}/messages"
	before := len(d.Requests(posts))
	d.RefuseNext(posts, 3*time.Second)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AwaitRequests(t.Context(), posts, before+1); err != nil {
		t.Fatal(err)
	}
	const offline = "⚠ The bot is going offline; try again when it is back."
	answers(t, g.gives(t, g.dm, "session start"), true, offline)
	answers(t, g.gives(t, g.ana, "roll", opt("dice", "2d6")), true, offline)
	answers(t, g.presses(t, g.ana, g.channel, question, "Yes, permanently"), true, offline)
	answers(t, g.fills(t, form, map[string]string{"name": "Ned", "kind": "npc"}), true, offline)
	if got := g.completes(t, g.dm, "npc mute", "npc", ""); got != "" {
		t.Errorf("%q is suggested while the bot stops", got)
	}
	if r := s.ended(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
	last := d.Messages(g.channel)
	if m := last[len(last)-1]; !strings.Contains(m.Content, "The session has ended: the bot is going offline") {
		t.Errorf("the last message is %q", m.Content)
	}
}

// obeyTwoDungeonMasters lets two dungeon masters give the same commands at once
// and press the same button. Every interaction is answered, and each action
// happens once.
func obeyTwoDungeonMasters(t *testing.T, _ *program, d *discordtest.Server) {
	g := newGuild(t, d, "home")
	other := d.AddMember(g.id, "other-dm", g.role)
	both := func(command string) (done, refused []string) {
		t.Helper()
		var work sync.WaitGroup
		var got [2]discordtest.Message
		for n, user := range []string{g.dm, other} {
			work.Go(func() {
				i, err := d.Command(user, g.channel, command)
				if err == nil {
					got[n], err = i.Answer(t.Context())
				}
				if err != nil {
					t.Errorf("/%s: %v", command, err)
				}
			})
		}
		work.Wait()
		for _, m := range got {
			if strings.HasPrefix(m.Content, "⚠") {
				refused = append(refused, m.Content)
			} else {
				done = append(done, m.Content)
			}
		}
		return done, refused
	}
	done, refused := both("session start")
	if len(done) != 1 || len(refused) != 1 || !strings.Contains(refused[0], "A session is ") {
		t.Errorf("two began a session: %q was done, %q refused; want one of either", done, refused)
	}
	if done, refused = both("session stop"); len(done) != 1 || len(refused) != 1 || !strings.Contains(refused[0], "No session is running here") {
		t.Errorf("two ended a session: %q was done, %q refused; want one of either", done, refused)
	}
	answers(t, g.gives(t, g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc")), true, "`old-ted`")
	question := g.gives(t, g.dm, "entity remove", opt("id", "old-ted"))
	var presses []*discordtest.Interaction
	for range 2 {
		i, err := d.Press(g.dm, g.channel, question.ID, "entity remove old-ted")
		if err != nil {
			break // the answer has already removed the button
		}
		presses = append(presses, i)
	}
	m, err := presses[0].AnswerWhen(t.Context(), func(m discordtest.Message) bool { return !strings.Contains(m.Content, "?") })
	if err != nil {
		t.Fatal(err)
	}
	answers(t, m, true, "`old-ted` is no longer part of the world")
	if len(presses) == 2 {
		ctx, cancel := context.WithCancel(t.Context())
		refused := make(chan discordtest.Message, 2)
		var work sync.WaitGroup
		for _, i := range presses {
			work.Go(func() {
				if more, err := i.AwaitFollowups(ctx, 1); err == nil {
					refused <- more[0]
					cancel()
				}
			})
		}
		work.Wait()
		cancel()
		if len(refused) != 1 {
			t.Fatalf("%d of two presses were refused, want one", len(refused))
		}
		answers(t, <-refused, true, "⚠", "old-ted")
	}
	answers(t, g.gives(t, g.dm, "entity list", opt("name", "ted")), true, "There is no one")
}
