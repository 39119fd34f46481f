package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
)

// answerBuckets is over how many buckets answers to interactions are spread.
// Each has an address of its own, for which discordgo would keep a bucket for
// good; and one bucket for all would send them one after the other.
const answerBuckets = 64

// api asks Discord for things. It is safe for concurrent use; a call waits out
// rate limits, and its errors name no address.
type api struct {
	session *discordgo.Session // for REST alone
	id      atomic.Value       // the application's, a string
}

// app is the application's id, empty until the bot has signed in.
func (a *api) app() string {
	id, _ := a.id.Load().(string)
	return id
}

// elsewhere sends requests for Discord's API to another base.
type elsewhere struct {
	base *url.URL // nil: where they were to go
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/api")
	if e.base == nil || !ok || r.URL.Host != "discord.com" {
		return e.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = e.base.Scheme, e.base.Host, e.base.Host
	r.URL.Path, r.URL.RawPath = strings.TrimSuffix(e.base.Path, "/")+rest, ""
	return e.next.RoundTrip(r)
}

// maxWaits is how often a call waits because Discord asks it to.
const maxWaits = 5

// slack is added to such a wait: discordgo cuts it to milliseconds, and who
// comes too early is made to wait again.
const slack = 50 * time.Millisecond

// file is sent along with a message.
type file struct {
	name string
	data []byte
}

// encode returns a request's body and of what kind it is: JSON, or with files a
// form.
func encode(in any, files []file) (kind string, body []byte, err error) {
	if len(files) > 0 {
		var parts []*discordgo.File
		for _, f := range files {
			parts = append(parts, &discordgo.File{Name: f.name, ContentType: mime.TypeByExtension(path.Ext(f.name)), Reader: bytes.NewReader(f.data)})
		}
		return discordgo.MultipartBodyWithJSON(in, parts)
	}
	if in != nil {
		body, err = discordgo.Marshal(in)
	}
	return "application/json", body, err
}

// send makes a request, files going with it, and reads the answer into out,
// unless that is nil.
func (a *api) send(ctx context.Context, method, address, bucket string, in, out any, files ...file) error {
	kind, body, err := encode(in, files)
	if err != nil {
		return fmt.Errorf("encoding a request to Discord: %w", err)
	}
	for waited := 0; ; waited++ {
		// discordgo would wait whatever becomes of ctx.
		raw, err := a.session.RequestRaw(method, address, kind, body, bucket, 0, discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
		var limited *discordgo.RateLimitError
		switch {
		case err == nil && out == nil:
			return nil
		case err == nil:
			if err := json.Unmarshal(raw, out); err != nil {
				return fmt.Errorf("reading Discord's answer: %w", err)
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.As(err, &limited) || waited >= maxWaits:
			return plain(err)
		case !pause(ctx, limited.RetryAfter+slack):
			return ctx.Err()
		}
	}
}

// answerBucket names the bucket of an interaction's answers.
func answerBucket(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return fmt.Sprintf("interaction %d", h.Sum32()%answerBuckets)
}

// respond answers an interaction for the first time.
func (a *api) respond(ctx context.Context, i *discordgo.Interaction, r *discordgo.InteractionResponse, files ...file) error {
	return a.send(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), answerBucket(i.ID), r, nil, files...)
}

// amend replaces the first answer to an interaction.
func (a *api) amend(ctx context.Context, i *discordgo.Interaction, e *discordgo.WebhookEdit, files ...file) error {
	return a.send(ctx, http.MethodPatch, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), answerBucket(i.ID), e, nil, files...)
}

// withdraw deletes the first answer to an interaction.
func (a *api) withdraw(ctx context.Context, i *discordgo.Interaction) error {
	return a.send(ctx, http.MethodDelete, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), answerBucket(i.ID), nil, nil)
}

// followUp adds an answer to an interaction.
func (a *api) followUp(ctx context.Context, i *discordgo.Interaction, p *discordgo.WebhookParams, files ...file) error {
	return a.send(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), answerBucket(i.ID), p, nil, files...)
}

// execute posts as somebody through a webhook, in a thread if one is named.
func (a *api) execute(ctx context.Context, w *discordgo.Webhook, thread string, p *discordgo.WebhookParams) (*discordgo.Message, error) {
	query := url.Values{"wait": {"true"}}
	if thread != "" {
		query.Set("thread_id", thread)
	}
	m := &discordgo.Message{}
	err := a.send(ctx, http.MethodPost, discordgo.EndpointWebhookToken(w.ID, w.Token)+"?"+query.Encode(), "webhook "+w.ID, p, m)
	return m, err
}

// webhook returns the bot's own webhook of a channel, and makes one if there is
// none.
func (a *api) webhook(ctx context.Context, channel string) (*discordgo.Webhook, error) {
	var all []*discordgo.Webhook
	address := discordgo.EndpointChannelWebhooks(channel)
	if err := a.send(ctx, http.MethodGet, address, address, nil, &all); err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.ApplicationID == a.app() && w.Token != "" {
			return w, nil
		}
	}
	made := &discordgo.Webhook{}
	return made, a.send(ctx, http.MethodPost, address, address, map[string]string{"name": "Glyphoxa"}, made)
}

// post writes a message as the bot.
func (a *api) post(ctx context.Context, channel string, m *discordgo.MessageSend) (*discordgo.Message, error) {
	out := &discordgo.Message{}
	address := discordgo.EndpointChannelMessages(channel)
	return out, a.send(ctx, http.MethodPost, address, address, m, out)
}

// edit changes a message of the bot.
func (a *api) edit(ctx context.Context, channel, message string, m *discordgo.MessageEdit) error {
	return a.send(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(channel, message), "edit "+channel, m, nil)
}

// typing shows for ten seconds that the bot is writing.
func (a *api) typing(ctx context.Context, channel string) error {
	address := discordgo.EndpointChannelTyping(channel)
	return a.send(ctx, http.MethodPost, address, address, nil, nil)
}

// channel asks what a channel is.
func (a *api) channel(ctx context.Context, id string) (*discordgo.Channel, error) {
	out := &discordgo.Channel{}
	address := discordgo.EndpointChannel(id)
	return out, a.send(ctx, http.MethodGet, address, address, nil, out)
}

// commands lists the commands that are registered in a guild, or everywhere.
func (a *api) commands(ctx context.Context, guild string) (out []*discordgo.ApplicationCommand, err error) {
	address := commandsAt(a.app(), guild)
	return out, a.send(ctx, http.MethodGet, address, address, nil, &out)
}

// register replaces the commands of a guild, or those that are everywhere.
func (a *api) register(ctx context.Context, guild string, all []*discordgo.ApplicationCommand) error {
	address := commandsAt(a.app(), guild)
	return a.send(ctx, http.MethodPut, address, address, all, nil)
}

func commandsAt(app, guild string) string {
	if guild == "" {
		return discordgo.EndpointApplicationGlobalCommands(app)
	}
	return discordgo.EndpointApplicationGuildCommands(app, guild)
}

// shards asks for how many connections Discord wants.
func (a *api) shards(ctx context.Context) (int, error) {
	var out struct {
		Shards int `json:"shards"`
	}
	address := discordgo.EndpointGatewayBot
	if err := a.send(ctx, http.MethodGet, address, address, nil, &out); err != nil {
		return 0, err
	}
	return max(1, out.Shards), nil
}
