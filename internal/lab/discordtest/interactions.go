package discordtest

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The types of interactions.
const (
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

// The types of answers to interactions.
const (
	CallbackMessage         = 4
	CallbackDeferredMessage = 5
	CallbackDeferredUpdate  = 6
	CallbackUpdate          = 7
	CallbackAutocomplete    = 8
	CallbackModal           = 9
)

const (
	// tokenLife is how long an interaction accepts followups.
	tokenLife  = 15 * time.Minute
	maxChoices = 25
)

type callbackData struct {
	messageBody
	Choices  []choice `json:"choices"`
	CustomID string   `json:"custom_id"`
	Title    string   `json:"title"`
}

func (s *Server) interactionRoutes(add func(string, route)) {
	add("POST /interactions/{interaction}/{token}/callback", s.callback)
}

// callback accepts the first answer to an interaction.
func (s *Server) callback(c *call) (any, error) {
	i := s.interactions[c.id("token")]
	switch {
	case i == nil || i.ID != c.id("interaction"):
		return nil, errUnknownInteraction
	case i.response != nil:
		return nil, errAcknowledged
	case time.Since(i.sent) > s.opts.InteractionDeadline:
		return nil, errUnknownInteraction
	}
	var body struct {
		Type int          `json:"type"`
		Data callbackData `json:"data"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := i.check(body.Type, &body.Data); err != nil {
		return nil, err
	}
	r := &Response{Type: body.Type, Latency: time.Since(i.sent)}
	if err := s.respond(i, r, &body.Data, c.files); err != nil {
		return nil, err
	}
	i.response = r
	if c.r.URL.Query().Get("with_response") != "true" {
		return nil, nil
	}
	about := map[string]any{"id": i.ID, "type": i.kind}
	answer := map[string]any{"interaction": about}
	if i.original != nil {
		about["response_message_id"], about["response_message_loading"] = i.original.ID, i.original.Loading()
		about["response_message_ephemeral"] = i.original.Ephemeral()
		answer["resource"] = map[string]any{"type": body.Type, "message": i.original}
	}
	return answer, nil
}

// check rejects answers that do not fit the kind of interaction.
func (i *Interaction) check(kind int, d *callbackData) error {
	var f formError
	fits := map[int][]int{
		interactionCommand:      {CallbackMessage, CallbackDeferredMessage, CallbackModal},
		interactionComponent:    {CallbackMessage, CallbackDeferredMessage, CallbackDeferredUpdate, CallbackUpdate, CallbackModal},
		interactionAutocomplete: {CallbackAutocomplete},
		interactionModal:        {CallbackMessage, CallbackDeferredMessage, CallbackDeferredUpdate, CallbackUpdate},
	}
	updates := kind == CallbackUpdate || kind == CallbackDeferredUpdate
	switch {
	case !slices.Contains(fits[i.kind], kind) || updates && i.source == nil:
		f.add("type", "INTERACTION_RESPONSE_TYPE_INVALID", "Response type %d does not fit interaction type %d", kind, i.kind)
	case kind == CallbackMessage || kind == CallbackUpdate:
		d.messageBody.check(&f, "data.")
	case kind == CallbackModal:
		checkModal(&f, d)
	case kind == CallbackAutocomplete:
		if len(d.Choices) > maxChoices {
			f.add("data.choices", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxChoices)
		}
		checkChoices(&f, "data.choices", d.Choices)
	}
	return f.err()
}

// respond carries out the answer.
func (s *Server) respond(i *Interaction, r *Response, d *callbackData, files []upload) error {
	switch r.Type {
	case CallbackMessage:
		m, err := s.compose(i.channel, s.bot, &d.messageBody, files)
		if err != nil {
			return err
		}
		s.publish(i, m, messageCommand)
		i.original = m
	case CallbackDeferredMessage:
		m := s.blank(i.channel, s.bot)
		m.Flags = FlagLoading
		if d.Flags != nil {
			m.Flags |= *d.Flags & FlagEphemeral
		}
		s.publish(i, m, messageCommand)
		i.original = m
	case CallbackDeferredUpdate:
		i.original = i.source
	case CallbackUpdate:
		i.original = i.source
		return s.change(i.source, i.channel, &d.messageBody, files)
	case CallbackAutocomplete:
		for _, ch := range d.Choices {
			r.Choices = append(r.Choices, Choice{ch.Name, ch.Value})
		}
	case CallbackModal:
		r.Modal = &Modal{CustomID: d.CustomID, Title: d.Title, Components: *d.Components}
	}
	return nil
}

// publish makes a message the application's answer. Private answers are not in
// the channel.
func (s *Server) publish(i *Interaction, m *Message, kind int) {
	m.WebhookID, m.ApplicationID, m.Type = s.app.ID, s.app.ID, kind
	m.Interaction = map[string]any{"id": i.ID, "type": i.kind, "user": i.user, "authorizing_integration_owners": map[string]any{}}
	if m.Ephemeral() {
		s.touch()
		return
	}
	s.post(i.channel, m)
}

// interaction returns the interaction with the call's token.
func (c *call) interaction() (*Interaction, error) {
	i := c.s.interactions[c.id("token")]
	switch {
	case i == nil || i.response == nil:
		return nil, errUnknownWebhook
	case time.Since(i.sent) > tokenLife:
		return nil, errWebhookToken
	}
	return i, nil
}

// answered returns the answer of the call's interaction.
func (s *Server) answered(c *call) (*channel, *Message, error) {
	i, err := c.interaction()
	if err != nil {
		return nil, nil, err
	}
	id := c.id("message")
	if m := i.original; id == "@original" && m != nil && !m.Deleted {
		return i.channel, m, nil
	}
	for _, m := range i.followups {
		if m.ID == id && !m.Deleted {
			return i.channel, m, nil
		}
	}
	return nil, nil, errUnknownMessage
}

// followUp posts another answer. The first one after a deferral replaces the
// loading message and keeps its privacy.
func (s *Server) followUp(c *call) (any, error) {
	i, err := c.interaction()
	if err != nil {
		return nil, err
	}
	var body messageBody
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if i.original != nil && i.original.Loading() && !i.original.Deleted {
		if body.empty(c.files) {
			return nil, errEmptyMessage
		}
		body.Flags = nil
		return i.original, s.change(i.original, i.channel, &body, c.files)
	}
	m, err := s.compose(i.channel, s.bot, &body, c.files)
	if err != nil {
		return nil, err
	}
	s.publish(i, m, messageDefault)
	i.followups = append(i.followups, m)
	return m, nil
}

// payload is an interaction in the gateway's format.
func (s *Server) payload(i *Interaction, data any) map[string]any {
	ch := i.channel
	p := map[string]any{
		"id": i.ID, "application_id": s.app.ID, "type": i.kind, "data": data, "channel_id": ch.ID,
		"channel": map[string]any{"id": ch.ID, "type": ch.Type, "name": ch.Name, "guild_id": ch.GuildID, "parent_id": ch.ParentID,
			"permissions": s.permissions(ch, i.user.ID)},
		"token": i.token, "version": 1, "app_permissions": s.permissions(ch, s.bot.ID), "locale": cmp.Or(s.locales[i.user.ID], "en-US"),
		"entitlements": []any{}, "attachment_size_limit": maxFileSize,
	}
	if i.source != nil {
		p["message"] = i.source
	}
	g := s.guilds[ch.GuildID]
	if g == nil {
		p["user"], p["context"] = i.user, 1
		p["authorizing_integration_owners"] = map[string]any{"0": "0"}
		return p
	}
	m := *g.members[i.user.ID]
	rights := s.permissions(ch, i.user.ID)
	m.Permissions = &rights
	p["member"], p["guild_id"], p["context"] = m, g.ID, 0
	p["guild"] = map[string]any{"id": g.ID, "locale": g.PreferredLocale, "features": g.Features}
	p["guild_locale"] = g.PreferredLocale
	p["authorizing_integration_owners"] = map[string]any{"0": g.ID}
	return p
}

// interact sends an interaction to the bot; s.mu must be held.
func (s *Server) interact(i *Interaction, data any) error {
	if g := s.guilds[i.channel.GuildID]; g != nil && (!g.botIn || g.members[i.user.ID] == nil) {
		return fmt.Errorf("the bot or %s is not in guild %s", i.user.Username, g.Name)
	}
	i.s, i.ID, i.token, i.sent = s, s.id(), s.secret("interaction"), time.Now()
	s.interactions[i.token] = i
	s.emit(i.channel.GuildID, 0, "INTERACTION_CREATE", s.payload(i, data))
	return nil
}
