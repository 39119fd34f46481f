package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// subscribe registers the handlers of a gateway session. discordgo calls them one at a time in the order of
// the events, so they must not block.
func (b *Bot) subscribe(s *discordgo.Session) {
	s.AddHandler(b.onReady)
	s.AddHandler(b.onGuildCreate)
	s.AddHandler(b.onGuildDelete)
	s.AddHandler(b.onGuildVoice)
	s.AddHandler(b.onVoiceState)
	s.AddHandler(b.onVoiceServer)
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.GuildUpdate) { b.handleRolesChanged(e.ID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.GuildRoleUpdate) { b.handleRolesChanged(e.GuildID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.GuildRoleDelete) { b.handleRolesChanged(e.GuildID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.ChannelDelete) { b.onChannelDelete(e.GuildID, e.ID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.ThreadDelete) { b.onChannelDelete(e.GuildID, e.ID) })
	s.AddHandler(b.onMessageCreate)
	s.AddHandler(b.onMessageUpdate)
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDelete) {
		b.onMessageDelete(e.GuildID, e.ChannelID, e.ID)
	})
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDeleteBulk) {
		b.onMessageDelete(e.GuildID, e.ChannelID, e.Messages...)
	})
	s.AddHandler(b.onReaction)
	s.AddHandler(b.dispatcher.onInteraction)
}

// onReady records the bot's identity.
func (b *Bot) onReady(_ *discordgo.Session, e *discordgo.Ready) {
	if e.Application != nil {
		b.rest.SetApplicationID(e.Application.ID)
	} else {
		b.rest.SetApplicationID(e.User.ID) // same as the application's id, except for very old applications
	}
	b.voiceStates.setSelf(e.User.ID)
	b.tasks.spawn(b.rejoinVoice)
	if b.greetOperator(e) {
		b.tasks.spawn(b.offerToResume)
	}
	b.tasks.spawn(func(ctx context.Context) { b.registrar.registerCommands(ctx, "") })
}

// greetOperator tells the operator, once, that the bot is online. It reports whether it did.
func (b *Bot) greetOperator(e *discordgo.Ready) bool {
	if b.greeted.Swap(true) {
		return false
	}
	if len(e.Guilds) == 0 {
		b.report(fmt.Sprintf("discord: %s is online, but not in any server yet; invite it at %s", e.User.Username, inviteAddress(b.rest.ApplicationID())))
	} else {
		b.report(fmt.Sprintf("discord: %s is online; use /session start in a channel to play", e.User.Username))
	}
	return true
}

// onGuildCreate registers the commands in the configured guild.
func (b *Bot) onGuildCreate(_ *discordgo.Session, e *discordgo.GuildCreate) {
	if e.Unavailable || e.ID != b.cfg.Guild {
		return
	}
	b.tasks.spawn(func(ctx context.Context) { b.registrar.registerCommands(ctx, e.ID) })
}

// onGuildDelete ends the session of a guild that removed the bot.
func (b *Bot) onGuildDelete(_ *discordgo.Session, e *discordgo.GuildDelete) {
	if r := b.sessions.findSession(e.ID); r != nil && !e.Unavailable { // an unavailable guild comes back
		b.tasks.spawn(func(context.Context) { b.sessions.endSession(r, "") })
		b.report("discord: the bot was removed from a server; its session has ended, and everything said is saved")
	}
}

// onChannelDelete ends a session whose channel was deleted.
func (b *Bot) onChannelDelete(guild, channel string) {
	if r := b.sessions.findSession(guild); r != nil && (r.channel == channel || r.parent == channel) {
		b.tasks.spawn(func(context.Context) { b.sessions.endSession(r, "") })
		b.tasks.spawn(func(context.Context) { r.sender.reportChannelLost(errChannelDeleted) })
		b.report("discord: the channel of a session was deleted; the session has ended, and everything said is saved")
	}
}

// errChannelDeleted is the reason why a session's channel is closed.
var errChannelDeleted = errors.New("the channel was deleted")

