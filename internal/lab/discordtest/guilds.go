package discordtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// newUser creates an account; s.mu must be held unless s is not shared yet.
func (s *Server) newUser(name string) *User {
	display := name
	u := &User{
		ID: s.id(), Username: strings.ToLower(strings.ReplaceAll(name, " ", ".")), Discriminator: "0", GlobalName: &display,
	}
	s.users[u.ID] = u
	return u
}

// AddGuild creates a guild with an owner and the bot as a member, whose role
// has Options.Permissions, and returns its id. The guild has no channels yet.
func (s *Server) AddGuild(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := s.newUser("Owner of " + name)
	g := &guild{
		ID: s.guildID(), Name: name, OwnerID: owner.ID, Emojis: []any{}, Features: []any{}, PreferredLocale: "en-US",
		members: map[string]*Member{}, voice: map[string]*voiceState{},
	}
	s.guilds[g.ID] = g
	g.Roles = []*Role{
		{ID: g.ID, Name: "@everyone", Permissions: PermissionsOfEveryone},
		{ID: s.id(), Name: s.bot.Username, Permissions: s.opts.Permissions, Position: 1, Managed: true},
	}
	g.members[owner.ID] = &Member{User: owner, Roles: []string{}, JoinedAt: time.Now()}
	s.invite(g)
	return g.ID
}

// Invite adds the bot to a guild again after a kick.
func (s *Server) Invite(guildID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invite(s.mustGuild(guildID))
}

func (s *Server) invite(g *guild) {
	g.botIn, g.joinedAt = true, time.Now()
	g.members[s.bot.ID] = &Member{User: s.bot, Roles: []string{g.Roles[1].ID}, JoinedAt: g.joinedAt}
	s.announceGuild(g)
}

// announceGuild sends GUILD_CREATE to each session, filtered by its intents.
func (s *Server) announceGuild(g *guild) {
	for _, x := range s.gateway.sessions {
		if x.wants(g.ID, IntentGuilds) {
			x.push("GUILD_CREATE", mustJSON(s.guildCreate(g, x.intents)))
		}
	}
	s.touch()
}

// guildCreate is the guild as a session with these intents sees it. Without the
// members intent it lists only the bot and members in voice channels.
func (s *Server) guildCreate(g *guild, intents Intents) any {
	members, voice := []*Member{}, []*voiceState{}
	for _, m := range g.members {
		if v := g.voice[m.User.ID]; intents&IntentGuildMembers != 0 || m.User.ID == s.bot.ID || v != nil {
			members = append(members, m)
		}
	}
	for _, v := range g.voice {
		voice = append(voice, v)
	}
	slices.SortFunc(members, func(a, b *Member) int { return strings.Compare(a.User.ID, b.User.ID) })
	channels, threads := []*channel{}, []*channel{}
	for _, c := range s.channelsOf(g.ID) {
		if !c.isThread() {
			channels = append(channels, c)
		} else if s.permissions(c, s.bot.ID)&ViewChannel != 0 {
			threads = append(threads, c)
		}
	}
	return struct {
		*guild
		JoinedAt    time.Time     `json:"joined_at"`
		Large       bool          `json:"large"`
		Unavailable bool          `json:"unavailable"`
		MemberCount int           `json:"member_count"`
		VoiceStates []*voiceState `json:"voice_states"`
		Members     []*Member     `json:"members"`
		Channels    []*channel    `json:"channels"`
		Threads     []*channel    `json:"threads"`
		Presences   []any         `json:"presences"`
		Stages      []any         `json:"stage_instances"`
		Events      []any         `json:"guild_scheduled_events"`
	}{g, g.joinedAt, false, false, len(g.members), voice, members, channels, threads, []any{}, []any{}, []any{}}
}

// guildsOf returns the bot's guilds on a session's shard, by id.
func (s *Server) guildsOf(x *session) []*guild {
	var mine []*guild
	for _, g := range s.guilds {
		if g.botIn && shardOf(g.ID, x.shard[1]) == x.shard[0] {
			mine = append(mine, g)
		}
	}
	slices.SortFunc(mine, func(a, b *guild) int { return strings.Compare(a.ID, b.ID) })
	return mine
}

