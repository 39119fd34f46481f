package discordtest

import (
	"slices"
	"time"
)

// post adds a message to its channel and notifies the sessions.
func (s *Server) post(ch *channel, m *Message) {
	if len(ch.messages) == maxMessages {
		ch.messages = ch.messages[1:]
	}
	ch.messages = append(ch.messages, m)
	ch.LastMessageID = &m.ID
	ch.MessageCount++
	s.emitMessage("MESSAGE_CREATE", ch, m)
}

// change edits a message and notifies the sessions.
func (s *Server) change(m *Message, ch *channel, b *messageBody, files []upload) error {
	var f formError
	b.check(&f, "")
	if err := f.err(); err != nil {
		return err
	}
	attachments, err := s.attach(ch.ID, b, files)
	if err != nil {
		return err
	}
	next := *m
	b.apply(&next)
	if b.Attachments != nil { // Attachments that are not listed are removed.
		next.Attachments = slices.DeleteFunc(slices.Clone(m.Attachments), func(a Attachment) bool {
			return !slices.ContainsFunc(*b.Attachments, func(k attachmentRef) bool { return k.is(a.ID) })
		})
	}
	next.Attachments = append(next.Attachments, attachments...)
	if next.Content == "" && len(next.Embeds) == 0 && len(next.Attachments) == 0 && len(next.Components) == 0 {
		return errEmptyMessage
	}
	if !m.Loading() {
		now := time.Now()
		next.Versions, next.EditedTimestamp = append(next.Versions, m.Content), &now
	}
	next.Flags &^= FlagLoading
	s.mention(ch, &next, b.Allowed)
	*m = next
	s.emitMessage("MESSAGE_UPDATE", ch, m)
	return nil
}

// remove deletes a message, but keeps it in the list.
func (s *Server) remove(ch *channel, m *Message) {
	m.Deleted = true
	if m.Ephemeral() || s.permissions(ch, s.bot.ID)&ViewChannel == 0 {
		s.touch()
		return
	}
	d := map[string]any{"id": m.ID, "channel_id": ch.ID}
	if ch.GuildID != "" {
		d["guild_id"] = ch.GuildID
	}
	s.emit(ch.GuildID, messagesIntent(ch), "MESSAGE_DELETE", d)
}

func messagesIntent(ch *channel) Intents {
	if ch.GuildID == "" {
		return IntentDirectMessages
	}
	return IntentGuildMessages
}

// messageEvent is a message in the gateway's format.
type messageEvent struct {
	Message
	GuildID     string  `json:"guild_id,omitempty"`
	Member      *Member `json:"member,omitempty"`
	ChannelType int     `json:"channel_type"`
}

// emitMessage sends a message to the sessions. Without the content intent its
// content is empty, unless the bot wrote it, it is direct, or it mentions the
// bot.
func (s *Server) emitMessage(name string, ch *channel, m *Message) {
	defer s.touch()
	if m.Ephemeral() || s.permissions(ch, s.bot.ID)&ViewChannel == 0 {
		return
	}
	g := s.guilds[ch.GuildID]
	if g != nil && (!g.botIn || g.down) {
		return
	}
	e := messageEvent{Message: *m, GuildID: ch.GuildID, ChannelType: ch.Type}
	if g != nil && m.WebhookID == "" && g.members[m.Author.ID] != nil {
		member := *g.members[m.Author.ID]
		member.User = nil
		e.Member = &member
	}
	full := mustJSON(e)
	e.Content, e.Embeds, e.Attachments, e.Components = "", []Embed{}, []Attachment{}, []Component{}
	if e.Referenced != nil {
		quoted := *e.Referenced
		quoted.Content, quoted.Embeds, quoted.Attachments, quoted.Components = "", []Embed{}, []Attachment{}, []Component{}
		e.Referenced = &quoted
	}
	empty := mustJSON(e)
	named := slices.ContainsFunc(m.Mentions, func(u *User) bool { return u.ID == s.bot.ID })
	for _, x := range s.gateway.sessions {
		if !x.wants(ch.GuildID, messagesIntent(ch)) {
			continue
		}
		own := m.Author.ID == s.bot.ID || m.ApplicationID == s.app.ID
		if own || named || ch.GuildID == "" || x.intents&IntentMessageContent != 0 {
			x.push(name, full)
		} else {
			x.push(name, empty)
		}
	}
}

// typed records a typing indicator.
func (s *Server) typed(ch *channel, userID string) {
	if len(ch.typing) < maxMessages {
		ch.typing = append(ch.typing, Typing{userID, time.Now()})
	}
	need := IntentGuildTyping
	d := map[string]any{"channel_id": ch.ID, "user_id": userID, "timestamp": time.Now().Unix()}
	if g := s.guilds[ch.GuildID]; g != nil {
		d["guild_id"], d["member"] = g.ID, g.members[userID]
	} else {
		need = IntentDirectTyping
	}
	s.emit(ch.GuildID, need, "TYPING_START", d)
}

// removeChannel deletes a channel with its threads and webhooks.
func (s *Server) removeChannel(ch *channel) {
	name := "CHANNEL_DELETE"
	if ch.isThread() {
		name = "THREAD_DELETE"
	}
	for _, c := range s.channelsOf(ch.GuildID) {
		if c.ParentID == ch.ID && c.isThread() {
			delete(s.channels, c.ID)
		}
	}
	for id, w := range s.webhooks {
		if w.ChannelID == ch.ID {
			delete(s.webhooks, id)
		}
	}
	delete(s.channels, ch.ID)
	s.emit(ch.GuildID, IntentGuilds, name, ch)
}

// removeBot removes the bot from a guild.
func (s *Server) removeBot(g *guild) {
	g.botIn = false
	delete(g.members, s.bot.ID)
	for id, w := range s.webhooks {
		if w.GuildID == g.ID && w.ApplicationID == s.app.ID {
			delete(s.webhooks, id)
		}
	}
	s.emit(g.ID, IntentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
}
