package discordtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// voice is the main gateway's state about voice servers, guarded by Server.mu.
type voice struct {
	regions     map[string]*voicetest.Server // by guild; the default under ""
	serverFirst bool
	peers       map[string]*voicetest.Peer // by user
}

// StartVoice gives all guilds a voice server, which is closed when the test
// ends: users who join a voice channel get its address and can be heard there.
// Clients trust it through voicetest.Server.CAFile or TLS.
func (s *Server) StartVoice(t testing.TB, o *voicetest.Options) *voicetest.Server {
	t.Helper()
	region := voicetest.New(t, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.voice.regions = map[string]*voicetest.Server{"": region}
	s.voice.peers = map[string]*voicetest.Peer{}
	return region
}

// ServerFirst sets whether VOICE_SERVER_UPDATE comes before its
// VOICE_STATE_UPDATE. Discord sends them in either order.
func (s *Server) ServerFirst(first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.voice.serverFirst = first
}

// region returns the voice server of a guild, or nil without StartVoice.
func (v *voice) region(guildID string) *voicetest.Server {
	if r := v.regions[guildID]; r != nil {
		return r
	}
	return v.regions[""]
}

// announceJoin sends a voice state to all sessions, the voice server to the
// state's user, and also to the bot if the state is the bot's. It returns the
// message for the user.
func (s *Server) announceJoin(g *guild, state *voiceState) voicetest.Address {
	region := s.voice.region(g.ID)
	var at voicetest.Address
	if region != nil {
		if state.ChannelID == nil {
			region.Expel(g.ID, state.UserID)
		} else {
			at = region.Admit(s.joinOf(state))
		}
	}
	server := func() {
		if state.UserID == s.bot.ID && at.Endpoint != "" {
			s.announceVoice(g.ID, VoiceServer(at))
		}
	}
	if s.voice.serverFirst {
		server()
	}
	s.emit(g.ID, IntentVoiceStates, "VOICE_STATE_UPDATE", state)
	if !s.voice.serverFirst {
		server()
	}
	return at
}

// loseVoice removes the bot from voice channels that it joined in sessions it
// cannot resume: its voice connections end with 4014.
func (s *Server) loseVoice() {
	for _, g := range s.guilds {
		state := g.voice[s.bot.ID]
		if state == nil || slices.ContainsFunc(s.gateway.sessions, func(x *session) bool { return x.id == state.SessionID && !x.ended }) {
			continue
		}
		s.announceJoin(g, s.moveVoice(g, s.bot.ID, nil, ""))
	}
}

func (s *Server) joinOf(state *voiceState) voicetest.Join {
	ch := s.channels[*state.ChannelID]
	return voicetest.Join{
		Guild: ch.GuildID, Channel: ch.ID, User: state.UserID, Session: state.SessionID,
		Stage: ch.Type == channelStage, Muted: state.Suppress || state.Mute,
	}
}

// tell notifies a peer of its state.
func tell(p *voicetest.Peer, state *voiceState, at voicetest.Address) {
	channel := ""
	if state.ChannelID != nil {
		channel = *state.ChannelID
	}
	p.UpdateState(state.SessionID, channel)
	if at.Endpoint != "" {
		p.UpdateServer(at)
	}
}

// VoicePeer returns a member of a guild who can join its voice channels,
// visible to the bot. It needs StartVoice.
func (s *Server) VoicePeer(ps *voicetest.Peers, guildID, userID string) *voicetest.Peer {
	p := ps.Add(guildID, userID, &voicetest.PeerOptions{Gateway: func(user, channel string) (string, voicetest.Address, bool) {
		return s.answerPeer(guildID, user, channel)
	}})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustMember(s.mustGuild(guildID), userID)
	s.voice.peers[userID] = p
	return p
}

// answerPeer is the main gateway of a peer.
func (s *Server) answerPeer(guildID, userID, channelID string) (string, voicetest.Address, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	if channelID == "" {
		if g.voice[userID] != nil {
			s.announceJoin(g, s.moveVoice(g, userID, nil, ""))
		}
		return "", voicetest.Address{}, false
	}
	if !s.mayEnter(g, userID, channelID) {
		return "", voicetest.Address{}, false
	}
	state := s.moveVoice(g, userID, &channelID, s.secret("voice"))
	return state.SessionID, s.announceJoin(g, state), true
}

// MoveRegion gives a guild another voice server. Users in voice channels are
// disconnected from the old one, get an empty endpoint, and then the new one.
func (s *Server) MoveRegion(guildID string, to *voicetest.Server) {
	type move struct {
		peer  *voicetest.Peer
		state *voiceState
		at    voicetest.Address
	}
	var moves []move
	s.mu.Lock()
	g := s.mustGuild(guildID)
	from := s.voice.region(guildID)
	s.voice.regions[guildID] = to
	for _, state := range g.voice {
		from.Expel(guildID, state.UserID)
		at := to.Admit(s.joinOf(state))
		if state.UserID == s.bot.ID {
			s.announceVoice(guildID, VoiceServer{})
			s.announceVoice(guildID, VoiceServer(at))
		} else if peer := s.voice.peers[state.UserID]; peer != nil {
			moves = append(moves, move{peer, state, at})
		}
	}
	s.mu.Unlock()
	for _, m := range moves {
		tell(m.peer, m.state, m.at)
	}
}

// MuteVoice mutes or unmutes a user for all of a guild, as a moderator does.
func (s *Server) MuteVoice(guildID, userID string, mute bool) {
	s.changeVoice(guildID, userID, func(v *voiceState) { v.Mute = mute })
}

// Deafen deafens or undeafens a user for all of a guild.
func (s *Server) Deafen(guildID, userID string, deaf bool) {
	s.changeVoice(guildID, userID, func(v *voiceState) { v.Deaf = deaf })
}

// MuteSelf sets the mute and deaf states of a user's own client.
func (s *Server) MuteSelf(guildID, userID string, mute, deaf bool) {
	s.changeVoice(guildID, userID, func(v *voiceState) { v.SelfMute, v.SelfDeaf = mute, deaf })
}

func (s *Server) changeVoice(guildID, userID string, change func(*voiceState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	old := g.voice[userID]
	if old == nil {
		panic(fmt.Sprintf("discordtest: user %q is in no voice channel", userID))
	}
	state := *old
	change(&state)
	g.voice[userID] = &state
	if region := s.voice.region(guildID); region != nil {
		region.Mute(guildID, userID, state.Mute || state.Suppress)
	}
	s.emit(g.ID, IntentVoiceStates, "VOICE_STATE_UPDATE", &state)
}

// SetUserLimit bounds the users in a voice channel; 0 means no limit.
func (s *Server) SetUserLimit(channelID string, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	ch.UserLimit = limit
	s.emit(ch.GuildID, IntentGuilds, "CHANNEL_UPDATE", ch)
}

// AddStage creates a stage channel and returns its id.
func (s *Server) AddStage(guildID, name string) string {
	return s.addChannel(guildID, name, channelStage)
}
