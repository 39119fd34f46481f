package play

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestGuildsInTurmoil runs sessions, switches of campaigns, deletions and commands at the same
// time in two guilds until the guilds close: only conflicting actions fail.
func TestGuildsInTurmoil(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	h.load(mere)
	if _, err := h.as(away, dm).LoadCampaign(t.Context(), "mere.yaml", []byte(mere)); err != nil {
		t.Fatal(err)
	}
	expected := func(err error) bool {
		return err == nil || errors.Is(err, errClosing) || strings.Contains(err.Error(), "session is running") || strings.Contains(err.Error(), "session of this campaign is running")
	}
	const rounds = 5
	var work sync.WaitGroup
	again := func(what string, do func(n int) error) {
		work.Go(func() {
			for n := range rounds {
				if err := do(n); !expected(err) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
	ctx := t.Context()
	for _, guild := range []string{home, away} {
		again("a session", func(n int) error {
			s := &heardSession{t: t, ended: make(chan *table.TurnEnded, 100)}
			var err error
			if s.GuildSession, err = h.guild(guild).StartSession(ctx, GuildSessionOptions{Sink: s, Notify: func(string, string) {}, Resume: n%2 == 0}); err != nil {
				return err
			}
			err = s.Table.Hear(ctx, table.Utterance{Speaker: "Ana", Text: "Hello Bartok!", User: UserRef("discord", ana.ID)})
			if err == nil {
				<-s.ended
			}
			return errors.Join(err, s.Close())
		})
		again("switching", func(n int) error {
			_, err := h.as(guild, dm).SwitchCampaign(ctx, []string{"the-drowned-mere", ""}[n%2])
			return err
		})
		again("loading", func(int) error {
			_, err := h.as(guild, dm).LoadCampaign(ctx, "mere.yaml", []byte(mere))
			return err
		})
		again("forgetting", func(int) error { _, err := h.guild(guild).ForgetUser(ctx, ana.ID, nil); return err })
		again("consent", func(n int) error { return h.guild(guild).SetConsent(ctx, ana.ID, n%2 == 0) })
		again("feedback", func(int) error { return h.as(guild, ana).StoreFeedback(ctx, "Good.") })
		again("rolling", func(int) error { _, err := h.as(guild, ana).CallTool(ctx, "roll", `{"expression":"d20"}`); return err })
		again("suggesting", func(int) error {
			_, err := h.as(guild, dm).Suggest(ctx, SuggestEntity, "")
			return err
		})
		again("what was cut off", func(int) error {
			if cut := h.CutOffSessions(ctx); len(cut) > 0 {
				t.Errorf("%v was cut off", cut)
			}
			_, cut, err := h.guild(guild).InterruptedSession(ctx)
			if cut {
				t.Error("a session counts as interrupted")
			}
			return err
		})
	}
	work.Wait()
	for _, guild := range []string{home, away} {
		all, err := h.guild(guild).Campaigns(ctx)
		if err != nil || len(all) != 2 || all[0].Current == all[1].Current {
			t.Errorf("campaigns %+v, %v; want two, one of them current", all, err)
		}
	}
	member := h.as(home, ana)
	h.shut()
	if _, err := member.CallTool(ctx, "roll", `{"expression":"d20"}`); !errors.Is(err, errClosing) {
		t.Errorf("a command once the guilds are closed: %v, want that the bot is gone", err)
	}
	if _, err := h.Guild(home); !errors.Is(err, errClosing) {
		t.Errorf("a guild once they are closed: %v, want that the bot is gone", err)
	}
}
