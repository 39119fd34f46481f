package discord

import (
	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// memberName is what a member of a guild is called: by the nickname, else by the display name,
// else by the account's username. One in which nothing can be seen is passed over. The table
// marks a name that would pass for somebody else's, since a nickname cannot be refused.
func memberName(nick string, u *discordgo.User) string {
	for _, called := range []string{nick, u.GlobalName, u.Username} {
		if shown, err := untrusted.Name(called); err == nil {
			return shown
		}
	}
	return u.ID
}
