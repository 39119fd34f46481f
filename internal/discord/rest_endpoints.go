package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// Respond sends the first response to an interaction.
func (c *RestClient) Respond(ctx context.Context, i *discordgo.Interaction, r *discordgo.InteractionResponse, files ...Attachment) error {
	return c.Do(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), unlimited, r, nil, files...)
}

// EditResponse replaces the first response to an interaction.
func (c *RestClient) EditResponse(ctx context.Context, i *discordgo.Interaction, e *discordgo.WebhookEdit, files ...Attachment) error {
	return c.Do(ctx, http.MethodPatch, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), answerBucket(i.ID), e, nil, files...)
}

// DeleteResponse deletes the first response to an interaction.
func (c *RestClient) DeleteResponse(ctx context.Context, i *discordgo.Interaction) error {
	return c.Do(ctx, http.MethodDelete, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), answerBucket(i.ID), nil, nil)
}

// FollowUp sends a further response to an interaction.
func (c *RestClient) FollowUp(ctx context.Context, i *discordgo.Interaction, p *discordgo.WebhookParams, files ...Attachment) error {
	return c.Do(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), answerBucket(i.ID), p, nil, files...)
}

// ExecuteWebhook posts under the name in p through a webhook, in a thread if thread is not empty.
func (c *RestClient) ExecuteWebhook(ctx context.Context, w *discordgo.Webhook, thread string, p *discordgo.WebhookParams) (*discordgo.Message, error) {
	query := url.Values{"wait": {"true"}}
	if thread != "" {
		query.Set("thread_id", thread)
	}
	m := &discordgo.Message{}
	err := c.Do(ctx, http.MethodPost, discordgo.EndpointWebhookToken(w.ID, w.Token)+"?"+query.Encode(), "webhook "+w.ID, p, m)
	return m, err
}

// FindOrCreateWebhook returns the bot's webhook in a channel. It creates one if there is none.
func (c *RestClient) FindOrCreateWebhook(ctx context.Context, channel string) (*discordgo.Webhook, error) {
	var all []*discordgo.Webhook
	address := discordgo.EndpointChannelWebhooks(channel)
	if err := c.Do(ctx, http.MethodGet, address, address, nil, &all); err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.ApplicationID == c.ApplicationID() && w.Token != "" {
			return w, nil
		}
	}
	made := &discordgo.Webhook{}
	return made, c.Do(ctx, http.MethodPost, address, address, map[string]string{"name": "Glyphoxa"}, made)
}

// CreateMessage posts a message as the bot.
func (c *RestClient) CreateMessage(ctx context.Context, channel string, m *discordgo.MessageSend) (*discordgo.Message, error) {
	out := &discordgo.Message{}
	address := discordgo.EndpointChannelMessages(channel)
	return out, c.Do(ctx, http.MethodPost, address, address, m, out)
}

// MessagesAfter returns the oldest MessagesAtOnce messages of a channel after a message, newest first.
func (c *RestClient) MessagesAfter(ctx context.Context, channel, message string) (out []*discordgo.Message, err error) {
	address := discordgo.EndpointChannelMessages(channel)
	query := url.Values{"limit": {strconv.Itoa(MessagesAtOnce)}, "after": {message}}
	return out, c.Do(ctx, http.MethodGet, address+"?"+query.Encode(), "read "+channel, nil, &out)
}

// MessagesAtOnce is the maximum number of messages in one response.
const MessagesAtOnce = 100

// GuildChannels lists the channels of a guild, without its threads.
func (c *RestClient) GuildChannels(ctx context.Context, guild string) (out []*discordgo.Channel, err error) {
	address := discordgo.EndpointGuildChannels(guild)
	return out, c.Do(ctx, http.MethodGet, address, address, nil, &out)
}

// OpenDM opens the direct-message channel with a user.
func (c *RestClient) OpenDM(ctx context.Context, user string) (*discordgo.Channel, error) {
	out := &discordgo.Channel{}
	address := discordgo.EndpointUserChannels("@me")
	return out, c.Do(ctx, http.MethodPost, address, address, map[string]string{"recipient_id": user}, out)
}

