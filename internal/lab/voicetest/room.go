package voicetest

import (
	"maps"
	"slices"
)

// A Join is what the main gateway tells of somebody who comes into a channel.
type Join struct {
	Guild, Channel, User string
	// Session is that of the user's voice state.
	Session string
	// Stage is a channel without end-to-end encryption.
	Stage bool
	// Muted is who may not speak: of what the user says nothing is forwarded.
	Muted bool
}

// An Address is what VOICE_SERVER_UPDATE says of a voice server.
type Address struct {
	Token    string
	Endpoint string // host and port
}

// admission is a Join with the token that opens it.
type admission struct {
	Join
	token string
}

// room is one voice channel with somebody in it, guarded by Server.mu.
type room struct {
	s              *Server
	guild, channel string
	members        map[string]*participant // by user, once they are described
	order          []*participant          // the members, by their users' ids
	group          group
	wire           Wire
}

// Admit lets a user in and returns where to connect. Who is in another channel
// of the guild is closed there with 4014, as Discord does with who is moved; a
// token given before is void.
func (s *Server) Admit(j Join) Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoke(j.Guild, j.User, func(p *participant) bool { return p.room.channel != j.Channel })
	a := &admission{Join: j, token: secret("token")}
	s.admissions[a.token] = a
	return Address{Token: a.token, Endpoint: s.Endpoint()}
}

// Expel takes a user's admission away and closes the connection with 4014, as
// when a moderator disconnects somebody or the main gateway's session is lost.
func (s *Server) Expel(guild, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoke(guild, user, func(*participant) bool { return true })
}

// revoke voids a user's tokens and disconnects whom gone says.
func (s *Server) revoke(guild, user string, gone func(*participant) bool) {
	maps.DeleteFunc(s.admissions, func(_ string, a *admission) bool { return a.Guild == guild && a.User == user })
	for _, p := range s.ssrcs {
		if p.room.guild == guild && p.user == user && gone(p) {
			p.end(CloseDisconnected, "Disconnected.")
		}
	}
}

// roomOf returns the channel's room, which is made for the first who comes.
func (s *Server) roomOf(a *admission) *room {
	key := a.Guild + "/" + a.Channel
	if s.rooms[key] == nil {
		r := &room{s: s, guild: a.Guild, channel: a.Channel, members: map[string]*participant{}}
		r.group = r.newGroup(a.Stage)
		s.rooms[key] = r
	}
	return s.rooms[key]
}

// others returns the members besides one, in the order of their users' ids.
func (r *room) others(but *participant) []*participant {
	return slices.DeleteFunc(slices.Clone(r.order), func(p *participant) bool { return p == but })
}

// arrange puts the members in order, who have changed.
func (r *room) arrange() {
	r.order = r.order[:0:0]
	for _, user := range slices.Sorted(maps.Keys(r.members)) {
		r.order = append(r.order, r.members[user])
	}
}

// enter makes a participant who knows the keys one of the room.
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

// introduce sends what Discord says of a client besides, which nobody needs.
func (p *participant) introduce(o *participant) {
	p.send(opFlags, map[string]any{"user_id": o.user, "flags": 2})
	p.send(opPlatform, map[string]any{"user_id": o.user, "platform": 0})
}

// leave takes a participant out of the room.
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
