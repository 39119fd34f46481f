package discord

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Permissions that the bot needs to play: View Channel, Send Messages, Send Messages in Threads, Embed Links,
// Read Message History, Manage Webhooks, and Connect and Speak for voice.
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionEmbedLinks | discordgo.PermissionReadMessageHistory | discordgo.PermissionManageWebhooks | discordgo.PermissionVoiceConnect | discordgo.PermissionVoiceSpeak

// dmRoles are the roles of dungeon masters, by id or name. If empty, members who may manage the server are
// DMs.
type dmRoles []string

// isDM reports whether the user of a command is a DM.
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

// includes reports whether a role is a DM role.
func (d dmRoles) includes(r discordgo.Role) bool {
	return slices.ContainsFunc(d, func(name string) bool { return name == r.ID || strings.EqualFold(name, r.Name) })
}

// dmOnlyError returns an error that names who may use a DM command.
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

// missingPermissions names the missing permissions of those the bot needs.
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

// missingToPlay names the missing permissions without which no session can be played, nil if there are none.
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
