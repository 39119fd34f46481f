package discord

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// webhookDeletes is the route for deleting NPCs' lines.
const webhookDeletes = "DELETE /webhooks/{webhook}/{token}/messages/{message}"

// onRoute injects a fault into the calls of a route.
func onRoute(pattern string, f discordtest.Fault) func(string) discordtest.Fault {
	return func(route string) discordtest.Fault {
		if route != pattern {
			return discordtest.Fault{}
		}
		return f
	}
}

// lines returns Mira's messages in the channel, in order.
func (e *evening) lines() (all []discordtest.Message) {
	for _, m := range e.d.Messages(e.channel) {
		if m.WebhookID != "" && m.Author.Username == "Mira" && !m.Deleted {
			all = append(all, m)
		}
	}
	return all
}

// lineWith returns Mira's last message with a number.
func (e *evening) lineWith(number string) discordtest.Message {
	e.t.Helper()
	for _, m := range slices.Backward(e.lines()) {
		if slices.Contains(numbersIn(m.Content), number) {
			return m
		}
	}
	e.t.Fatalf("Mira has not named %s", number)
	return discordtest.Message{}
}

// says makes Mira say the DM's line.
func (e *evening) says(text string) {
	e.gives(e.dm, "npc say", discordtest.Option{Name: "npc", Value: "Mira"}, discordtest.Option{Name: "text", Value: text})
}

// wants checks the numbers in NPCs' messages, both in the channel and in memory. The bot must
// have stopped.
func (e *evening) wants(numbers ...string) {
	e.t.Helper()
	if heard, kept := e.heard(), e.kept(); !slices.Equal(heard, numbers) || !slices.Equal(kept, numbers) {
		e.t.Errorf("in the channel are %q, kept is %q, want %q; told: %q", heard, kept, numbers, e.notices())
	}
}

// TestTakenBackIsForgottenBeforeItIsDeleted kills the program when it asks Discord to delete a
// line, and at each later moment: the line is no longer stored, because memory forgets it
// first.
func TestTakenBackIsForgottenBeforeItIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.asks(1000)
		time.Sleep(5 * time.Second)
		var images []string
		e.d.Disturb(func(route string) discordtest.Fault {
			if route != webhookDeletes {
				return discordtest.Fault{}
			}
			image := filepath.Join(e.dir, "killed", string(rune('a'+len(images))))
			if err := os.CopyFS(image, os.DirFS(filepath.Join(e.dir, ".glyphoxa"))); err != nil {
				t.Error(err)
			}
			images = append(images, image)
			return discordtest.Fault{Status: 503}
		})
		e.d.React(e.channel, e.ana, e.lineWith("1000").ID, "❌")
		time.Sleep(10 * time.Second)
		e.d.Disturb(nil)
		time.Sleep(time.Minute)
		e.stop()
		e.wants()
		if len(images) < 2 {
			t.Errorf("%d calls asked for the deletion while it failed, want some", len(images))
		}
		for n, image := range images {
			if kept := e.keptIn(image); len(kept) > 0 {
				t.Errorf("killed at the deletion's try %d, the program would still keep %q", n+1, kept)
			}
		}
	})
}

// TestDeletionHoldsUpNoLine takes a line back while Discord deletes slowly or rate-limits: the
// NPCs' next lines are not delayed.
func TestDeletionHoldsUpNoLine(t *testing.T) {
	for _, row := range []struct {
		name  string
		fails func(*evening)
	}{
		{"slow", func(e *evening) { e.d.Disturb(onRoute(webhookDeletes, discordtest.Fault{Delay: 10 * time.Second})) }},
		{"429", func(e *evening) { e.d.RefuseNext(webhookDeletes, 10*time.Second) }},
		{"500 for a while", func(e *evening) {
			until := time.Now().Add(10 * time.Second)
			e.d.Disturb(func(route string) discordtest.Fault {
				if route == webhookDeletes && time.Now().Before(until) {
					return discordtest.Fault{Status: 500}
				}
				return discordtest.Fault{}
			})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := beginEvening(t, discordtest.Options{})
				e.asks(1000)
				time.Sleep(5 * time.Second)
				first := e.lineWith("1000")
				row.fails(e)
				e.d.React(e.channel, e.ana, first.ID, "❌")
				time.Sleep(100 * time.Millisecond)
				begun := time.Now()
				e.asks(1001)
				time.Sleep(5 * time.Second)
				if e.heard()[0] != "1000" {
					t.Fatal("the line is deleted too early to show anything")
				}
				if next := e.lineWith("1001"); next.Timestamp.Sub(begun) > time.Second {
					t.Errorf("the next line comes after %v", next.Timestamp.Sub(begun))
				}
				time.Sleep(time.Minute)
				e.stop()
				e.wants("1001")
				if _, hasty := e.d.Refused(); hasty > 0 {
					t.Errorf("%d calls did not wait as long as they were told", hasty)
				}
			})
		})
	}
}

