package discordtest

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// channel returns the channel of a call if the bot has the rights there.
func (c *call) channel(need Permissions) (*channel, error) {
	ch := c.s.channels[c.id("channel")]
	if ch == nil {
		return nil, errUnknownChannel
	}
	return ch, c.s.allow(ch, need)
}

// allow returns an error if the bot lacks the rights in a channel.
func (s *Server) allow(ch *channel, need Permissions) error {
	p := s.permissions(ch, s.bot.ID)
	if g := s.guilds[ch.GuildID]; g != nil && !g.botIn || p&ViewChannel == 0 {
		return errMissingAccess
	}
	if ch.isThread() && need&SendMessages != 0 {
		need = need&^SendMessages | SendInThreads
	}
	if p&need != need {
		return errMissingPermissions
	}
	return nil
}

func (s *Server) messageRoutes(add func(string, route)) {
	add("GET /channels/{channel}/messages", s.listMessages)
	add("POST /channels/{channel}/messages", s.createMessage)
	add("GET /channels/{channel}/messages/{message}", func(c *call) (any, error) {
		m, _, err := c.message(ReadHistory)
		return m, err
	})
	add("PATCH /channels/{channel}/messages/{message}", func(c *call) (any, error) {
		m, ch, err := c.message(0)
		if err != nil {
			return nil, err
		}
		if m.Author.ID != s.bot.ID {
			return nil, errNotAuthor
		}
		return m, c.edit(m, ch)
	})
	add("DELETE /channels/{channel}/messages/{message}", func(c *call) (any, error) {
		m, ch, err := c.message(0)
		if err == nil && m.Author.ID != s.bot.ID {
			err = s.allow(ch, ManageMessages)
		}
		if err != nil {
			return nil, err
		}
		s.remove(ch, m)
		return nil, nil
	})
	add("PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", func(c *call) (any, error) {
		m, ch, err := c.message(ReadHistory | AddReactions)
		if err != nil {
			return nil, err
		}
		s.emit(ch.GuildID, IntentReactions, "MESSAGE_REACTION_ADD", map[string]any{
			"user_id": s.bot.ID, "channel_id": ch.ID, "message_id": m.ID, "guild_id": ch.GuildID,
			"emoji": map[string]any{"id": nil, "name": c.id("emoji")}, "type": 0,
		})
		return nil, nil
	})
}

// message returns the message of a call and its channel.
func (c *call) message(need Permissions) (*Message, *channel, error) {
	ch, err := c.channel(need)
	if err != nil {
		return nil, nil, err
	}
	if m := ch.find(c.id("message")); m != nil {
		return m, ch, nil
	}
	return nil, nil, errUnknownMessage
}

// find returns a message unless it is deleted.
func (c *channel) find(id string) *Message {
	for _, m := range slices.Backward(c.messages) {
		if m.ID == id && !m.Deleted {
			return m
		}
	}
	return nil
}

// listMessages returns the newest messages first, and none without the right to
// read the history.
func (s *Server) listMessages(c *call) (any, error) {
	ch, err := c.channel(0)
	if err != nil {
		return nil, err
	}
	all := []*Message{}
	if s.permissions(ch, s.bot.ID)&ReadHistory == 0 {
		return all, nil
	}
	q := c.r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		limit = 50
	}
	for _, m := range slices.Backward(ch.messages) {
		before := q.Get("before") == "" || later(q.Get("before"), m.ID)
		if !m.Deleted && before && later(m.ID, q.Get("after")) {
			all = append(all, m)
		}
	}
	if q.Get("after") != "" && len(all) > limit { // the oldest of those after, newest first
		return all[len(all)-limit:], nil
	}
	return all[:min(len(all), limit)], nil
}

func (s *Server) createMessage(c *call) (any, error) {
	ch, err := c.channel(SendMessages)
	if err != nil {
		return nil, err
	}
	if ch.Thread != nil && ch.Thread.Locked {
		return nil, bad(50083, "Thread is archived")
	}
	var body messageBody
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	need := Permissions(0)
	if body.Reference != nil {
		need |= ReadHistory
	}
	if len(c.files) > 0 {
		need |= AttachFiles
	}
	if body.Embeds != nil && len(*body.Embeds) > 0 {
		need |= EmbedLinks
	}
	if err := s.allow(ch, need); err != nil {
		return nil, err
	}
	if twin := ch.twinOf(&body); twin != nil {
		if twin.Deleted {
			return nil, errUnknownMessage
		}
		return twin, nil
	}
	m, err := s.compose(ch, s.bot, &body, c.files)
	if err != nil {
		return nil, err
	}
	s.post(ch, m)
	return m, nil
}

// nonceLife is how long the server remembers a nonce: a few minutes, as the
// documentation says.
const nonceLife = 3 * time.Minute

