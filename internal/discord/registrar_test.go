package discord

import (
	"encoding/json"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// registered returns Discord's copy of the registered commands.
func registered(t *testing.T) []*discordgo.ApplicationCommand {
	t.Helper()
	raw, err := json.Marshal(commandDefinitions(nil))
	if err != nil {
		t.Fatal(err)
	}
	var out []*discordgo.ApplicationCommand
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	for _, c := range out {
		c.ID, c.ApplicationID, c.Version = "1", "2", "3"
	}
	return out
}

func TestSameCommands(t *testing.T) {
	tests := []struct {
		name   string
		change func([]*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand
		want   bool
	}{
		{"registered_before", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand { return all }, true},
		{"another_order", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
			all[0], all[1] = all[1], all[0]
			return all
		}, true},
		{"one_is_missing", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand { return all[1:] }, false},
		{"another_description", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
			all[0].Description = "old"
			return all
		}, false},
		{"another_translation", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
			all[0].Options[0].DescriptionLocalizations[discordgo.German] = "alt"
			return all
		}, false},
		{"not_hidden_any_more", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
			all[1].DefaultMemberPermissions = nil
			return all
		}, false},
		{"an_option_is_missing", func(all []*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand {
			all[0].Options = all[0].Options[1:]
			return all
		}, false},
		{"none", func([]*discordgo.ApplicationCommand) []*discordgo.ApplicationCommand { return nil }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := sameCommands(test.change(registered(t)), commandDefinitions(nil)); got != test.want {
				t.Errorf("sameCommands = %t, want %t", got, test.want)
			}
		})
	}
}

// TestEveryCommandDoesSomething compares the list of commands with the table of actions.
func TestEveryCommandDoesSomething(t *testing.T) {
	actions := commandActions()
	for _, d := range commandDefinitions(nil) {
		paths := []string{d.Name}
		if len(d.Options) > 0 && d.Options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
			paths = nil
			for _, o := range d.Options {
				paths = append(paths, d.Name+" "+o.Name)
			}
		}
		for _, p := range paths {
			if _, ok := actions[p]; !ok {
				t.Errorf("/%s is registered and does nothing", p)
			}
			delete(actions, p)
		}
	}
	for p := range actions {
		t.Errorf("/%s is not registered", p)
	}
}
