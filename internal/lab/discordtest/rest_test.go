package discordtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// desk is a bot that uses only REST, so that no gateway slows it down.
type desk struct {
	s              *discordtest.Server
	dg             *discordgo.Session
	guild, channel string
	player         string
}

func rest(t *testing.T, o *discordtest.Options) *desk {
	t.Helper()
	s := discordtest.New(t, o)
	d := &desk{s: s, dg: client(t, s)}
	d.guild = s.AddGuild("Waterdeep")
	d.channel = s.AddChannel(d.guild, "tavern")
	d.player = s.AddMember(d.guild, "Alice")
	return d
}

func (d *desk) hook(t *testing.T) *discordgo.Webhook {
	t.Helper()
	w, err := d.dg.WebhookCreate(d.channel, "Glyphoxa", "")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	w := d.hook(t)
	all, err := d.dg.ChannelWebhooks(d.channel)
	if err != nil || len(all) != 1 || all[0].Token != w.Token || all[0].ApplicationID != d.s.ApplicationID() {
		t.Fatalf("webhooks = %+v, %v, want the one with its token", all, err)
	}
	none, err := d.dg.WebhookExecute(w.ID, w.Token, false, &discordgo.WebhookParams{Content: "quiet"})
	if err != nil || none != nil {
		t.Errorf("without wait: %+v, %v, want nothing", none, err)
	}
	m, err := d.dg.WebhookExecute(w.ID, w.Token, true, &discordgo.WebhookParams{
		Content: "Evening, <@" + d.player + ">.", Username: "Bart", AvatarURL: "https://example.org/bart.png",
		AllowedMentions: &discordgo.MessageAllowedMentions{},
	})
	if err != nil || m.Author.Username != "Bart" || m.WebhookID != w.ID || len(m.Mentions) != 0 {
		t.Fatalf("with wait: %+v, %v, want Bart's line that mentions nobody", m, err)
	}
	text := "Evening."
	if _, err := d.dg.WebhookMessageEdit(w.ID, w.Token, m.ID, &discordgo.WebhookEdit{Content: &text}); err != nil {
		t.Fatal(err)
	}
	thread := d.s.AddThread(d.channel, "cellar")
	if _, err := d.dg.WebhookThreadExecute(w.ID, w.Token, true, thread, &discordgo.WebhookParams{Content: "below"}); err != nil {
		t.Fatal(err)
	}
	got := d.s.Messages(d.channel)
	if len(got) != 2 || got[1].Content != "Evening." || got[1].AvatarURL != "https://example.org/bart.png" || !got[1].Author.Bot {
		t.Errorf("channel = %+v, want Bart's edited line second", got)
	}
	if got := d.s.Messages(thread); len(got) != 1 || got[0].Author.Username != "Glyphoxa" {
		t.Errorf("thread = %+v, want the webhook's line under its own name", got)
	}
	if err := d.dg.WebhookMessageDelete(w.ID, w.Token, m.ID); err != nil {
		t.Fatal(err)
	}
	d.s.DeleteWebhooks(d.channel)
	if _, err := d.dg.WebhookExecute(w.ID, w.Token, true, &discordgo.WebhookParams{Content: "gone"}); code(err) != 10015 {
		t.Errorf("a deleted webhook: %v, want 10015", err)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	m, err := d.dg.ChannelMessageSendComplex(d.channel, &discordgo.MessageSend{
		Content: "A map", Embeds: []*discordgo.MessageEmbed{{Title: "Waterfall", Fields: []*discordgo.MessageEmbedField{{Name: "P50", Value: "1 s"}}}},
		Files: []*discordgo.File{{Name: "waterfall.png", ContentType: "image/png", Reader: strings.NewReader("png")}},
	})
	if err != nil || len(m.Embeds) != 1 || len(m.Attachments) != 1 || m.Attachments[0].Size != 3 {
		t.Fatalf("message = %+v, %v, want an embed and an attachment", m, err)
	}
	resp, err := d.dg.Client.Get(m.Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "png" {
		t.Errorf("attachment = %q, want png", body)
	}
	said := d.s.Say(d.channel, d.player, "hm", nil)
	reply, err := d.dg.ChannelMessageSendReply(d.channel, "yes?", &discordgo.MessageReference{MessageID: said.ID})
	if err != nil || reply.ReferencedMessage == nil || len(reply.Mentions) != 1 {
		t.Errorf("reply = %+v, %v, want one that mentions the player", reply, err)
	}
	if _, err := d.dg.ChannelMessageEdit(d.channel, m.ID, "The map"); err != nil {
		t.Errorf("editing: %v", err)
	}
	all, err := d.dg.ChannelMessages(d.channel, 2, "", "", "")
	if err != nil || len(all) != 2 || all[0].ID != reply.ID || all[1].ID != said.ID {
		t.Errorf("messages = %+v, %v, want the newest two", all, err)
	}
	if err := d.dg.ChannelMessageDelete(d.channel, m.ID); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if err := d.dg.ChannelTyping(d.channel); err != nil || d.s.AwaitTyping(t.Context(), d.channel, time.Time{}) != nil {
		t.Errorf("typing: %v, noted %d times", err, len(d.s.Typing(d.channel)))
	}
	thread, err := d.dg.ThreadStart(d.channel, "session", discordgo.ChannelTypeGuildPublicThread, 60)
	if err != nil || thread.ParentID != d.channel {
		t.Errorf("thread = %+v, %v", thread, err)
	}
}

// TestMessageErrors checks that invalid calls fail as at Discord.
func TestMessageErrors(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	said := d.s.Say(d.channel, d.player, "hm", nil)
	hidden := d.s.AddChannel(d.guild, "hidden")
	d.s.Deny(hidden, discordtest.ViewChannel)
	mute := d.s.AddChannel(d.guild, "mute")
	d.s.Deny(mute, discordtest.SendMessages)
	plain := d.s.AddChannel(d.guild, "plain")
	d.s.Deny(plain, discordtest.EmbedLinks)
	kicked := d.s.AddGuild("Neverwinter")
	lost := d.s.AddChannel(kicked, "gate")
	d.s.Kick(kicked)
	send := func(ch string, m *discordgo.MessageSend) error {
		_, err := d.dg.ChannelMessageSendComplex(ch, m)
		return err
	}
	embed := func(n int) *discordgo.MessageEmbed {
		return &discordgo.MessageEmbed{Description: strings.Repeat("x", n)}
	}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"unknown_channel", send("1", &discordgo.MessageSend{Content: "x"}), 10003},
		{"channel_hidden", send(hidden, &discordgo.MessageSend{Content: "x"}), 50001},
		{"guild_left", send(lost, &discordgo.MessageSend{Content: "x"}), 50001},
		{"may_not_send", send(mute, &discordgo.MessageSend{Content: "x"}), 50013},
		{"may_not_embed", send(plain, &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{embed(1)}}), 50013},
		{"empty", send(d.channel, &discordgo.MessageSend{}), 50006},
		{"blank", send(d.channel, &discordgo.MessageSend{Content: " \n"}), 50006},
		{"longest", send(d.channel, &discordgo.MessageSend{Content: strings.Repeat("ä", 2000)}), 0},
		{"too_long", send(d.channel, &discordgo.MessageSend{Content: strings.Repeat("ä", 2001)}), 50035},
		{"eleven_embeds", send(d.channel, &discordgo.MessageSend{Embeds: slices.Repeat([]*discordgo.MessageEmbed{embed(1)}, 11)}), 50035},
		{"embed_too_long", send(d.channel, &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{embed(4097)}}), 50035},
		{"embeds_too_long_together", send(d.channel, &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{embed(4000), embed(2001)}}), 50035},
		{"mentions_contradict", send(d.channel, &discordgo.MessageSend{Content: "x", AllowedMentions: &discordgo.MessageAllowedMentions{
			Parse: []discordgo.AllowedMentionType{discordgo.AllowedMentionTypeUsers}, Users: []string{d.player}}}), 50035},
		{"reply_to_nothing", send(d.channel, &discordgo.MessageSend{Content: "x", Reference: &discordgo.MessageReference{MessageID: "1"}}), 50035},
		{"unknown_message", d.dg.ChannelMessageDelete(d.channel, "1"), 10008},
		{"edit_of_another", second(d.dg.ChannelMessageEdit(d.channel, said.ID, "x")), 50005},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := code(tt.err); got != tt.want {
				t.Errorf("code = %d, %v, want %d", got, tt.err, tt.want)
			}
		})
	}
}

