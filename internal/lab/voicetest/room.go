package voicetest

import (
	"maps"
	"slices"
)

// A Join is the main gateway's data about a user who joins a channel.
type Join struct {
	Guild, Channel, User string
	// Session is the session of the user's voice state.
	Session string
	// Stage says that the channel has no end-to-end encryption.
	Stage bool
	// Muted says that the user may not speak and none of the user's sound is
	// forwarded.
	Muted bool
}

// An Address is the content of VOICE_SERVER_UPDATE.
type Address struct {
	Token    string
	Endpoint string // host and port
}

// admission is a Join and its token.
type admission struct {
	Join
	token string
}

// room is one voice channel with participants, guarded by Server.mu.
type room struct {
	s              *Server
	guild, channel string
	members        map[string]*participant // by user, when they are described
	order          []*participant          // the members, by user id
	group          group
	wire           Wire
}

// Admit admits a user and returns the address to connect to. If the user is in
// another channel of the guild, that connection is closed with 4014, as Discord
// does on a move; earlier tokens become invalid.
func (s *Server) Admit(j Join) Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoke(j.Guild, j.User, func(p *participant) bool { return p.room.channel != j.Channel })
	a := &admission{Join: j, token: secret("token")}
	s.admissions[a.token] = a
	return Address{Token: a.token, Endpoint: s.Endpoint()}
}

// Expel revokes a user's admission and closes the connection with 4014, as when
// a moderator disconnects a user or the main gateway's session is lost.
func (s *Server) Expel(guild, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoke(guild, user, func(*participant) bool { return true })
}

// revoke invalidates a user's tokens and disconnects the sessions that gone
// accepts.
func (s *Server) revoke(guild, user string, gone func(*participant) bool) {
	maps.DeleteFunc(s.admissions, func(_ string, a *admission) bool { return a.Guild == guild && a.User == user })
	for _, p := range s.ssrcs {
		if p.room.guild == guild && p.user == user && gone(p) {
			p.end(CloseDisconnected, "Disconnected.")
		}
	}
}

// roomOf returns the channel's room, creating it for the first participant.
func (s *Server) roomOf(a *admission) *room {
	key := a.Guild + "/" + a.Channel
	if s.rooms[key] == nil {
		r := &room{s: s, guild: a.Guild, channel: a.Channel, members: map[string]*participant{}}
		r.group = r.newGroup(a.Stage)
		s.rooms[key] = r
	}
	return s.rooms[key]
}

// others returns all members but one, by user id.
func (r *room) others(but *participant) []*participant {
	return slices.DeleteFunc(slices.Clone(r.order), func(p *participant) bool { return p == but })
}

// arrange sorts the members after a change.
func (r *room) arrange() {
	r.order = r.order[:0:0]
	for _, user := range slices.Sorted(maps.Keys(r.members)) {
		r.order = append(r.order, r.members[user])
	}
}

// enter adds a participant with keys to the room.
func (r *room) enter(p *participant) {
	r.members[p.user] = p
	r.arrange()
	others := r.others(p)
	ids := make([]string, 0, len(others))
	for _, o := range others {
		ids = append(ids, o.user)
	}
	if len(ids) > 0 {
		p.send(opClientsConnect, map[string]any{"user_ids": ids})
	}
	for _, o := range others {
		p.introduce(o)
		o.send(opClientsConnect, map[string]any{"user_ids": []string{p.user}})
		o.introduce(p)
		if o.spoke {
			p.send(opSpeaking, map[string]any{"user_id": o.user, "ssrc": o.outSSRC, "speaking": o.flags})
		}
	}
	r.group.enter(p)
	r.s.touch()
}

// introduce sends Discord's further messages about a client, which no client
// needs.
func (p *participant) introduce(o *participant) {
	p.send(opFlags, map[string]any{"user_id": o.user, "flags": 2})
	p.send(opPlatform, map[string]any{"user_id": o.user, "platform": 0})
}

// leave removes a participant from the room.
func (r *room) leave(p *participant) {
	if r.members[p.user] != p {
		return
	}
	delete(r.members, p.user)
	r.arrange()
	for _, o := range r.others(p) {
		o.send(opClientDisconnect, map[string]any{"user_id": p.user})
	}
	r.group.leave(p.user)
	r.s.touch()
}
