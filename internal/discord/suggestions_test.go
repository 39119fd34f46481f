package discord

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/discordtest"
	"github.com/MrWong99/glyphoxa/internal/guilds"
)

// fakeSuggester suggests what it is told to.
type fakeSuggester struct {
	by      *guilds.Member
	suggest func(by *guilds.Member, what guilds.Suggestion) []guilds.Choice
}

// Suggest implements suggester.
func (f fakeSuggester) Suggest(_ context.Context, what guilds.Suggestion, _ string) ([]guilds.Choice, error) {
	return f.suggest(f.by, what), nil
}

// types lets a user type into an option of a command, and returns what is
// suggested.
func (s *onlineBot) types(t *testing.T, user, command, option string) []string {
	t.Helper()
	i, err := s.d.Autocomplete(user, s.channel, command, option, discordtest.Option{Name: option, Value: "a"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := i.Response(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, c := range r.Choices {
		out = append(out, fmt.Sprintf("%s=%v", c.Name, c.Value))
	}
	return out
}

// TestSuggestions shows what of the guild's suggestions Discord is told.
func TestSuggestions(t *testing.T) {
	long := strings.Repeat("ö", maxChoice+1)
	var many []guilds.Choice
	var first []string
	for n := range maxSuggestions + 5 {
		many = append(many, guilds.Choice{Name: fmt.Sprint("Ted ", n), Value: fmt.Sprint("ted-", n)})
		if n < maxSuggestions {
			first = append(first, fmt.Sprintf("Ted %d=ted-%d", n, n))
		}
	}
	all := map[guilds.Suggestion][]guilds.Choice{
		guilds.SuggestEntity:   many,
		guilds.SuggestApproval: {{Name: long, Value: "a1"}, {Name: "too long to be given", Value: long}, {Name: "no id"}},
		guilds.SuggestCampaign: {{}, {Name: "The Mere", Value: "mere"}},
		guilds.SuggestHeldTool: nil,
	}
	type asker struct {
		id string
		dm bool
	}
	asked := make(chan asker, 10)
	s := newOnlineBot(t, nil)
	s.bot.dispatcher.suggesterFor = func(m *guilds.Member) suggester {
		return fakeSuggester{m, func(by *guilds.Member, what guilds.Suggestion) []guilds.Choice {
			asked <- asker{by.ID, by.DM}
			return all[what]
		}}
	}
	for _, row := range []struct {
		command, option string
		want            []string
	}{
		{"entity remove", "id", first},
		{"approve yes", "id", []string{strings.Repeat("ö", maxChoice-1) + "…=a1"}},
		{"approve no", "id", []string{strings.Repeat("ö", maxChoice-1) + "…=a1"}},
		{"campaign switch", "campaign", []string{"the configured campaign=:configured", "The Mere=mere"}},
		{"tools approve", "name", []string{}},
	} {
		if got := s.types(t, s.dm, row.command, row.option); !slices.Equal(got, row.want) {
			t.Errorf("/%s %s: suggested %q, want %q", row.command, row.option, got, row.want)
		}
		if by := <-asked; by != (asker{s.dm, true}) {
			t.Errorf("/%s %s: asked by %+v", row.command, row.option, by)
		}
		if got := s.types(t, s.ana, row.command, row.option); len(got) > 0 {
			t.Errorf("/%s %s: a player is suggested %q", row.command, row.option, got)
		}
	}
	if len(asked) > 0 {
		t.Error("somebody was asked for a player")
	}
}

// TestSuggestionsComeInTime waits no longer than a tenth of a second.
func TestSuggestionsComeInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dispatcher{log: slog.New(slog.DiscardHandler)}
		late := func(context.Context, *call, string) ([]suggestion, error) {
			time.Sleep(time.Second)
			return []suggestion{{"late", "late"}}, nil
		}
		var work sync.WaitGroup
		defer work.Wait()
		start := time.Now()
		got := d.findSuggestions(t.Context(), &work, &call{}, late, "a")
		if took := time.Since(start); len(got) > 0 || took != suggestTimeout {
			t.Errorf("suggested %v after %v, want nothing after %v", got, took, suggestTimeout)
		}
	})
}