// twinOf returns the message of an earlier call with the same nonce, or nil.
func (c *channel) twinOf(b *messageBody) *Message {
	if !b.Enforce || len(b.Nonce) == 0 {
		return nil
	}
	for _, m := range slices.Backward(c.messages) {
		if time.Since(m.Timestamp) > nonceLife {
			return nil
		}
		if m.WebhookID == "" && bytes.Equal(m.Nonce, b.Nonce) {
			return m
		}
	}
	return nil
}

// compose creates a message from a client's body.
func (s *Server) compose(ch *channel, author *User, b *messageBody, files []upload) (*Message, error) {
	var f formError
	b.check(&f, "")
	if b.Reference != nil && b.Reference.MessageID != "" && ch.find(b.Reference.MessageID) == nil &&
		(b.Reference.FailIfNotExists == nil || *b.Reference.FailIfNotExists) {
		f.add("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	if b.empty(files) {
		return nil, errEmptyMessage
	}
	attachments, err := s.attach(ch.ID, b, files)
	if err != nil {
		return nil, err
	}
	m := s.blank(ch, author)
	m.Attachments, m.TTS, m.Nonce, m.AvatarURL = attachments, b.TTS, b.Nonce, b.AvatarURL
	b.apply(m)
	if b.Reference != nil && b.Reference.MessageID != "" {
		s.reply(m, ch, b.Reference.MessageID)
	}
	s.mention(ch, m, b.Allowed)
	return m, nil
}

// blank returns an empty message.
func (s *Server) blank(ch *channel, author *User) *Message {
	return &Message{
		ID: s.id(), ChannelID: ch.ID, Author: author, Timestamp: time.Now(), Mentions: []*User{}, MentionRoles: []string{},
		Attachments: []Attachment{}, Embeds: []Embed{}, Components: []Component{},
	}
}

// apply copies the body's fields into the message.
func (b *messageBody) apply(m *Message) {
	if b.Content != nil {
		m.Content = strings.TrimSpace(*b.Content)
	}
	if b.Embeds != nil {
		m.Embeds = append([]Embed{}, *b.Embeds...)
		for i := range m.Embeds {
			m.Embeds[i].Type = "rich"
		}
	}
	if b.Components != nil {
		m.Components = append([]Component{}, *b.Components...)
	}
	if b.Flags != nil {
		m.Flags = m.Flags&FlagEphemeral | *b.Flags&(FlagSuppressEmbeds|FlagEphemeral|flagSilent)
	}
}

// reply makes m a reply to another message of the channel.
func (s *Server) reply(m *Message, ch *channel, to string) {
	m.Type = messageReply
	m.Reference = &MessageReference{MessageID: to, ChannelID: ch.ID, GuildID: ch.GuildID}
	if other := ch.find(to); other != nil {
		quoted := *other
		quoted.Referenced = nil
		m.Referenced = &quoted
	}
}

// The forms of mentions in message text.
var (
	mentionUser = regexp.MustCompile(`<@!?(\d+)>`)
	mentionRole = regexp.MustCompile(`<@&(\d+)>`)
	mentionAll  = regexp.MustCompile(`@(everyone|here)\b`)
)

// mention determines the recipients of notifications. Without allowed_mentions
// every mentioned user gets one; an author without the permission never
// notifies everyone.
func (s *Server) mention(ch *channel, m *Message, a *allowedMentions) {
	allowed := func(kind, id string, listed []string) bool {
		return a == nil || slices.Contains(a.Parse, kind) || slices.Contains(listed, id)
	}
	if a == nil {
		a = &allowedMentions{Parse: []string{"users", "roles", "everyone"}, RepliedUser: true}
	}
	m.Mentions, m.MentionRoles = []*User{}, []string{}
	ping := func(u *User) {
		if u != nil && !slices.Contains(m.Mentions, u) {
			m.Mentions = append(m.Mentions, u)
		}
	}
	for _, found := range mentionUser.FindAllStringSubmatch(m.Content, -1) {
		if allowed("users", found[1], a.Users) {
			ping(s.users[found[1]])
		}
	}
	if m.Referenced != nil && a.RepliedUser && m.Referenced.WebhookID == "" {
		ping(s.users[m.Referenced.Author.ID])
	}
	for _, found := range mentionRole.FindAllStringSubmatch(m.Content, -1) {
		if allowed("roles", found[1], a.Roles) && !slices.Contains(m.MentionRoles, found[1]) {
			m.MentionRoles = append(m.MentionRoles, found[1])
		}
	}
	right := m.WebhookID != "" || s.permissions(ch, m.Author.ID)&MentionEveryone != 0
	m.MentionEveryone = right && allowed("everyone", "", nil) && mentionAll.MatchString(m.Content)
}

// edit changes a message by the body of the call.
func (c *call) edit(m *Message, ch *channel) error {
	var body messageBody
	if err := c.decode(&body); err != nil {
		return err
	}
	return c.s.change(m, ch, &body, c.files)
}
