package app

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestHouseInTurmoil lets sessions begin and end, campaigns change, users be
// forgotten and commands be given at the same time, in two guilds, until the
// house closes: nothing fails but what cannot be while another thing is.
func TestHouseInTurmoil(t *testing.T) {
	h := openInn(t, t.TempDir(), flagon)
	h.load(mere)
	if _, err := h.LoadCampaign(t.Context(), away, dm, "mere.yaml", []byte(mere)); err != nil {
		t.Fatal(err)
	}
	expected := func(err error) bool {
		return err == nil || errors.Is(err, errGone) || strings.Contains(err.Error(), "session is running") || strings.Contains(err.Error(), "session of this campaign is running")
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
			s := &seated{t: t, ended: make(chan *table.TurnEnded, 100)}
			var err error
			if s.Sitting, err = h.Sit(ctx, guild, discord.SitOptions{Sink: s, Tell: func(string, string) {}, Resume: n%2 == 0}); err != nil {
				return err
			}
			err = s.Table.Hear(ctx, table.Utterance{Speaker: "Ana", Text: "Hello Bartok!", User: caller(ana.ID)})
			if err == nil {
				<-s.ended
			}
			return errors.Join(err, s.Close())
		})
		again("switching", func(n int) error {
			_, err := h.SwitchCampaign(ctx, guild, dm, []string{"the-drowned-mere", ""}[n%2])
			return err
		})
		again("loading", func(int) error {
			_, err := h.LoadCampaign(ctx, guild, dm, "mere.yaml", []byte(mere))
			return err
		})
		again("forgetting", func(int) error { _, err := h.Forget(ctx, guild, ana.ID); return err })
		again("consent", func(n int) error { return h.Consent(ctx, guild, ana.ID, n%2 == 0) })
		again("feedback", func(int) error { return h.Note(ctx, guild, ana, "Good.") })
		again("rolling", func(int) error { _, err := h.Call(ctx, guild, ana, "roll", `{"expression":"d20"}`); return err })
		again("suggesting", func(int) error {
			_, err := h.Suggest(ctx, guild, dm, discord.SuggestEntity, "")
			return err
		})
		again("what was cut off", func(int) error {
			if cut := h.CutOff(ctx); len(cut) > 0 {
				t.Errorf("%v was cut off", cut)
			}
			_, cut, err := h.Interrupted(ctx, guild)
			if cut {
				t.Error("a session counts as interrupted")
			}
			return err
		})
	}
	work.Wait()
	for _, guild := range []string{home, away} {
		all, err := h.Campaigns(ctx, guild)
		if err != nil || len(all) != 2 || all[0].Current == all[1].Current {
			t.Errorf("campaigns %+v, %v; want two, one of them current", all, err)
		}
	}
	h.shut()
	if _, err := h.Call(ctx, home, ana, "roll", `{"expression":"d20"}`); !errors.Is(err, errGone) {
		t.Errorf("a command once the house is closed: %v, want that the bot is gone", err)
	}
}
