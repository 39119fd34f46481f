package discordtest

import (
	"net/url"
	"slices"
	"strings"
)

// maxWebhooks bounds the webhooks of a channel.
const maxWebhooks = 15

type webhook struct {
	ID            string  `json:"id"`
	Type          int     `json:"type"`
	GuildID       string  `json:"guild_id"`
	ChannelID     string  `json:"channel_id"`
	User          *User   `json:"user,omitempty"`
	Name          string  `json:"name"`
	Avatar        *string `json:"avatar"`
	Token         string  `json:"token,omitempty"`
	ApplicationID string  `json:"application_id"`
}

func (s *Server) webhookRoutes(add func(string, route)) {
	add("GET /channels/{channel}/webhooks", func(c *call) (any, error) {
		ch, err := c.channel(ManageWebhooks)
		if err != nil {
			return nil, err
		}
		return s.webhooksWhere(func(w *webhook) bool { return w.ChannelID == ch.ID }), nil
	})
	add("POST /channels/{channel}/webhooks", s.createWebhook)
	byBot := func(f func(*call, *webhook) (any, error)) route {
		return func(c *call) (any, error) {
			w := s.webhooks[c.id("webhook")]
			if w == nil {
				return nil, errUnknownWebhook
			}
			if ch := s.channels[w.ChannelID]; w.ApplicationID != s.app.ID {
				if err := s.allow(ch, ManageWebhooks); err != nil {
					return nil, err
				}
			}
			return f(c, w)
		}
	}
	get := func(_ *call, w *webhook) (any, error) { return w, nil }
	drop := func(_ *call, w *webhook) (any, error) {
		delete(s.webhooks, w.ID)
		s.webhooksChanged(w)
		return nil, nil
	}
	add("GET /webhooks/{webhook}", byBot(get))
	add("PATCH /webhooks/{webhook}", byBot(s.modifyWebhook))
	add("DELETE /webhooks/{webhook}", byBot(drop))
	add("GET /webhooks/{webhook}/{token}", byToken(func(_ *call, w *webhook) (any, error) {
		public := *w
		public.User = nil
		return public, nil
	}))
	add("PATCH /webhooks/{webhook}/{token}", byToken(s.modifyWebhook))
	add("DELETE /webhooks/{webhook}/{token}", byToken(drop))
	s.hookedRoutes(add)
}

// byToken authorises a call by the webhook's token.
func byToken(f func(*call, *webhook) (any, error)) route {
	return func(c *call) (any, error) {
		w, err := c.webhook()
		if err != nil {
			return nil, err
		}
		return f(c, w)
	}
}

// hookedRoutes are the message routes of webhooks and of interaction answers.
func (s *Server) hookedRoutes(add func(string, route)) {
	// Followups to interactions use the application's own id and the
	// interaction's token.
	add("POST /webhooks/{webhook}/{token}", func(c *call) (any, error) {
		if c.id("webhook") == s.app.ID {
			return s.followUp(c)
		}
		return s.executeWebhook(c)
	})
	for method, act := range map[string]func(*call, *channel, *Message) (any, error){
		"GET":   func(_ *call, _ *channel, m *Message) (any, error) { return m, nil },
		"PATCH": func(c *call, ch *channel, m *Message) (any, error) { return m, c.edit(m, ch) },
		"DELETE": func(c *call, ch *channel, m *Message) (any, error) {
			s.remove(ch, m)
			return nil, nil
		},
	} {
		add(method+" /webhooks/{webhook}/{token}/messages/{message}", func(c *call) (any, error) {
			ch, m, err := c.hooked()
			if err != nil {
				return nil, err
			}
			return act(c, ch, m)
		})
	}
}

// webhook returns the webhook of a call if the token matches.
func (c *call) webhook() (*webhook, error) {
	w := c.s.webhooks[c.id("webhook")]
	switch {
	case w == nil:
		return nil, errUnknownWebhook
	case w.Token != c.id("token"):
		return nil, errWebhookToken
	}
	return w, nil
}

// hooked returns the message of a webhook or interaction in a call.
func (c *call) hooked() (*channel, *Message, error) {
	if c.id("webhook") == c.s.app.ID {
		return c.s.answered(c)
	}
	w, err := c.webhook()
	if err != nil {
		return nil, nil, err
	}
	ch := c.s.channels[w.ChannelID]
	if thread := c.r.URL.Query().Get("thread_id"); thread != "" {
		ch = c.s.channels[thread]
	}
	if ch == nil {
		return nil, nil, errUnknownChannel
	}
	if m := ch.find(c.id("message")); m != nil && m.WebhookID == w.ID {
		return ch, m, nil
	}
	return nil, nil, errUnknownMessage
}

