package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// showHelp shows a guide for a first session, and every command the user may use.
func showHelp(_ context.Context, c *call) (string, error) {
	lines := []string{c.format(GuidePlayers)}
	if c.by.DM {
		lines = append(lines, c.format(GuideDMs))
	}
	actions := commandActions()
	for _, k := range commandDefinitions(nil) {
		if a, ok := actions[k.Name]; ok {
			name := k.Name
			if k.NameLocalizations != nil && c.lang == German {
				name = (*k.NameLocalizations)[discordgo.German]
			}
			lines = c.helpLine(lines, a, name, k.Description, *k.DescriptionLocalizations)
			continue
		}
		for _, o := range k.Options {
			lines = c.helpLine(lines, actions[k.Name+" "+o.Name], k.Name+" "+o.Name, o.Description, o.DescriptionLocalizations)
		}
	}
	return c.showPage("help", "", lines, "")
}

// helpLine adds a command's description if the user may use it.
func (c *call) helpLine(lines []string, a action, path, does string, translated map[discordgo.Locale]string) []string {
	if !a.everyone && !c.by.DM {
		return lines
	}
	if c.lang == German {
		does = translated[discordgo.German]
	}
	return append(lines, "`/"+path+"` "+does)
}
