package discordtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// place is a guild for the events of a test.
type place struct{ id, channel, player, role, other string }

// happening is an action in a guild and the events it causes.
type happening struct {
	name    string
	do      func(*discordtest.Server, place)
	want    string
	without string // without any intent
}

func happenings() []happening {
	return []happening{
		{"channel_added", func(s *discordtest.Server, g place) { s.AddChannel(g.id, "x") }, "CHANNEL_CREATE", ""},
		{"channel_deleted", func(s *discordtest.Server, g place) { s.DeleteChannel(g.channel) }, "CHANNEL_DELETE", ""},
		{"thread_added", func(s *discordtest.Server, g place) { s.AddThread(g.channel, "x") }, "THREAD_CREATE", ""},
		{"right_denied", func(s *discordtest.Server, g place) { s.Deny(g.channel, discordtest.SendMessages) }, "CHANNEL_UPDATE", ""},
		{"role_added", func(s *discordtest.Server, g place) { s.AddRole(g.id, "x", 0) }, "GUILD_ROLE_CREATE", ""},
		{"bot_role_changed", func(s *discordtest.Server, g place) { s.SetBotPermissions(g.id, 0) }, "GUILD_ROLE_UPDATE", ""},
		{"everyone_changed", func(s *discordtest.Server, g place) { s.SetEveryonePermissions(g.id, 0) }, "GUILD_ROLE_UPDATE", ""},
		{"member_joined", func(s *discordtest.Server, g place) { s.AddMember(g.id, "x") }, "GUILD_MEMBER_ADD", ""},
		{"member_got_role", func(s *discordtest.Server, g place) { s.SetRoles(g.id, g.player, g.role) }, "GUILD_MEMBER_UPDATE", ""},
		{"member_renamed", func(s *discordtest.Server, g place) { s.SetNick(g.id, g.player, "Al") }, "GUILD_MEMBER_UPDATE", ""},
		{"bot_renamed", func(s *discordtest.Server, g place) { s.SetNick(g.id, s.BotID(), "Bot") }, "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_UPDATE"},
		{"member_left", func(s *discordtest.Server, g place) { s.Part(g.id, g.player) }, "GUILD_MEMBER_REMOVE", ""},
		{"typed", func(s *discordtest.Server, g place) { s.Type(g.channel, g.player) }, "TYPING_START", ""},
		{"said", func(s *discordtest.Server, g place) { s.Say(g.channel, g.player, "x", nil) }, "MESSAGE_CREATE", ""},
		{"said_directly", func(s *discordtest.Server, g place) { s.Say(s.AddDM(g.player), g.player, "x", nil) }, "MESSAGE_CREATE", ""},
		{"kicked", func(s *discordtest.Server, g place) { s.Kick(g.id) }, "GUILD_DELETE", ""},
		{"outage", func(s *discordtest.Server, g place) { s.Outage(g.id, true) }, "GUILD_DELETE", ""},
		{"other_guild", func(s *discordtest.Server, g place) { s.AddGuild("x") }, "GUILD_CREATE", ""},
		{"nothing_heard_where_kicked", func(s *discordtest.Server, g place) {
			s.Kick(g.other)
			s.AddChannel(g.other, "x")
			s.Invite(g.other)
		}, "GUILD_DELETE GUILD_CREATE", ""},
		{"nothing_seen_where_hidden", func(s *discordtest.Server, g place) {
			s.Deny(g.channel, discordtest.ViewChannel)
			s.Say(g.channel, g.player, "x", nil)
			s.Allow(g.channel, discordtest.ViewChannel)
		}, "CHANNEL_UPDATE CHANNEL_UPDATE", ""},
		{"back_after_outage", func(s *discordtest.Server, g place) {
			s.Outage(g.id, true)
			s.Say(g.channel, g.player, "x", nil)
			s.Outage(g.id, false)
		}, "GUILD_DELETE GUILD_CREATE", ""},
	}
}

// TestEvents checks which events each action in a guild causes, and that a bot
// without intents receives only events about itself.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range happenings() {
		t.Run(tt.name, func(t *testing.T) {
			for intents, want := range map[discordtest.Intents]string{discordtest.AllIntents: tt.want, 0: tt.without} {
				s := discordtest.New(t, nil)
				g := place{id: s.AddGuild("Waterdeep"), other: s.AddGuild("Neverwinter")}
				g.channel, g.player, g.role = s.AddChannel(g.id, "tavern"), s.AddMember(g.id, "Alice"), s.AddRole(g.id, "DM", 0)
				w := dial(t, s, "")
				w.next(10)
				w.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{"os":"linux"}}}`, s.Token(), intents))
				w.next(0)
				if intents != 0 {
					w.next(0)
					w.next(0)
				}
				tt.do(s, g)
				for event := range strings.FieldsSeq(want) {
					if f := w.next(0); f.T != event {
						t.Errorf("with intents %d: event = %s, want %s", intents, f.T, event)
					}
				}
				w.send(`{"op":1,"d":1}`)
				w.next(11) // no other event came before
			}
		})
	}
}

// TestCallbackWithResponse requests the message that the answer created.
func TestCallbackWithResponse(t *testing.T) {
	t.Parallel()
	d := rest(t, nil)
	if _, err := d.dg.ApplicationCommandBulkOverwrite(d.s.ApplicationID(), "", commands()); err != nil {
		t.Fatal(err)
	}
	w := dial(t, d.s, "")
	w.identify()
	w.next(0)
	i, err := d.s.Command(d.player, d.channel, "form")
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ ID, Token string }
	if err := json.Unmarshal(w.next(0).D, &sent); err != nil || sent.ID != i.ID {
		t.Fatalf("interaction = %+v, %v, want %s", sent, err, i.ID)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		fmt.Sprintf("%s/v10/interactions/%s/%s/callback?with_response=true", d.s.APIURL(), sent.ID, sent.Token),
		strings.NewReader(`{"type":4,"data":{"content":"hi"}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := d.dg.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Interaction struct {
			Message string `json:"response_message_id"`
		} `json:"interaction"`
		Resource struct {
			Message discordgo.Message `json:"message"`
		} `json:"resource"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Resource.Message.Content != "hi" || got.Interaction.Message != got.Resource.Message.ID {
		t.Errorf("answer = %+v, %v, want the message", got, err)
	}
	if m, err := i.Answer(context.Background()); err != nil || m.Content != "hi" {
		t.Errorf("answer = %q, %v, want hi", m.Content, err)
	}
}