// CreateMessageOnce posts a message as the bot. Discord creates one message for calls with the same nonce
// within a few minutes. A nonce has at most 25 characters.
func (c *RestClient) CreateMessageOnce(ctx context.Context, channel, nonce string, m *discordgo.MessageSend) (*discordgo.Message, error) {
	in := struct {
		*discordgo.MessageSend
		Nonce   string `json:"nonce"`
		Enforce bool   `json:"enforce_nonce"`
	}{m, nonce, true}
	out := &discordgo.Message{}
	address := discordgo.EndpointChannelMessages(channel)
	return out, c.Do(ctx, http.MethodPost, address, address, in, out)
}

// EditMessage edits a message of the bot.
func (c *RestClient) EditMessage(ctx context.Context, channel, message string, m *discordgo.MessageEdit) error {
	return c.Do(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(channel, message), "edit "+channel, m, nil)
}

// DeleteMessage deletes a message of the bot.
func (c *RestClient) DeleteMessage(ctx context.Context, channel, message string) error {
	return c.Do(ctx, http.MethodDelete, discordgo.EndpointChannelMessage(channel, message), "delete "+channel, nil, nil)
}

// DeleteWebhookMessage deletes a message posted through a webhook, in a thread if thread is not empty.
func (c *RestClient) DeleteWebhookMessage(ctx context.Context, w *discordgo.Webhook, thread, message string) error {
	query := ""
	if thread != "" {
		query = "?" + url.Values{"thread_id": {thread}}.Encode()
	}
	return c.Do(ctx, http.MethodDelete, discordgo.EndpointWebhookMessage(w.ID, w.Token, message)+query, "delete webhook "+w.ID, nil, nil)
}

// ShowTyping shows the bot as typing for ten seconds.
func (c *RestClient) ShowTyping(ctx context.Context, channel string) error {
	address := discordgo.EndpointChannelTyping(channel)
	return c.Do(ctx, http.MethodPost, address, address, nil, nil)
}

// Channel returns a channel.
func (c *RestClient) Channel(ctx context.Context, id string) (*discordgo.Channel, error) {
	out := &discordgo.Channel{}
	address := discordgo.EndpointChannel(id)
	return out, c.Do(ctx, http.MethodGet, address, address, nil, out)
}

// Member returns a member of a guild. It needs no members intent.
func (c *RestClient) Member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	out := &discordgo.Member{}
	err := c.Do(ctx, http.MethodGet, discordgo.EndpointGuildMember(guild, user), discordgo.EndpointGuildMember(guild, ""), nil, out)
	if err == nil && out.User == nil {
		err = errors.New("a member came from Discord without saying who that is")
	}
	return out, err
}

// Commands lists the commands registered in a guild, or globally if guild is "", with their translations.
func (c *RestClient) Commands(ctx context.Context, guild string) (out []*discordgo.ApplicationCommand, err error) {
	address := commandsEndpoint(c.ApplicationID(), guild)
	return out, c.Do(ctx, http.MethodGet, address+"?with_localizations=true", address, nil, &out)
}

// ReplaceCommands replaces the commands of a guild, or the global ones if guild is "".
func (c *RestClient) ReplaceCommands(ctx context.Context, guild string, all []*discordgo.ApplicationCommand) error {
	address := commandsEndpoint(c.ApplicationID(), guild)
	return c.Do(ctx, http.MethodPut, address, address, all, nil)
}

func commandsEndpoint(app, guild string) string {
	if guild == "" {
		return discordgo.EndpointApplicationGlobalCommands(app)
	}
	return discordgo.EndpointApplicationGuildCommands(app, guild)
}

// RecommendedShards returns the number of shards that Discord recommends, at least 1.
func (c *RestClient) RecommendedShards(ctx context.Context) (int, error) {
	var out struct {
		Shards int `json:"shards"`
	}
	address := discordgo.EndpointGatewayBot
	if err := c.Do(ctx, http.MethodGet, address, address, nil, &out); err != nil {
		return 0, err
	}
	return max(1, out.Shards), nil
}

// Download fetches an attachment of at most most bytes.
func (c *RestClient) Download(ctx context.Context, address string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the file has no readable address")
	}
	resp, err := c.session.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetching the file: %w", WithoutAddress(err))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("fetching the file: %w", WithoutAddress(err))
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetching the file: Discord answered with status %d", resp.StatusCode)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("the file is larger than %d MB", most>>20)
	}
	return data, nil
}
