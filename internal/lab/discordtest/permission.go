package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Permissions is a set of permissions in a guild or channel. In JSON it is a
// string.
type Permissions uint64

// The permissions that the server checks.
const (
	Administrator   Permissions = 1 << 3
	ManageChannels  Permissions = 1 << 4
	ManageGuild     Permissions = 1 << 5
	AddReactions    Permissions = 1 << 6
	ViewChannel     Permissions = 1 << 10
	SendMessages    Permissions = 1 << 11
	ManageMessages  Permissions = 1 << 13
	EmbedLinks      Permissions = 1 << 14
	AttachFiles     Permissions = 1 << 15
	ReadHistory     Permissions = 1 << 16
	MentionEveryone Permissions = 1 << 17
	Connect         Permissions = 1 << 20
	Speak           Permissions = 1 << 21
	MuteMembers     Permissions = 1 << 22
	MoveMembers     Permissions = 1 << 24
	ManageRoles     Permissions = 1 << 28
	ManageWebhooks  Permissions = 1 << 29
	UseCommands     Permissions = 1 << 31
	ManageThreads   Permissions = 1 << 34
	CreateThreads   Permissions = 1 << 35
	SendInThreads   Permissions = 1 << 38
	allPermissions  Permissions = 1<<51 - 1
)

// PermissionsOfEveryone are those of @everyone in new guilds.
const PermissionsOfEveryone = ViewChannel | SendMessages | AddReactions | EmbedLinks | AttachFiles |
	ReadHistory | Connect | Speak | UseCommands | CreateThreads | SendInThreads

// PermissionsOfBot are those of the bot's role in new guilds.
const PermissionsOfBot = PermissionsOfEveryone | ManageWebhooks | ManageMessages

var permissionNames = map[Permissions]string{
	ViewChannel: "VIEW_CHANNEL", SendMessages: "SEND_MESSAGES", ManageMessages: "MANAGE_MESSAGES",
	EmbedLinks: "EMBED_LINKS", AttachFiles: "ATTACH_FILES", ReadHistory: "READ_MESSAGE_HISTORY",
	MentionEveryone: "MENTION_EVERYONE", ManageWebhooks: "MANAGE_WEBHOOKS", ManageChannels: "MANAGE_CHANNELS",
	ManageRoles: "MANAGE_ROLES", CreateThreads: "CREATE_PUBLIC_THREADS", SendInThreads: "SEND_MESSAGES_IN_THREADS",
	AddReactions: "ADD_REACTIONS", ManageThreads: "MANAGE_THREADS", UseCommands: "USE_APPLICATION_COMMANDS",
	Connect: "CONNECT", Speak: "SPEAK", MuteMembers: "MUTE_MEMBERS", MoveMembers: "MOVE_MEMBERS",
}

// String names the permissions the server knows.
func (p Permissions) String() string {
	var names []string
	for bit, name := range permissionNames {
		if p&bit != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}

// MarshalJSON writes p as Discord does, as a decimal number in a string.
func (p Permissions) MarshalJSON() ([]byte, error) {
	return json.Marshal(strconv.FormatUint(uint64(p), 10))
}

// UnmarshalJSON reads MarshalJSON's output, and a plain number.
func (p *Permissions) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(data), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	*p = Permissions(n)
	return nil
}

// base returns the permissions of a member's roles in the whole guild.
func (g *guild) base(m *Member) Permissions {
	if m.User.ID == g.OwnerID {
		return allPermissions
	}
	var p Permissions
	for _, r := range g.Roles {
		if r.ID == g.ID || slices.Contains(m.Roles, r.ID) {
			p |= r.Permissions
		}
	}
	if p&Administrator != 0 {
		return allPermissions
	}
	return p
}

// permissions returns a user's permissions in a channel; a thread has those of
// its parent. A user outside the guild has none, and in a direct conversation
// users have all.
func (s *Server) permissions(c *channel, userID string) Permissions {
	if c.GuildID == "" {
		return allPermissions &^ (ManageWebhooks | ManageChannels | ManageGuild)
	}
	g := s.guilds[c.GuildID]
	if g == nil || g.members[userID] == nil {
		return 0
	}
	if c.isThread() {
		if c = s.channels[c.ParentID]; c == nil {
			return 0
		}
	}
	m := g.members[userID]
	p := g.base(m)
	if p == allPermissions {
		return p
	}
	p = applyOverwrites(p, c.Overwrites, g.ID, m)
	if p&ViewChannel == 0 {
		return 0
	}
	return p
}

// applyOverwrites follows the documented order: @everyone, all roles together,
// the member.
func applyOverwrites(p Permissions, all []Overwrite, everyone string, m *Member) Permissions {
	var allow, deny Permissions
	for _, o := range all {
		if o.ID == everyone {
			p = p&^o.Deny | o.Allow
		} else if o.Type == overwriteRole && slices.Contains(m.Roles, o.ID) {
			allow, deny = allow|o.Allow, deny|o.Deny
		}
	}
	p = p&^deny | allow
	for _, o := range all {
		if o.Type == overwriteMember && o.ID == m.User.ID {
			p = p&^o.Deny | o.Allow
		}
	}
	return p
}
