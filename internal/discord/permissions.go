package discord

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Permissions the bot needs where it plays: View Channel, Send Messages, Send
// Messages in Threads, Embed Links, Read Message History, Manage Webhooks, and where
// it is heard Connect and Speak.
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionEmbedLinks | discordgo.PermissionReadMessageHistory | discordgo.PermissionManageWebhooks | discordgo.PermissionVoiceConnect | discordgo.PermissionVoiceSpeak

// dmRoles are the roles of dungeon masters, by id or name. Without any, the right
// to manage the server makes a DM.
type dmRoles []string

// isDM reports whether who gave a command has a DM's role. Where no role is
// configured it takes the right to manage the server.
func (d dmRoles) isDM(s *discordgo.Session, i *discordgo.Interaction) bool {
	if len(d) == 0 {
		return i.Member.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0
	}
	for _, id := range i.Member.Roles {
		if slices.Contains(d, id) {
			return true
		}
		if role, err := s.State.Role(i.GuildID, id); err == nil && d.includes(*role) {
			return true
		}
	}
	return false
}

// includes reports whether a role makes a DM of who has it.
func (d dmRoles) includes(r discordgo.Role) bool {
	return slices.ContainsFunc(d, func(name string) bool { return name == r.ID || strings.EqualFold(name, r.Name) })
}

// dmOnlyError says who may do what another wanted to do.
func (d dmRoles) dmOnlyError() error {
	var names []string
	for _, r := range d {
		if _, err := strconv.ParseUint(r, 10, 64); err == nil {
			r = "<@&" + r + ">"
		}
		names = append(names, r)
	}
	switch len(names) {
	case 0:
		return OnlyManagers.With()
	case 1:
		return OnlyRole.With(names[0])
	}
	return OnlyRoles.With(strings.Join(names, ", "))
}

// missingPermissions names the permissions that are missing of those the bot needs.
func missingPermissions(rights int64) (names []string) {
	if rights&discordgo.PermissionAdministrator != 0 {
		return nil
	}
	for _, p := range []struct {
		right int64
		name  string
	}{
		{discordgo.PermissionViewChannel, "View Channel"},
		{discordgo.PermissionSendMessages, "Send Messages"},
		{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads"},
		{discordgo.PermissionEmbedLinks, "Embed Links"},
		{discordgo.PermissionReadMessageHistory, "Read Message History"},
		{discordgo.PermissionManageWebhooks, "Manage Webhooks"},
		{discordgo.PermissionVoiceConnect, "Connect"},
		{discordgo.PermissionVoiceSpeak, "Speak"},
	} {
		if rights&p.right == 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// missingToPlay names the permissions without which nothing can be played, nil if none
// is missing.
func missingToPlay(rights int64, thread bool) (lacking *Phrase) {
	need := []struct {
		right int64
		name  Text
	}{{discordgo.PermissionViewChannel, RightView}, {discordgo.PermissionSendMessages, RightSend}}
	if thread {
		need[1].right, need[1].name = discordgo.PermissionSendMessagesInThreads, RightThread
	}
	for _, n := range need {
		switch {
		case rights&(n.right|discordgo.PermissionAdministrator) != 0:
		case lacking == nil:
			lacking = n.name.With()
		default:
			lacking = AndRight.With(lacking, n.name.With())
		}
	}
	return lacking
}