func TestWebhookAndLookupErrors(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	w := d.hook(t)
	mute := d.s.AddChannel(d.guild, "mute")
	d.s.Deny(mute, discordtest.ManageWebhooks)
	execute := func(token string, p *discordgo.WebhookParams) error {
		_, err := d.dg.WebhookExecute(w.ID, token, true, p)
		return err
	}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"webhook_without_right", second(d.dg.WebhookCreate(mute, "Bart", "")), 50013},
		{"webhook_in_thread", second(d.dg.WebhookCreate(d.s.AddThread(d.channel, "t"), "Bart", "")), 50024},
		{"webhook_name", second(d.dg.WebhookCreate(d.channel, "My Discord NPC", "")), 50035},
		{"webhook_token", execute("wrong", &discordgo.WebhookParams{Content: "x"}), 50027},
		{"webhook_user_name", execute(w.Token, &discordgo.WebhookParams{Content: "x", Username: "Clyde the Bold"}), 50035},
		{"webhook_avatar", execute(w.Token, &discordgo.WebhookParams{Content: "x", AvatarURL: "bart.png"}), 50035},
		{"webhook_too_long", execute(w.Token, &discordgo.WebhookParams{Content: strings.Repeat("x", 2001)}), 50035},
		{"unknown_webhook", second(d.dg.WebhookExecute("1", "x", true, &discordgo.WebhookParams{Content: "x"})), 10015},
		{"unknown_user", second(d.dg.User("1")), 10013},
		{"unknown_member", second(d.dg.GuildMember(d.guild, d.s.AddMember(d.s.AddGuild("Else"), "Eve"))), 10007},
		{"unknown_guild", second(d.dg.Guild("1")), 10004},
		{"unknown_interaction", d.dg.InteractionRespond(&discordgo.Interaction{ID: "1", Token: "x"}, say(4, "x", 0)), 10062},
		{"unknown_application", second(d.dg.ApplicationCommands("1", "")), 10002},
		{"unknown_command", d.dg.ApplicationCommandDelete(d.s.ApplicationID(), "", "1"), 10063},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := code(tt.err); got != tt.want {
				t.Errorf("code = %d, %v, want %d", got, tt.err, tt.want)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestCommandsValidated(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	opt := func(kind discordgo.ApplicationCommandOptionType, name string, required bool) *discordgo.ApplicationCommandOption {
		return &discordgo.ApplicationCommandOption{Type: kind, Name: name, Description: "x", Required: required}
	}
	tests := []struct {
		name string
		cmd  *discordgo.ApplicationCommand
		at   string // part of the error
	}{
		{"good", commands()[0], ""},
		{"upper_case", &discordgo.ApplicationCommand{Name: "Npc", Description: "x"}, `"0":{"name"`},
		{"space", &discordgo.ApplicationCommand{Name: "n pc", Description: "x"}, `"0":{"name"`},
		{"no_description", &discordgo.ApplicationCommand{Name: "npc"}, `"0":{"description"`},
		{"long_description", &discordgo.ApplicationCommand{Name: "npc", Description: strings.Repeat("x", 101)}, `"0":{"description"`},
		{"required_after_optional", &discordgo.ApplicationCommand{Name: "npc", Description: "x",
			Options: []*discordgo.ApplicationCommandOption{opt(3, "a", false), opt(3, "b", true)}}, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"},
		{"same_option_twice", &discordgo.ApplicationCommand{Name: "npc", Description: "x",
			Options: []*discordgo.ApplicationCommandOption{opt(3, "a", false), opt(3, "a", false)}}, "NAME_ALREADY_EXISTS"},
		{"mixed_with_sub_commands", &discordgo.ApplicationCommand{Name: "npc", Description: "x",
			Options: []*discordgo.ApplicationCommandOption{opt(1, "a", false), opt(3, "b", false)}}, "TYPE_INVALID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := d.dg.ApplicationCommandBulkOverwrite(d.s.ApplicationID(), d.guild, []*discordgo.ApplicationCommand{tt.cmd})
			if tt.at == "" && err != nil || tt.at != "" && (code(err) != 50035 || !strings.Contains(err.Error(), tt.at)) {
				t.Errorf("err = %v, want 50035 with %q", err, tt.at)
			}
		})
	}
	first, err := d.dg.ApplicationCommands(d.s.ApplicationID(), d.guild)
	if err != nil || len(first) != 1 {
		t.Fatalf("commands = %+v, %v, want the good one", first, err)
	}
	again, err := d.dg.ApplicationCommandBulkOverwrite(d.s.ApplicationID(), d.guild, commands())
	if err != nil || again[0].ID != first[0].ID || again[0].Version == first[0].Version {
		t.Errorf("overwritten = %+v, %v, want the id kept and a new version", again, err)
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	const route = "POST /channels/{channel}/messages"
	d := rest(t, nil)
	d.dg.ShouldRetryOnRateLimit = false
	d.s.RefuseNext(route, time.Minute)
	var limited *discordgo.RateLimitError
	_, err := d.dg.ChannelMessageSend(d.channel, "x")
	if !errors.As(err, &limited) || limited.RetryAfter < 59*time.Second || limited.RetryAfter > time.Minute {
		t.Errorf("err = %v, want a rate limit of a minute", err)
	}
	if all, hasty := d.s.Refused(); all != 1 || hasty != 0 {
		t.Errorf("refused %d, hasty %d, want 1, 0", all, hasty)
	}
	post := func(channel string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.s.APIURL()+"/v10/channels/"+channel+"/messages",
			bytes.NewReader([]byte(`{"content":"x"}`)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bot "+d.s.Token())
		req.Header.Set("Content-Type", "application/json")
		resp, err := d.dg.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	if got := post(d.channel); got.StatusCode != 429 || got.Header.Get("X-RateLimit-Scope") != "user" || got.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("an impatient client: %d %v, want a 429 for the user", got.StatusCode, got.Header)
	}
	if _, hasty := d.s.Refused(); hasty != 1 {
		t.Errorf("hasty = %d, want 1", hasty)
	}
	other := d.s.AddChannel(d.guild, "other")
	d.s.LimitRoute(route, 2, time.Hour)
	for _, want := range []string{"1", "0"} {
		if got := post(other); got.StatusCode != 200 || got.Header.Get("X-RateLimit-Remaining") != want || got.Header.Get("X-RateLimit-Limit") != "2" {
			t.Errorf("another channel: %d %v, want 200 with %s left of 2", got.StatusCode, got.Header, want)
		}
	}
	d.s.RefuseAll(time.Hour)
	got := post(d.channel)
	var body struct {
		After  float64 `json:"retry_after"`
		Global bool    `json:"global"`
	}
	if err := json.NewDecoder(got.Body).Decode(&body); err != nil || got.StatusCode != 429 || !body.Global || body.After < 3500 || got.Header.Get("X-RateLimit-Global") != "true" {
		t.Errorf("global limit: %d %+v %v, want a global 429 of an hour", got.StatusCode, body, err)
	}
}

// TestRateLimitHonoured checks that discordgo waits.
func TestRateLimitHonoured(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	const route = "POST /channels/{channel}/messages"
	d.s.RefuseNext(route, 50*time.Millisecond)
	if _, err := d.dg.ChannelMessageSend(d.channel, "x"); err != nil {
		t.Fatal(err)
	}
	d.s.LimitRoute(route, 2, 50*time.Millisecond)
	for range 5 {
		if _, err := d.dg.ChannelMessageSend(d.channel, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if all, hasty := d.s.Refused(); all == 0 || hasty != 0 {
		t.Errorf("refused %d, hasty %d, want at least 1 and none that came too soon", all, hasty)
	}
	if got := len(d.s.Messages(d.channel)); got != 6 {
		t.Errorf("%d messages, want 6", got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, path, kind, body string
		status                         int
	}{
		{"unknown_route", "GET", "/api/v10/nothing", "", "", 404},
		{"unknown_method", "DELETE", "/api/v10/users/@me", "", "", 405},
		{"outside", "GET", "/elsewhere", "", "", 404},
		{"no_json", "POST", "/api/v10/channels/C/messages", "application/json", "{", 400},
		{"no_content_type", "POST", "/api/v10/channels/C/messages", "", `{"content":"x"}`, 400},
		{"wrong_types", "POST", "/api/v10/channels/C/messages", "application/json", `{"content":3}`, 400},
		{"no_body", "POST", "/api/v10/channels/C/messages", "application/json", "", 400},
		{"bad_form", "POST", "/api/v10/channels/C/messages", "multipart/form-data; boundary=x", "--x\r\n\r\n", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := rest(t, nil)
			url := strings.TrimSuffix(d.s.APIURL(), "/api") + strings.ReplaceAll(tt.path, "/C/", "/"+d.channel+"/")
			req, err := http.NewRequestWithContext(t.Context(), tt.method, url, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bot "+d.s.Token())
			if tt.kind != "" {
				req.Header.Set("Content-Type", tt.kind)
			}
			resp, err := d.dg.Client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != tt.status {
				t.Errorf("status = %d, want %d", resp.StatusCode, tt.status)
			}
			if got := d.s.TakeFaults(); len(got) != 1 {
				t.Errorf("faults = %q, want one", got)
			}
		})
	}
}