// channelsOf returns a guild's channels and threads by id.
func (s *Server) channelsOf(guildID string) []*channel {
	var all []*channel
	for _, c := range s.channels {
		if c.GuildID == guildID {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *channel) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// AddChannel creates a text channel and returns its id.
func (s *Server) AddChannel(guildID, name string) string {
	return s.addChannel(guildID, name, channelText)
}

// AddVoiceChannel creates a voice channel and returns its id.
func (s *Server) AddVoiceChannel(guildID, name string) string {
	return s.addChannel(guildID, name, channelVoice)
}

func (s *Server) addChannel(guildID, name string, kind int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	c := &channel{ID: s.id(), Type: kind, GuildID: g.ID, Name: name, Overwrites: []Overwrite{}}
	if kind == channelVoice || kind == channelStage {
		c.Bitrate = 64000
	}
	s.channels[c.ID] = c
	s.emit(g.ID, IntentGuilds, "CHANNEL_CREATE", c)
	return c.ID
}

// AddThread creates a public thread below a text channel and returns its id.
func (s *Server) AddThread(channelID, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	parent := s.mustChannel(channelID)
	return s.newThread(parent, s.id(), name, threadPublic, s.guilds[parent.GuildID].OwnerID).ID
}

func (s *Server) newThread(parent *channel, id, name string, kind int, owner string) *channel {
	c := &channel{
		ID: id, Type: kind, GuildID: parent.GuildID, Name: name, ParentID: parent.ID, OwnerID: owner, MemberCount: 1,
		Thread: &threadMetadata{AutoArchiveDuration: 1440, ArchiveTimestamp: time.Now()},
	}
	s.channels[c.ID] = c
	s.emit(parent.GuildID, IntentGuilds, "THREAD_CREATE", struct {
		*channel
		NewlyCreated bool `json:"newly_created"`
	}{c, true})
	return c
}

// AddDM opens a direct conversation of a user with the bot and returns its id.
func (s *Server) AddDM(userID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dm(s.mustUser(userID)).ID
}

// dm returns the only direct conversation with a user.
func (s *Server) dm(u *User) *channel {
	for _, c := range s.channels {
		if c.Type == channelDM && c.Recipients[0].ID == u.ID {
			return c
		}
	}
	c := &channel{ID: s.id(), Type: channelDM, Recipients: []*User{u}}
	s.channels[c.ID] = c
	return c
}

// AddRole creates a role and returns its id.
func (s *Server) AddRole(guildID, name string, p Permissions) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	r := &Role{ID: s.id(), Name: name, Permissions: p, Position: len(g.Roles), Mentionable: true}
	g.Roles = append(g.Roles, r)
	s.emit(g.ID, IntentGuilds, "GUILD_ROLE_CREATE", map[string]any{"guild_id": g.ID, "role": r})
	return r.ID
}

// AddMember creates a user who joins the guild with the roles, and returns the
// user's id. The name is the display name; the username is its lower case.
func (s *Server) AddMember(guildID, name string, roles ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.newUser(name)
	s.join(s.mustGuild(guildID), u, roles)
	return u.ID
}

// AddBot creates another bot that joins the guild, and returns its user id.
func (s *Server) AddBot(guildID, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.newUser(name)
	u.Bot = true
	s.join(s.mustGuild(guildID), u, nil)
	return u.ID
}

// Join adds an existing user to another guild.
func (s *Server) Join(guildID, userID string, roles ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.join(s.mustGuild(guildID), s.mustUser(userID), roles)
}

func (s *Server) join(g *guild, u *User, roles []string) {
	m := &Member{User: u, Roles: append([]string{}, roles...), JoinedAt: time.Now()}
	g.members[u.ID] = m
	s.emit(g.ID, IntentGuildMembers, "GUILD_MEMBER_ADD", memberEvent(g, m))
}

// SetNick sets a member's nickname in the guild; empty removes it.
func (s *Server) SetNick(guildID, userID, nick string) {
	s.changeMember(guildID, userID, func(m *Member) {
		m.Nick = &nick
		if nick == "" {
			m.Nick = nil
		}
	})
}

// SetRoles replaces a member's roles, also the bot's.
func (s *Server) SetRoles(guildID, userID string, roles ...string) {
	s.changeMember(guildID, userID, func(m *Member) { m.Roles = append([]string{}, roles...) })
}

// changeMember changes a member and notifies the sessions.
func (s *Server) changeMember(guildID, userID string, change func(*Member)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	m := s.mustMember(g, userID)
	change(m)
	need := IntentGuildMembers
	if userID == s.bot.ID {
		need = 0 // An application always gets events about itself.
	}
	s.emit(g.ID, need, "GUILD_MEMBER_UPDATE", memberEvent(g, m))
}

// Part lets a member leave the guild.
func (s *Server) Part(guildID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	m := s.mustMember(g, userID)
	delete(g.members, userID)
	s.emit(g.ID, IntentGuildMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": g.ID, "user": m.User})
}

func memberEvent(g *guild, m *Member) any {
	return struct {
		*Member
		GuildID string `json:"guild_id"`
	}{m, g.ID}
}

// The must functions look up what a test names. They panic on an unknown id,
// because the test is wrong then and a panic shows its line.
func (s *Server) mustGuild(id string) *guild {
	if g := s.guilds[id]; g != nil {
		return g
	}
	panic(fmt.Sprintf("discordtest: no guild %q", id))
}

func (s *Server) mustChannel(id string) *channel {
	if c := s.channels[id]; c != nil {
		return c
	}
	panic(fmt.Sprintf("discordtest: no channel %q", id))
}

func (s *Server) mustUser(id string) *User {
	if u := s.users[id]; u != nil {
		return u
	}
	panic(fmt.Sprintf("discordtest: no user %q", id))
}

func (s *Server) mustMember(g *guild, id string) *Member {
	if m := g.members[id]; m != nil {
		return m
	}
	panic(fmt.Sprintf("discordtest: user %q is not in guild %s", id, g.Name))
}
