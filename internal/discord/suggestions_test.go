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

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// fakeSuggester returns fixed suggestions.
type fakeSuggester struct {
	by      *play.Member
	suggest func(by *play.Member, what play.Suggestion) []play.Choice
}

// Suggest implements suggester.
func (f fakeSuggester) Suggest(_ context.Context, what play.Suggestion, _ string) ([]play.Choice, error) {
	return f.suggest(f.by, what), nil
}

// types lets a user type into an option of a command and returns the suggestions.
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

// TestSuggestions checks which of the guild's suggestions reach Discord.
func TestSuggestions(t *testing.T) {
	long := strings.Repeat("ö", maxChoice+1)
	var many []play.Choice
	var first []string
	for n := range maxSuggestions + 5 {
		many = append(many, play.Choice{Name: fmt.Sprint("Ted ", n), Value: fmt.Sprint("ted-", n)})
		if n < maxSuggestions {
			first = append(first, fmt.Sprintf("Ted %d=ted-%d", n, n))
		}
	}
	all := map[play.Suggestion][]play.Choice{
		play.SuggestEntity:   many,
		play.SuggestApproval: {{Name: long, Value: "a1"}, {Name: "too long to be given", Value: long}, {Name: "no id"}},
		play.SuggestCampaign: {{}, {Name: "The Mere", Value: "mere"}},
		play.SuggestHeldTool: nil,
	}
	type asker struct {
		id string
		dm bool
	}
	asked := make(chan asker, 10)
	s := newOnlineBot(t, nil)
	s.bot.dispatcher.suggesterFor = func(m *play.Member) suggester {
		return fakeSuggester{m, func(by *play.Member, what play.Suggestion) []play.Choice {
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

// TestSuggestionsComeInTime checks that the bot waits at most a tenth of a second.
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

// completes types into an option and returns the suggestions.
func (e *evening) completes(user, command, option, typed string) (names []string) {
	e.t.Helper()
	i, err := e.d.Autocomplete(user, e.channel, command, option, discordtest.Option{Name: option, Value: typed})
	if err != nil {
		e.t.Fatal(err)
	}
	r, err := i.Response(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, c := range r.Choices {
		names = append(names, c.Name)
	}
	return names
}

// TestSuggestionsOfEachOption types into each option with a list: places, topics, rules and
// voices. Players get suggestions for rules only.
func TestSuggestionsOfEachOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := openEvening(t, discordtest.Options{}, strings.NewReplacer("RULES", "", "name: Nele", "name: Nele, voice: {id: de+m1}").Replace(germanTable))
		e.gives(e.dm, "session start")
		for name, kind := range map[string]string{"Hafen": "location", "Hans": "npc"} {
			e.gives(e.dm, "entity add", discordtest.Option{Name: "name", Value: name}, discordtest.Option{Name: "kind", Value: kind})
		}
		for _, row := range []struct {
			command, option, typed string
			want                   []string
			players                bool
		}{
			{"entity add", "place", "ha", []string{"Hafen (location)"}, false},
			{"entity add", "place", "", []string{"Hafen (location)"}, false},
			{"ask", "about", "", []string{"Mira", "Nele", "Hafen (location)", "Hans (npc)"}, false},
			{"ask", "about", "mir", []string{"Mira"}, false},
			{"rules", "about", "fireb", []string{"Fireball", "Necklace of Fireballs", "Wand of Fireballs", "Delayed Blast Fireball"}, true},
			{"voice", "npc", "n", []string{"Nele"}, false},
			{"voice", "voice", "de+m1", []string{"de+m1"}, false},
		} {
			if row.command == "rules" || row.command == "ask" { // the first lookup reads the book
				e.gives(e.dm, row.command, discordtest.Option{Name: "about", Value: "fireball"})
			}
			if got := e.completes(e.dm, row.command, row.option, row.typed); !slices.Equal(got, row.want) {
				t.Errorf("/%s %s:%s suggests %q, want %q", row.command, row.option, row.typed, got, row.want)
			}
			if got := e.completes(e.ana, row.command, row.option, row.typed); row.players != slices.Equal(got, row.want) || !row.players && len(got) > 0 {
				t.Errorf("/%s %s:%s suggests %q to a player", row.command, row.option, row.typed, got)
			}
		}
		e.stop()
	})
}

// TestListsOfATableAreWhole turns the pages of long lists: each name appears once.
func TestListsOfATableAreWhole(t *testing.T) {
	const npcs = 70
	var cast strings.Builder
	for n := range npcs {
		fmt.Fprintf(&cast, "  - {id: npc%02d, name: %s %02d}\n", n, strings.Repeat("Lang", 8), n)
	}
	synctest.Test(t, func(t *testing.T) {
		e := openEvening(t, discordtest.Options{}, strings.Replace(strings.Replace(germanTable, "RULES", "", 1), "discord:", cast.String()+"discord:", 1))
		e.gives(e.dm, "session start")
		for _, command := range []string{"npc list", "tier status"} {
			i, err := e.d.Command(e.dm, e.channel, command)
			if err != nil {
				t.Fatal(err)
			}
			m, err := i.Answer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			found, pages := "", 1
			for ; ; pages++ {
				found += m.Content + "\n"
				on := ""
				for _, b := range m.Components[0].Components {
					if b.Label == PageOn.In(English) {
						on = b.CustomID
					}
				}
				if on == "" || len(i.Followups()) > 0 || pages > npcs {
					break
				}
				p, err := e.d.Press(e.dm, e.channel, m.ID, on)
				if err != nil {
					t.Fatal(err)
				}
				before := m.Content
				if m, err = p.AnswerWhen(t.Context(), func(now discordtest.Message) bool { return now.Content != before }); err != nil {
					t.Fatal(err)
				}
			}
			for n := range npcs {
				if name := fmt.Sprintf("Lang %02d", n); strings.Count(found, name) != 1 {
					t.Errorf("/%s shows %q %d times on %d pages", command, name, strings.Count(found, name), pages)
				}
			}
			if pages < 2 {
				t.Errorf("/%s has one page", command)
			}
		}
		e.stop()
	})
}