// saysMuch makes Mira say more than fits into two messages.
func (e *evening) saysMuch() {
	e.t.Helper()
	text := "It makes 4321." + strings.Repeat(" The river is long, and so is the tale.", maxMessage/15)
	if err := e.bot.sessions.findSession(e.guild).played.Table.Say(e.t.Context(), "Mira", text); err != nil {
		e.t.Fatal(err)
	}
}

// reload changes the configuration file and reloads the cast.
func (e *evening) reload(from, to string) {
	e.t.Helper()
	path := filepath.Join(e.dir, "glyphoxa.yaml")
	config, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(config), from, to, 1)), 0o600)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	if got := e.gives(e.dm, "npc reload"); strings.Contains(got, "glyphoxa.yaml") {
		e.t.Fatalf("/npc reload: %q", got)
	}
}

// TestTakingBackALineInParts takes back a line that spans several messages, by a reaction to
// any of them.
func TestTakingBackALineInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.saysMuch()
		time.Sleep(time.Minute)
		e.says("It makes 1234.")
		time.Sleep(time.Minute)
		all := e.lines()
		if len(all) < 4 {
			t.Fatalf("the lines came in %d messages", len(all))
		}
		e.d.React(e.channel, e.dm, all[1].ID, "❌")
		time.Sleep(time.Minute)
		if left := e.lines(); len(left) != 1 {
			t.Errorf("%d messages are left, want the other line", len(left))
		}
		e.stop()
		e.wants("1234")
	})
}

// TestTakingBackWhatWaitsToBePosted takes a line back after Discord accepted only its first
// part: the rest is never posted.
func TestTakingBackWhatWaitsToBePosted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		var posts atomic.Int64
		e.d.Disturb(func(route string) discordtest.Fault {
			if route != webhookPosts {
				return discordtest.Fault{}
			}
			if posts.Add(1) == 1 {
				return discordtest.Fault{}
			}
			return discordtest.Fault{Status: 503}
		})
		e.saysMuch()
		time.Sleep(5 * time.Second)
		all := e.lines()
		if len(all) != 1 || posts.Load() < 2 {
			t.Fatalf("%d messages are there after %d tries", len(all), posts.Load())
		}
		e.d.React(e.channel, e.dm, all[0].ID, "❌")
		time.Sleep(5 * time.Second)
		e.d.Disturb(nil)
		e.says("It makes 1234.")
		time.Sleep(10 * time.Minute)
		if left := e.lines(); len(left) != 1 {
			t.Errorf("%d messages are there, want the other line", len(left))
		}
		e.stop()
		e.wants("1234")
		for _, m := range e.d.Messages(e.channel) {
			if m.ID != all[0].ID && m.Author.Username == "Mira" && strings.Contains(m.Content, "river") {
				t.Errorf("after it was taken back came %q", m.Content)
			}
		}
		if told := strings.Join(e.notices(), "\n"); strings.Contains(told, "lost") {
			t.Errorf("the channel is told %q", told)
		}
	})
}

