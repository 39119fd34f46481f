package discord

import (
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// occupant is somebody in a voice channel.
type occupant struct {
	user, channel string
	name          string // in the guild; empty if nothing is known of the member
	bot           bool
	mute          bool             // by themselves or by a moderator
	roles         []string         // as the member had them when Discord last told
	state         *discordgo.State // of the guild; nil if nothing is known of the member
	dm            bool             // by these roles
	told          time.Time        // when Discord last told the roles
}

// leads reports whether the occupant has a DM's rights. They end if Discord has not told the
// roles again for leadsStale, such as while it cannot be asked.
func (o occupant) leads() bool { return o.dm && time.Since(o.told) < leadsStale }

// voiceStates are who is in the voice channels of the bot's guilds, as the main
// gateway tells it, and who is to be told of a change. It is safe for concurrent use.
type voiceStates struct {
	mu    sync.Mutex // guards the fields below
	in    map[string]map[string]occupant
	rooms map[string]*voiceRoom // by guild
	self  string                // the bot's user id, once it has signed in
}

func newVoiceStates() *voiceStates {
	return &voiceStates{in: map[string]map[string]occupant{}, rooms: map[string]*voiceRoom{}}
}

// setSelf learns who the bot is.
func (v *voiceStates) setSelf(user string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.self = user
}

// selfID is the bot's user id.
func (v *voiceStates) selfID() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.self
}

// occupants are those in a channel of a guild.
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

// channelOf is the voice channel that a user is in; empty if none.
func (v *voiceStates) channelOf(guild, user string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[guild][user].channel
}

// leads reports whether a user in voice has a DM's rights.
func (v *voiceStates) leads(guild, user string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in[guild][user].leads()
}

// setRoom says who is told of a guild's voice; nil is nobody.
func (v *voiceStates) setRoom(guild string, r *voiceRoom) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r == nil {
		delete(v.rooms, guild)
		return
	}
	v.rooms[guild] = r
}

// roomOf is who is told of a guild's voice, nil if nobody.
func (v *voiceStates) roomOf(guild string) *voiceRoom {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.rooms[guild]
}

// allRooms are all who are told.
func (v *voiceStates) allRooms() (all []*voiceRoom) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.rooms {
		all = append(all, r)
	}
	return all
}

// moveUser takes in where a user is.
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
	if o.name == "" { // it is known from before
		was := v.in[guild][o.user]
		o.name, o.bot, o.roles, o.state, o.dm, o.told = was.name, was.bot, was.roles, was.state, was.dm, was.told
	}
	v.in[guild][o.user] = o
}

// judgeUsers notes again who of those in a guild's voice channels has a DM's rights, with
// the roles that a user has now; an empty user is nobody, for the roles have changed.
func (v *voiceStates) judgeUsers(dms dmRoles, guild, user string, roles []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, o := range v.in[guild] {
		if id == user {
			o.roles, o.told = roles, time.Now()
		}
		if o.state != nil && (user == "" || id == user) {
			o.dm = dms.memberIsDM(o.state, guild, id, o.roles)
			v.in[guild][id] = o
		}
	}
}

// clearGuild forgets who is in a guild's voice channels.
func (v *voiceStates) clearGuild(guild string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.in, guild)
}

// occupantOf is what a voice state tells of a user; the member may be nil.
func (b *Bot) occupantOf(s *discordgo.Session, guild string, st *discordgo.VoiceState, m *discordgo.Member) occupant {
	o := occupant{user: st.UserID, channel: st.ChannelID, mute: st.Mute || st.SelfMute || st.Deaf || st.SelfDeaf}
	if m != nil && m.User != nil {
		o.name, o.bot, o.roles, o.state, o.told = memberName(m.Nick, m.User), m.User.Bot, m.Roles, s.State, time.Now()
		o.dm = dmRoles(b.cfg.DMRoles).memberIsDM(s.State, guild, st.UserID, m.Roles)
	}
	return o
}

// onVoiceState takes in that somebody came, went, or was muted.
func (b *Bot) onVoiceState(s *discordgo.Session, e *discordgo.VoiceStateUpdate) {
	b.voiceStates.moveUser(e.GuildID, b.occupantOf(s, e.GuildID, e.VoiceState, e.Member))
	r := b.voiceStates.roomOf(e.GuildID)
	if r == nil {
		return
	}
	if e.UserID == b.voiceStates.selfID() {
		r.conn.UpdateState(voice.State{Channel: e.ChannelID, Session: e.SessionID})
	}
	r.wake()
}

// onVoiceServer takes in where a guild's voice gateway is.
func (b *Bot) onVoiceServer(_ *discordgo.Session, e *discordgo.VoiceServerUpdate) {
	if r := b.voiceStates.roomOf(e.GuildID); r != nil {
		r.conn.UpdateServer(voice.Server{Token: e.Token, Endpoint: e.Endpoint})
	}
}

// onGuildVoice takes in who is in the voice channels of a guild that the bot sees.
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
		r.wake()
	}
}

// noteRoles takes in the roles of a member of whom Discord tells anyway: with a message, an
// interaction, or because the bot asked. It tells of a change by itself only to bots that
// may see all members.
func (b *Bot) noteRoles(guild, user string, m *discordgo.Member) {
	if m != nil && guild != "" {
		b.voiceStates.judgeUsers(b.cfg.DMRoles, guild, user, m.Roles)
	}
}

// noteRolesChanged takes in that the roles of a guild are others, or mean something else.
func (b *Bot) noteRolesChanged(guild string) {
	b.voiceStates.judgeUsers(b.cfg.DMRoles, guild, "", nil)
}

// memberIsDM reports whether a member with these roles has a DM's role, or, where none is
// configured, the right to manage the server. Roles that are no more count for nothing.
func (d dmRoles) memberIsDM(state *discordgo.State, guild, user string, roles []string) bool {
	g, err := state.Guild(guild)
	if err != nil {
		return false
	}
	state.RLock() // the gateway changes what g holds
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