// onMessageCreate passes a player's message to the table.
func (b *Bot) onMessageCreate(s *discordgo.Session, e *discordgo.MessageCreate) {
	m := e.Message
	if m.Author != nil {
		b.recordRoles(m.GuildID, m.Author.ID, m.Member)
	}
	r := b.sessions.findSession(m.GuildID)
	if r != nil && r.channel == m.ChannelID && m.Author != nil && m.Author.Bot {
		r.sender.recordEcho(m)
	}
	if r == nil || r.channel != m.ChannelID || !isPlayerMessage(m) || !b.consents.isHeard(m.GuildID, m.Author.ID) || r.paused.Load() {
		return
	}
	r.enqueueMessage(message{m.ID, m.Author.ID, displayName(m), b.spokenText(s, r, m), b.wroteAsDM(s, m)})
}

// wroteAsDM reports whether a DM wrote a message.
func (b *Bot) wroteAsDM(s *discordgo.Session, m *discordgo.Message) bool {
	if m.Member == nil {
		return false
	}
	return dmRoles(b.cfg.DMRoles).memberIsDM(s.State, m.GuildID, m.Author.ID, m.Member.Roles)
}

// isPlayerMessage reports whether a player wrote a message.
func isPlayerMessage(m *discordgo.Message) bool {
	if m.Author == nil || m.Author.Bot || m.WebhookID != "" {
		return false
	}
	return m.Type == discordgo.MessageTypeDefault || m.Type == discordgo.MessageTypeReply
}

// onMessageUpdate handles an edited message.
func (b *Bot) onMessageUpdate(s *discordgo.Session, e *discordgo.MessageUpdate) {
	m := e.Message
	r := b.sessions.findSession(m.GuildID)
	if r == nil || r.channel != m.ChannelID || m.EditedTimestamp == nil || !isPlayerMessage(m) {
		return
	}
	text := ""
	if b.consents.isHeard(m.GuildID, m.Author.ID) { // otherwise the line is taken back
		text = b.spokenText(s, r, m)
	}
	r.changeMessage(m.ID, text)
}

// onMessageDelete takes back deleted messages.
func (b *Bot) onMessageDelete(guild, channel string, messages ...string) {
	if r := b.sessions.findSession(guild); r != nil && r.channel == channel {
		for _, id := range messages {
			if !r.sender.lines.contains(id) { // the table has no player's line for an NPC's message
				r.changeMessage(id, "")
			}
		}
	}
}

// displayName returns the name of a message's author in the guild.
func displayName(m *discordgo.Message) string {
	nick := ""
	if m.Member != nil {
		nick = m.Member.Nick
	}
	return memberName(nick, m.Author)
}

// spokenText returns a message as spoken text: mentions become names, and a reply to an NPC begins with its
// name.
func (b *Bot) spokenText(s *discordgo.Session, r *session, m *discordgo.Message) string {
	names := func(kind byte, id string) string { return mentionName(s, m, kind, id) }
	if outOfCharacter(m.Content) {
		return ""
	}
	text := strings.TrimSpace(replaceMentions(m.Content, names))
	to := m.ReferencedMessage
	if text == "" || to == nil || to.Author == nil || to.WebhookID == "" || to.WebhookID != r.sender.webhookID() {
		return text
	}
	cast := r.presentNPCs()
	i := slices.IndexFunc(cast, func(n config.NPC) bool { return nameOnWebhook(n.Name) == to.Author.Username })
	if i < 0 || containsFold(text, cast[i].Name) {
		return text
	}
	return cast[i].Name + ", " + text
}

// mentionName returns the name that a mention refers to: '@' a user, '&' a role, '#' a channel. It returns ""
// if it is unknown.
func mentionName(s *discordgo.Session, m *discordgo.Message, kind byte, id string) string {
	switch kind {
	case '@':
		for _, u := range m.Mentions {
			if u.ID == id {
				return memberName("", u)
			}
		}
	case '&':
		if role, err := s.State.Role(m.GuildID, id); err == nil {
			return role.Name
		}
	case '#':
		if c, err := s.State.Channel(id); err == nil {
			return c.Name
		}
	}
	return ""
}
