package discord

import (
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// TestPlayersSeeWhatTheyMayUse checks that Discord hides the commands of DMs. With DM roles no
// command is hidden, because Discord does not know those roles.
func TestPlayersSeeWhatTheyMayUse(t *testing.T) {
	actions := commandActions()
	for _, c := range commandDefinitions(nil) {
		forPlayers := slices.ContainsFunc(c.Options, func(o *discordgo.ApplicationCommandOption) bool {
			return actions[c.Name+" "+o.Name].everyone
		}) || actions[c.Name].everyone
		hidden := c.DefaultMemberPermissions != nil && *c.DefaultMemberPermissions == discordgo.PermissionManageGuild
		if !forPlayers && !hidden {
			t.Errorf("/%s is for DMs alone, and players see it", c.Name)
		}
		if want := []string{"session", "roll", "rules", "feedback", "privacy", "help", "whisper", "date"}; hidden == slices.Contains(want, c.Name) {
			t.Errorf("/%s hidden from players: %t", c.Name, hidden)
		}
	}
	for _, c := range commandDefinitions(dmRoles{"Dungeon Master"}) {
		if c.DefaultMemberPermissions != nil {
			t.Errorf("/%s is hidden from a DM whose role Discord does not know", c.Name)
		}
	}
}

// TestCommandsAreInGermanToo checks that every description exists in both languages.
func TestCommandsAreInGermanToo(t *testing.T) {
	var check func(path string, all []*discordgo.ApplicationCommandOption)
	check = func(path string, all []*discordgo.ApplicationCommandOption) {
		for _, o := range all {
			if de := o.DescriptionLocalizations[discordgo.German]; de == "" || de == o.Description {
				t.Errorf("/%s %s is %q in German", path, o.Name, de)
			}
			for _, k := range o.Choices {
				if k.NameLocalizations[discordgo.German] == "" {
					t.Errorf("/%s %s: %q has no German", path, o.Name, k.Name)
				}
			}
			check(path+" "+o.Name, o.Options)
		}
	}
	for _, c := range commandDefinitions(nil) {
		if (*c.DescriptionLocalizations)[discordgo.German] == "" {
			t.Errorf("/%s has no German", c.Name)
		}
		check(c.Name, c.Options)
	}
}

// TestAnswersAreInTheLanguageOfWhoAsks checks that an error is private, in the language of the
// user's client.
func TestAnswersAreInTheLanguageOfWhoAsks(t *testing.T) {
	s := newOnlineBot(t, nil)
	for locale, want := range map[string]string{
		"de":    "⚠ Das darf nur die Spielleitung: wer die Rolle Master hat.",
		"en-GB": "⚠ Only a dungeon master may do that: someone with the role Master.",
		"fr":    "⚠ Only a dungeon master may do that: someone with the role Master.",
	} {
		s.d.SetLocale(s.ana, locale)
		m, err := s.gives(t, s.ana, "session stop").Answer(t.Context())
		if err != nil || m.Content != want || !m.Ephemeral() {
			t.Errorf("in %s: %q (%v), want %q for her alone", locale, m.Content, err, want)
		}
	}
}
