package discord

import (
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// occupant is a user in a voice channel.
type occupant struct {
	user, channel string
	name          string // in the guild; "" if the member is unknown
	bot           bool
	mute          bool             // self-muted or muted by a moderator
	roles         []string         // from the last event or response
	state         *discordgo.State // of the guild; nil if the member is unknown
	dm            bool             // whether the roles make a DM
	rolesReceived time.Time        // when the roles were received
}

// leads reports whether the occupant is a DM. It returns false if the roles are older than leadsStale, for
// example because Discord does not answer.
func (o occupant) leads() bool { return o.dm && time.Since(o.rolesReceived) < leadsStale }

// voiceStates tracks the occupants of voice channels in the bot's guilds from gateway events, and the rooms
// to notify of changes. It is safe for concurrent use.
type voiceStates struct {
	mu    sync.Mutex // guards the fields below
	in    map[string]map[string]occupant
	rooms map[string]*voiceRoom // by guild
	self  string                // the bot's user id, once it has signed in
}

func newVoiceStates() *voiceStates {
	return &voiceStates{in: map[string]map[string]occupant{}, rooms: map[string]*voiceRoom{}}
}

// setSelf sets the bot's user id.
func (v *voiceStates) setSelf(user string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.self = user
}

// selfID returns the bot's user id.
func (v *voiceStates) selfID() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.self
}

// occupants returns the occupants of a guild's channel.
func (v *voiceStates) occupants(guild, channel string) (all []occupant) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, o := range v.in[guild] {
		if o.channel == channel {
			all = append(all, o)
		}
	}
	return all
}

// channelOf returns the voice channel a user is in, or "".
func (v *voiceStates) channelOf(guild, user string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[guild][user].channel
}

// leads reports whether a user in voice is a DM.
func (v *voiceStates) leads(guild, user string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[guild][user].leads()
}

// setRoom sets the room of a guild; nil removes it.
func (v *voiceStates) setRoom(guild string, r *voiceRoom) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r == nil {
		delete(v.rooms, guild)
		return
	}
	v.rooms[guild] = r
}

// roomOf returns the room of a guild, or nil.
func (v *voiceStates) roomOf(guild string) *voiceRoom {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.rooms[guild]
}

// allRooms returns all rooms.
func (v *voiceStates) allRooms() (all []*voiceRoom) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.rooms {
		all = append(all, r)
	}
	return all
}

// moveUser records a user's voice state.
func (v *voiceStates) moveUser(guild string, o occupant) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if o.channel == "" {
		delete(v.in[guild], o.user)
		return
	}
	if v.in[guild] == nil {
		v.in[guild] = map[string]occupant{}
	}
	if o.name == "" { // keep the known details of the member
		was := v.in[guild][o.user]
		o.name, o.bot, o.roles, o.state, o.dm, o.rolesReceived = was.name, was.bot, was.roles, was.state, was.dm, was.rolesReceived
	}
	v.in[guild][o.user] = o
}

// judgeUsers determines again which occupants of a guild are DMs: the user, with these new roles, or all of
// them if user is "" because the guild's roles changed.
func (v *voiceStates) judgeUsers(dms dmRoles, guild, user string, roles []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, o := range v.in[guild] {
		if id == user {
			o.roles, o.rolesReceived = roles, time.Now()
		}
		if o.state != nil && (user == "" || id == user) {
			o.dm = dms.memberIsDM(o.state, guild, id, o.roles)
			v.in[guild][id] = o
		}
	}
}

// clearGuild removes the occupants of a guild.
func (v *voiceStates) clearGuild(guild string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.in, guild)
}

// occupantOf converts a voice state; m may be nil.
func (b *Bot) occupantOf(s *discordgo.Session, guild string, st *discordgo.VoiceState, m *discordgo.Member) occupant {
	o := occupant{user: st.UserID, channel: st.ChannelID, mute: st.Mute || st.SelfMute || st.Deaf || st.SelfDeaf}
	if m != nil && m.User != nil {
		o.name, o.bot, o.roles, o.state, o.rolesReceived = memberName(m.Nick, m.User), m.User.Bot, m.Roles, s.State, time.Now()
		o.dm = dmRoles(b.cfg.DMRoles).memberIsDM(s.State, guild, st.UserID, m.Roles)
	}
	return o
}

// onVoiceState handles a user's join, move, leave or mute.
func (b *Bot) onVoiceState(s *discordgo.Session, e *discordgo.VoiceStateUpdate) {
	b.voiceStates.moveUser(e.GuildID, b.occupantOf(s, e.GuildID, e.VoiceState, e.Member))
	r := b.voiceStates.roomOf(e.GuildID)
	if r == nil {
		return
	}
	if e.UserID == b.voiceStates.selfID() {
		r.conn.UpdateState(voice.State{Channel: e.ChannelID, Session: e.SessionID})
	}
	r.signalChanged()
}

// onVoiceServer handles the address of a guild's voice gateway.
func (b *Bot) onVoiceServer(_ *discordgo.Session, e *discordgo.VoiceServerUpdate) {
	if r := b.voiceStates.roomOf(e.GuildID); r != nil {
		r.conn.UpdateServer(voice.Server{Token: e.Token, Endpoint: e.Endpoint})
	}
}

// onGuildVoice records the occupants of a guild's voice channels.
func (b *Bot) onGuildVoice(s *discordgo.Session, e *discordgo.GuildCreate) {
	if e.Unavailable {
		return
	}
	members := map[string]*discordgo.Member{}
	for _, m := range e.Members {
		if m.User != nil {
			members[m.User.ID] = m
		}
	}
	b.voiceStates.clearGuild(e.ID)
	for _, st := range e.VoiceStates {
		b.voiceStates.moveUser(e.ID, b.occupantOf(s, e.ID, st, members[st.UserID]))
	}
	if r := b.voiceStates.roomOf(e.ID); r != nil {
		r.signalChanged()
	}
}

// recordRoles records the roles of a member from a message, an interaction or a request. Discord sends role
// changes only to bots with the members intent.
func (b *Bot) recordRoles(guild, user string, m *discordgo.Member) {
	if m != nil && guild != "" {
		b.voiceStates.judgeUsers(b.cfg.DMRoles, guild, user, m.Roles)
	}
}

// handleRolesChanged handles a change of a guild's roles.
func (b *Bot) handleRolesChanged(guild string) {
	b.voiceStates.judgeUsers(b.cfg.DMRoles, guild, "", nil)
}

// memberIsDM reports whether a member with these roles is a DM: through a DM role or, if none is configured,
// through the permission to manage the server. Deleted roles are ignored.
func (d dmRoles) memberIsDM(state *discordgo.State, guild, user string, roles []string) bool {
	g, err := state.Guild(guild)
	if err != nil {
		return false
	}
	state.RLock() // the gateway changes g's fields
	defer state.RUnlock()
	rights := int64(0)
	for _, r := range g.Roles {
		has := slices.Contains(roles, r.ID)
		if has && d.includes(*r) {
			return true
		}
		if has || r.ID == guild {
			rights |= r.Permissions
		}
	}
	return len(d) == 0 && (g.OwnerID == user || rights&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0)
}
