package discord

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// isDM reports whether who gave a command has a DM's role. Where no role is
// configured it takes the right to manage the server.
func (b *Bot) isDM(s *discordgo.Session, i *discordgo.Interaction) bool {
	if len(b.cfg.DMRoles) == 0 {
		return i.Member.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0
	}
	for _, id := range i.Member.Roles {
		if slices.Contains(b.cfg.DMRoles, id) {
			return true
		}
		if role, err := s.State.Role(i.GuildID, id); err == nil && b.isDMRole(*role) {
			return true
		}
	}
	return false
}

// isDMRole reports whether a role makes a DM of who has it.
func (b *Bot) isDMRole(r discordgo.Role) bool {
	return slices.ContainsFunc(b.cfg.DMRoles, func(name string) bool { return name == r.ID || strings.EqualFold(name, r.Name) })
}

// dmOnly says who may do what another wanted to do.
func (b *Bot) dmOnly() error {
	var names []string
	for _, r := range b.cfg.DMRoles {
		if _, err := strconv.ParseUint(r, 10, 64); err == nil {
			r = "<@&" + r + ">"
		}
		names = append(names, r)
	}
	if len(names) == 0 {
		return errors.New("only a dungeon master may do that: somebody with the right Manage Server")
	}
	return fmt.Errorf("only a dungeon master may do that: somebody with the role %s", strings.Join(names, " or "))
}
