package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
)

// voiceState lets the bot join, move to or leave a voice channel, or change its
// state there. Its result goes to Options.Voice.
func (c *conn) voiceState(d json.RawMessage) *VoiceJoin {
	var v struct {
		Guild   string  `json:"guild_id"`
		Channel *string `json:"channel_id"`
		Mute    bool    `json:"self_mute"`
		Deaf    bool    `json:"self_deaf"`
	}
	s := c.s
	if json.Unmarshal(d, &v) != nil || s.guilds[v.Guild] == nil {
		c.blame(CloseDecodeError, "voice state that does not decode")
		return nil
	}
	g := s.guilds[v.Guild]
	if v.Channel != nil && !s.mayEnter(g, s.bot.ID, *v.Channel) {
		return nil // Discord does not answer.
	}
	old := g.voice[s.bot.ID]
	state := s.moveVoice(g, s.bot.ID, v.Channel, c.session.id)
	state.SelfMute, state.SelfDeaf = v.Mute, v.Deaf
	if old != nil && v.Channel != nil && *old.ChannelID == *v.Channel && (old.SelfMute != v.Mute || old.SelfDeaf != v.Deaf) {
		s.emit(g.ID, IntentVoiceStates, "VOICE_STATE_UPDATE", state)
		return nil // The bot stays in its channel.
	}
	s.announceJoin(g, state)
	if v.Channel == nil {
		return nil
	}
	return &VoiceJoin{GuildID: g.ID, ChannelID: *v.Channel, UserID: s.bot.ID, SessionID: c.session.id}
}

// mayEnter reports whether a user may join a channel. A full channel admits
// users who may move members, and users already in it.
func (s *Server) mayEnter(g *guild, userID, channelID string) bool {
	ch := s.channels[channelID]
	if ch == nil || ch.GuildID != g.ID || ch.Type != channelVoice && ch.Type != channelStage {
		return false
	}
	rights := s.permissions(ch, userID)
	if rights&(ViewChannel|Connect) != ViewChannel|Connect {
		return false
	}
	if ch.UserLimit == 0 || rights&MoveMembers != 0 {
		return true
	}
	in := 0
	for id, v := range g.voice {
		if *v.ChannelID == channelID && id != userID {
			in++
		}
	}
	return in < ch.UserLimit
}

// moveVoice records a user's channel; nil means none. An empty session means
// that of the user's last state. Users who may not speak are suppressed; on a
// stage this applies to all who may not mute others.
func (s *Server) moveVoice(g *guild, userID string, channelID *string, session string) *voiceState {
	state := &voiceState{GuildID: g.ID, ChannelID: channelID, UserID: userID, Member: g.members[userID], SessionID: session}
	if old := g.voice[userID]; old != nil && session == "" {
		state.SessionID, state.SelfMute, state.SelfDeaf = old.SessionID, old.SelfMute, old.SelfDeaf
	}
	if channelID == nil {
		delete(g.voice, userID)
		return state
	}
	ch := s.channels[*channelID]
	need := Speak
	if ch.Type == channelStage {
		need = MuteMembers
	}
	state.Suppress = s.permissions(ch, userID)&need == 0
	g.voice[userID] = state
	return state
}

// AnnounceVoice sends the bot the address of a guild's voice gateway, also when
// it changes. An empty endpoint means none yet: another announcement follows.
func (s *Server) AnnounceVoice(guildID string, v VoiceServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announceVoice(guildID, v)
}

func (s *Server) announceVoice(guildID string, v VoiceServer) {
	var endpoint *string
	if v.Endpoint != "" {
		endpoint = &v.Endpoint
	}
	s.emit(guildID, 0, "VOICE_SERVER_UPDATE", map[string]any{"token": v.Token, "guild_id": guildID, "endpoint": endpoint})
}

// MoveVoice moves a user into a voice channel of the guild, or out of it if the
// channel is empty. For the bot, or a peer of VoicePeer, it acts like a
// moderator.
func (s *Server) MoveVoice(guildID, userID, channelID string) {
	s.mu.Lock()
	g := s.mustGuild(guildID)
	s.mustMember(g, userID)
	var to *string
	if channelID != "" {
		to = &s.mustChannel(channelID).ID
	}
	session := ""
	if g.voice[userID] == nil {
		session = s.secret("voice")
	}
	state := s.moveVoice(g, userID, to, session)
	told := s.announceJoin(g, state)
	peer := s.voice.peers[userID]
	s.mu.Unlock()
	if peer != nil {
		tell(peer, state, told)
	}
}

// oneOrMore is a snowflake, or a list as older clients send it.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = []string{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// requestMembers answers with chunks of at most 1,000 members. All of them need
// the intent for members.
func (c *conn) requestMembers(d json.RawMessage) {
	var q struct {
		Guild oneOrMore  `json:"guild_id"`
		Query *string    `json:"query"`
		Users *oneOrMore `json:"user_ids"`
		Limit int        `json:"limit"`
		Nonce string     `json:"nonce"`
	}
	if err := json.Unmarshal(d, &q); err != nil || len(q.Guild) == 0 || q.Query == nil && q.Users == nil {
		c.blame(CloseDecodeError, "request for members that does not decode")
		return
	}
	for _, id := range q.Guild {
		g := c.s.guilds[id]
		if g == nil || !g.botIn {
			continue
		}
		if q.Query != nil && *q.Query == "" && q.Limit == 0 && c.session.intents&IntentGuildMembers == 0 {
			c.s.fault("gateway: all members of a guild without the intent for members")
			continue
		}
		members := sortedMembers(g, func(m *Member) bool {
			if q.Users != nil {
				return slices.Contains(*q.Users, m.User.ID)
			}
			return strings.HasPrefix(m.User.Username, strings.ToLower(*q.Query))
		})
		if q.Limit > 0 && len(members) > q.Limit {
			members = members[:q.Limit]
		}
		chunks := max(1, (len(members)+999)/1000)
		for i := range chunks {
			c.session.push("GUILD_MEMBERS_CHUNK", mustJSON(map[string]any{
				"guild_id": g.ID, "members": members[i*1000 : min(len(members), (i+1)*1000)], "chunk_index": i,
				"chunk_count": chunks, "nonce": q.Nonce,
			}))
		}
	}
}
