package discord

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
)

// TestWhoIsHeard lists whose messages reach the table, and what an edit changes, also an edit
// by a user who has declined since.
func TestWhoIsHeard(t *testing.T) {
	by := func(change func(*discordgo.Message)) *discordgo.Message {
		m := &discordgo.Message{ID: "5", GuildID: "1", ChannelID: "2", Author: &discordgo.User{ID: "7", Username: "ana"}, Content: "hello"}
		change(m)
		return m
	}
	now := time.Now()
	for _, row := range []struct {
		name   string
		m      *discordgo.Message
		edited bool
		want   string
	}{
		{"a player", by(func(*discordgo.Message) {}), false, "ana: hello (discord:7, 5)"},
		{"by the name in the guild", by(func(m *discordgo.Message) { m.Member = &discordgo.Member{Nick: "Ana"} }), false, "Ana: hello (discord:7, 5)"},
		{"a reply", by(func(m *discordgo.Message) { m.Type = discordgo.MessageTypeReply }), false, "ana: hello (discord:7, 5)"},
		{"another bot", by(func(m *discordgo.Message) { m.Author.Bot = true }), false, ""},
		{"a webhook", by(func(m *discordgo.Message) { m.WebhookID = "9" }), false, ""},
		{"somebody joins", by(func(m *discordgo.Message) { m.Type = discordgo.MessageTypeGuildMemberJoin }), false, ""},
		{"another channel", by(func(m *discordgo.Message) { m.ChannelID = "3" }), false, ""},
		{"another guild", by(func(m *discordgo.Message) { m.GuildID = "4" }), false, ""},
		{"who declined", by(func(m *discordgo.Message) { m.Author.ID = "8" }), false, ""},
		{"an edit", by(func(m *discordgo.Message) { m.EditedTimestamp = &now }), true, "5 is hello"},
		{"a preview is no edit", by(func(*discordgo.Message) {}), true, ""},
		{"an edit to nothing", by(func(m *discordgo.Message) { m.EditedTimestamp, m.Content = &now, " " }), true, "5 is gone"},
		{"an edit of who declined since", by(func(m *discordgo.Message) { m.EditedTimestamp, m.Author.ID = &now, "8" }), true, "5 is gone"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &notes{}
				r := newIdleSession(n)
				r.guild, r.channel = "1", "2"
				b := &Bot{sessions: newSessions(slog.New(slog.DiscardHandler)), voiceStates: newVoiceStates()}
				b.sessions.byGuild["1"] = r
				b.consents = newConsents(b.sessions)
				b.consents.declined["1"] = map[string]bool{"8": true}
				defer r.listens(t.Context())()
				if row.edited {
					b.onMessageUpdate(nil, &discordgo.MessageUpdate{Message: row.m})
				} else {
					b.onMessageCreate(&discordgo.Session{State: discordgo.NewState()}, &discordgo.MessageCreate{Message: row.m})
				}
				synctest.Wait()
				if got := n.told(); got != row.want {
					t.Errorf("the table is told %q, want %q", got, row.want)
				}
			})
		})
	}
}