func (s *Server) webhooksWhere(keep func(*webhook) bool) []*webhook {
	all := []*webhook{}
	for _, w := range s.webhooks {
		if keep(w) {
			shown := *w
			if w.ApplicationID != s.app.ID {
				shown.Token = "" // Tokens of other applications are not shown.
			}
			all = append(all, &shown)
		}
	}
	slices.SortFunc(all, func(a, b *webhook) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func (s *Server) webhooksChanged(w *webhook) {
	s.emit(w.GuildID, IntentGuildWebhooks, "WEBHOOKS_UPDATE", map[string]any{"guild_id": w.GuildID, "channel_id": w.ChannelID})
}

// checkName rejects webhook names that Discord rejects.
func (f *formError) checkName(at, name string) {
	f.length(at, name, 1, 80)
	for _, word := range []string{"clyde", "discord"} {
		if strings.Contains(strings.ToLower(name), word) {
			f.add(at, "USERNAME_INVALID_CONTAINS", "Username cannot contain %q", word)
		}
	}
}

type webhookBody struct {
	Name    *string `json:"name"`
	Avatar  *string `json:"avatar"`
	Channel *string `json:"channel_id"`
}

func (b *webhookBody) check() error {
	var f formError
	if b.Name != nil {
		f.checkName("name", *b.Name)
	}
	if b.Avatar != nil && *b.Avatar != "" && !strings.HasPrefix(*b.Avatar, "data:image/") {
		f.add("avatar", "IMAGE_INVALID", "Invalid image data")
	}
	return f.err()
}

func (s *Server) createWebhook(c *call) (any, error) {
	ch, err := c.channel(ManageWebhooks)
	if err != nil {
		return nil, err
	}
	if ch.isThread() || ch.GuildID == "" {
		return nil, errWrongChannelType
	}
	var body webhookBody
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if body.Name == nil {
		body.Name = new(string)
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	if len(s.webhooksWhere(func(w *webhook) bool { return w.ChannelID == ch.ID })) >= maxWebhooks {
		return nil, errTooManyWebhooks
	}
	w := &webhook{
		ID: s.id(), Type: 1, GuildID: ch.GuildID, ChannelID: ch.ID, User: s.bot, Name: *body.Name,
		Token: s.secret("webhook"), ApplicationID: s.app.ID,
	}
	s.webhooks[w.ID] = w
	s.webhooksChanged(w)
	return w, nil
}

func (s *Server) modifyWebhook(c *call, w *webhook) (any, error) {
	var body webhookBody
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	if body.Name != nil {
		w.Name = *body.Name
	}
	if body.Channel != nil && *body.Channel != "" {
		ch := s.channels[*body.Channel]
		if ch == nil || ch.GuildID != w.GuildID {
			return nil, errUnknownChannel
		}
		w.ChannelID = ch.ID
	}
	s.webhooksChanged(w)
	return w, nil
}

// executeWebhook posts a message as the webhook.
func (s *Server) executeWebhook(c *call) (any, error) {
	w, err := c.webhook()
	if err != nil {
		return nil, err
	}
	q := c.r.URL.Query()
	ch := s.channels[w.ChannelID]
	if id := q.Get("thread_id"); id != "" {
		thread := s.channels[id]
		if thread == nil || thread.ParentID != ch.ID {
			return nil, errUnknownChannel
		}
		thread.Thread.Archived = false
		ch = thread
	}
	var body messageBody
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	var f formError
	if body.Username != "" {
		f.checkName("username", body.Username)
	}
	if u, err := url.Parse(body.AvatarURL); body.AvatarURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https") {
		f.add("avatar_url", "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https').")
	}
	if body.ThreadName != "" {
		f.add("thread_name", "BASE_TYPE_INVALID", "Webhooks can only create threads in forum channels")
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	name := w.Name
	if body.Username != "" {
		name = body.Username
	}
	author := &User{ID: w.ID, Username: name, Discriminator: "0000", Avatar: w.Avatar, Bot: true}
	m, err := s.compose(ch, author, &body, c.files)
	if err != nil {
		return nil, err
	}
	m.Nonce = nil             // Discord omits it for webhooks.
	m.Flags &^= FlagEphemeral // Only answers to interactions can be private.
	m.WebhookID, m.ApplicationID = w.ID, w.ApplicationID
	s.mention(ch, m, body.Allowed)
	s.post(ch, m)
	if q.Get("wait") != "true" && q.Get("wait") != "1" {
		return nil, nil
	}
	return m, nil
}