// TestTakenBackOnItsWay takes a line back by a reaction that arrives before Discord confirms
// the message: it is deleted all the same.
func TestTakenBackOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		posts := 0
		e.d.Disturb(func(route string) discordtest.Fault {
			if route == webhookPosts {
				if posts++; posts == 1 {
					return discordtest.Fault{Status: 504, Accepted: true}
				}
			}
			return discordtest.Fault{}
		})
		e.asks(1000)
		time.Sleep(400 * time.Millisecond)
		e.d.React(e.channel, e.ana, e.lineWith("1000").ID, "❌")
		time.Sleep(time.Minute)
		e.stop()
		e.wants()
	})
}

// TestWhatCannotBeDeletedIsTold takes back a line that Discord refuses to delete: memory
// forgets it, and the channel and the operator read that it could not be deleted.
func TestWhatCannotBeDeletedIsTold(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault discordtest.Fault
		after time.Duration
	}{
		{"refused", discordtest.Fault{Status: 403}, 10 * time.Second},
		{"500 for good", discordtest.Fault{Status: 500}, giveUpAfter + time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := beginEvening(t, discordtest.Options{})
				e.asks(1000)
				time.Sleep(5 * time.Second)
				e.d.Disturb(onRoute(webhookDeletes, row.fault))
				e.d.React(e.channel, e.ana, e.lineWith("1000").ID, "❌")
				time.Sleep(row.after)
				told := e.notices()
				if len(told) != 1 || !strings.Contains(told[0], "could not be deleted") || !strings.Contains(e.told(), "could not be deleted") {
					t.Errorf("the channel is told %q, the operator %q", told, e.told())
				}
				e.d.React(e.channel, e.ana, e.lineWith("1000").ID, "❌") // a second reaction changes nothing
				time.Sleep(time.Minute)
				e.stop()
				if kept := e.kept(); len(kept) > 0 {
					t.Errorf("kept is %q", kept)
				}
				if told := strings.Join(e.notices(), "\n"); strings.Count(told, "could not be deleted") != 1 {
					t.Errorf("the channel is told %q", told)
				}
			})
		})
	}
}

// TestAskingAgainInABreak reacts during a break: a line can be taken back, but no NPC is asked
// again until the break ends.
func TestAskingAgainInABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.asks(1000)
		time.Sleep(5 * time.Second)
		e.asks(1001)
		time.Sleep(5 * time.Second)
		first, second := e.lineWith("1000"), e.lineWith("1001")
		e.gives(e.dm, "session pause")
		e.d.React(e.channel, e.dm, first.ID, "🔁")
		e.d.React(e.channel, e.dm, second.ID, "❌")
		time.Sleep(time.Minute)
		if got := e.heard(); !slices.Equal(got, []string{"1000"}) {
			t.Errorf("in the break the channel has %q", got)
		}
		e.gives(e.dm, "session resume")
		e.d.React(e.channel, e.dm, first.ID, "🔄")
		time.Sleep(time.Minute)
		if left := e.lines(); len(left) != 1 || left[0].ID == first.ID {
			t.Errorf("after the break the channel has %d lines, want another answer", len(left))
		}
		e.stop()
		e.wants()
	})
}

// TestAskingAgainWhoIsGone asks for another answer of an NPC that has left the table: its line
// stays, and can be taken back.
func TestAskingAgainWhoIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.asks(1000)
		time.Sleep(5 * time.Second)
		line := e.lineWith("1000")
		e.reload("name: Mira", "name: Bo")
		e.d.React(e.channel, e.dm, line.ID, "🔁")
		time.Sleep(time.Minute)
		if got := e.heard(); !slices.Equal(got, []string{"1000"}) || e.lineWith("1000").ID != line.ID {
			t.Errorf("the channel has %q, want the one line", got)
		}
		e.d.React(e.channel, e.dm, line.ID, "❌")
		time.Sleep(time.Minute)
		e.stop()
		e.wants()
	})
}

// TestStoppedWhileALineIsDeleted stops the bot right after a line was taken back: the bot
// deletes the line before it exits.
func TestStoppedWhileALineIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		e.asks(1000)
		time.Sleep(5 * time.Second)
		e.d.Disturb(onRoute(webhookDeletes, discordtest.Fault{Delay: 2 * time.Second}))
		e.d.React(e.channel, e.ana, e.lineWith("1000").ID, "❌")
		time.Sleep(time.Second)
		e.stop()
		e.wants()
	})
}
