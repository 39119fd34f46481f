package discordtest

// React lets a user react to a message with an emoji.
func (s *Server) React(channelID, userID, messageID, emoji string) {
	s.react(channelID, userID, messageID, emoji, "MESSAGE_REACTION_ADD")
}

// Unreact removes a user's reaction.
func (s *Server) Unreact(channelID, userID, messageID, emoji string) {
	s.react(channelID, userID, messageID, emoji, "MESSAGE_REACTION_REMOVE")
}

func (s *Server) react(channelID, userID, messageID, emoji, event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.mustChannel(channelID), s.mustUser(userID)
	m := mustMessage(ch, messageID)
	d := map[string]any{
		"user_id": u.ID, "channel_id": ch.ID, "message_id": m.ID, "message_author_id": m.Author.ID,
		"emoji": map[string]any{"id": nil, "name": emoji}, "burst": false, "burst_colors": []string{}, "type": 0,
	}
	if g := s.guilds[ch.GuildID]; g != nil {
		d["guild_id"] = g.ID
		if event == "MESSAGE_REACTION_ADD" {
			d["member"] = s.mustMember(g, u.ID)
		}
	}
	s.emit(ch.GuildID, IntentReactions, event, d)
}
