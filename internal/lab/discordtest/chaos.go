package discordtest

import (
	"context"
	"fmt"
	"slices"
)

// Kick removes the bot from a guild.
func (s *Server) Kick(guildID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeBot(s.mustGuild(guildID))
}

// Outage makes a guild unavailable to the bot, or available again. REST calls
// still work, as they may at Discord.
func (s *Server) Outage(guildID string, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	g.down = down
	if down {
		s.emit(g.ID, IntentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID, "unavailable": true})
		return
	}
	s.announceGuild(g)
}

// DeleteChannel deletes a channel or thread.
func (s *Server) DeleteChannel(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeChannel(s.mustChannel(channelID))
}

// Deny revokes the bot's permissions in one channel. A bot that may no longer
// view the channel gets the event of that change, and no events of the channel
// after it.
func (s *Server) Deny(channelID string, p Permissions) { s.overwrite(channelID, p, 0) }

// Allow reverts Deny.
func (s *Server) Allow(channelID string, p Permissions) { s.overwrite(channelID, 0, p) }

func (s *Server) overwrite(channelID string, deny, back Permissions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	at := slices.IndexFunc(ch.Overwrites, func(o Overwrite) bool { return o.ID == s.bot.ID })
	if at < 0 {
		at = len(ch.Overwrites)
		ch.Overwrites = append(ch.Overwrites, Overwrite{ID: s.bot.ID, Type: overwriteMember})
	}
	o := &ch.Overwrites[at]
	o.Deny = (o.Deny | deny) &^ back
	s.emit(ch.GuildID, IntentGuilds, "CHANNEL_UPDATE", ch)
}

// SetBotPermissions sets the permissions of the bot's role in a guild. Those of
// @everyone remain.
func (s *Server) SetBotPermissions(guildID string, p Permissions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	for _, r := range g.Roles {
		if r.Managed {
			s.setRole(g, r, p)
		}
	}
}

// SetEveryonePermissions sets the permissions of @everyone in a guild.
func (s *Server) SetEveryonePermissions(guildID string, p Permissions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	s.setRole(g, g.Roles[0], p)
}

func (s *Server) setRole(g *guild, r *Role, p Permissions) {
	r.Permissions = p
	s.emit(g.ID, IntentGuilds, "GUILD_ROLE_UPDATE", map[string]any{"guild_id": g.ID, "role": r})
}

// DeleteWebhooks deletes the webhooks of a channel, as an administrator may.
func (s *Server) DeleteWebhooks(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.webhooks {
		if w.ChannelID == channelID {
			delete(s.webhooks, id)
			s.webhooksChanged(w)
		}
	}
}

// AllowIntents sets the privileged intents that the application may use, like
// the switches of the developer portal. Running sessions keep theirs.
func (s *Server) AllowIntents(allowed Intents) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.allowed = allowed
}

// InvalidateToken revokes the bot's token: connections close with 4004,
// sessions are deleted, REST calls get 401.
func (s *Server) InvalidateToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
	s.closeAll(CloseAuthenticationFailed, "Authentication failed.")
}

// DropConnections ends all gateway connections without a close frame. Sessions
// can be resumed.
func (s *Server) DropConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeAll(0, "")
}

// CloseConnections ends all gateway connections with a close code. Sessions can
// be resumed unless the code says otherwise.
func (s *Server) CloseConnections(code int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeAll(code, reason)
}

// closeAll ends connections, and deletes sessions if the code forbids a resume.
func (s *Server) closeAll(code int, reason string) {
	final := []int{1000, 1001, CloseAuthenticationFailed, CloseInvalidSequence, CloseSessionTimedOut, CloseInvalidShard,
		CloseShardingRequired, CloseInvalidVersion, CloseInvalidIntents, CloseDisallowedIntents}
	for _, c := range s.gateway.open {
		if c.session != nil && slices.Contains(final, code) {
			c.session.ended = true
		}
		c.leave(code, reason)
	}
	s.touch()
}

// RequestReconnect asks all clients to reconnect and resume.
func (s *Server) RequestReconnect() {
	s.toAll(func(c *conn) { c.send(opReconnect, nil) })
}

// RequestHeartbeat asks all clients for a heartbeat at once.
func (s *Server) RequestHeartbeat() {
	s.toAll(func(c *conn) { c.send(opHeartbeat, nil) })
}

// InvalidateSessions sends all clients an invalid session; sessions that are
// not resumable are deleted.
func (s *Server) InvalidateSessions(resumable bool) {
	s.toAll(func(c *conn) {
		if c.session != nil && !resumable {
			c.session.ended = true
		}
		c.send(opInvalidSession, resumable)
	})
}

// ExpireSessions deletes the sessions of disconnected clients, as time does.
func (s *Server) ExpireSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.gateway.sessions {
		x.ended = x.ended || x.conn == nil
	}
}

// SwallowHeartbeats leaves the next n heartbeats unanswered.
func (s *Server) SwallowHeartbeats(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.swallow = n
}

func (s *Server) toAll(do func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.gateway.open {
		do(c)
	}
	s.touch()
}

// Connections returns the records of the gateway connections so far, oldest
// first.
func (s *Server) Connections() []Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Connection, 0, len(s.gateway.records))
	for _, r := range s.gateway.records {
		all = append(all, *r)
	}
	return all
}

// AwaitConnections waits until match accepts the records of the connections.
func (s *Server) AwaitConnections(ctx context.Context, match func([]Connection) bool) error {
	err := s.await(ctx, "gateway connections", func() bool {
		all := make([]Connection, 0, len(s.gateway.records))
		for _, r := range s.gateway.records {
			all = append(all, *r)
		}
		return match(all)
	})
	if err != nil {
		return fmt.Errorf("%w; there were %d", err, len(s.Connections()))
	}
	return nil
}

// AwaitReady waits until n gateway connections are open and have a session.
func (s *Server) AwaitReady(ctx context.Context, n int) error {
	return s.AwaitConnections(ctx, func(all []Connection) bool {
		ready := 0
		for _, c := range all {
			if c.Open && c.Session != "" {
				ready++
			}
		}
		return ready >= n
	})
}
