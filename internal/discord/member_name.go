package discord

import (
	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// memberName returns a guild member's nickname, or else the display name, or else the username. It skips
// names without visible characters. Nicknames cannot be refused, so the table marks a name that could pass
// for another's.
func memberName(nick string, u *discordgo.User) string {
	for _, called := range []string{nick, u.GlobalName, u.Username} {
		if shown, err := untrusted.Name(called); err == nil {
			return shown
		}
	}
	return u.ID
}
