package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
)

// handle subscribes to what a session tells. discordgo calls the functions one
// after the other, in the order of the events: they do not wait.
func (b *Bot) handle(s *discordgo.Session) {
	s.AddHandler(b.ready)
	s.AddHandler(b.joined)
	s.AddHandler(b.left)
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.ChannelDelete) { b.gone(e.GuildID, e.ID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.ThreadDelete) { b.gone(e.GuildID, e.ID) })
	s.AddHandler(b.written)
	s.AddHandler(b.rewritten)
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDelete) { b.unwritten(e.GuildID, e.ChannelID, e.ID) })
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDeleteBulk) {
		b.unwritten(e.GuildID, e.ChannelID, e.Messages...)
	})
	s.AddHandler(b.interacted)
}

// spawn does work that Run waits for, with a context that ends with it. It
// reports whether the work was begun: none is once the bot has ended.
func (b *Bot) spawn(do func(ctx context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	life := b.life
	b.work.Go(func() { do(life) })
	return true
}

// ready learns who the bot is.
func (b *Bot) ready(_ *discordgo.Session, e *discordgo.Ready) {
	if e.Application != nil {
		b.api.SetApplicationID(e.Application.ID)
	} else {
		b.api.SetApplicationID(e.User.ID) // the same for all but the oldest applications
	}
	if b.greet(e) {
		b.spawn(b.offerAll)
	}
	b.spawn(func(ctx context.Context) { b.register(ctx, "") })
}

// greet tells the operator, once, that the bot is there, and reports whether it
// did.
func (b *Bot) greet(e *discordgo.Ready) bool {
	b.mu.Lock()
	known := b.greeted
	b.greeted = true
	b.mu.Unlock()
	switch {
	case known:
	case len(e.Guilds) == 0:
		b.say(fmt.Sprintf("discord: %s is online and in no server yet; let it in at %s", e.User.Username, invite(b.api.ApplicationID())))
	default:
		b.say(fmt.Sprintf("discord: %s is online; /session start in a channel begins to play", e.User.Username))
	}
	return !known
}

// joined puts the commands into a guild if they are not everywhere.
func (b *Bot) joined(_ *discordgo.Session, e *discordgo.GuildCreate) {
	if e.Unavailable || e.ID != b.cfg.Guild {
		return
	}
	b.spawn(func(ctx context.Context) { b.register(ctx, e.ID) })
}

// register puts the commands where they belong, if others are there.
func (b *Bot) register(ctx context.Context, guild string) {
	b.mu.Lock()
	done := b.registered[guild]
	b.registered[guild] = true
	b.mu.Unlock()
	if done {
		return
	}
	want := definitions()
	if guild != b.cfg.Guild { // they were everywhere before they were one guild's
		want = []*discordgo.ApplicationCommand{}
	}
	have, err := b.api.Commands(ctx, guild)
	if err == nil && !sameCommands(have, want) {
		err = b.api.ReplaceCommands(ctx, guild, want)
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	b.mu.Lock()
	delete(b.registered, guild) // the next connection tries again
	b.mu.Unlock()
	if rest.ErrorCode(err) == discordgo.ErrCodeMissingAccess {
		err = fmt.Errorf("%w; invite the bot with the scope applications.commands", err)
	}
	b.say(fmt.Sprintf("discord: registering the slash commands: %v", err))
}

// left ends the session of a guild that threw the bot out.
func (b *Bot) left(_ *discordgo.Session, e *discordgo.GuildDelete) {
	if r := b.room(e.ID); r != nil && !e.Unavailable { // unavailable guilds come back
		b.spawn(func(context.Context) { b.finish(r, "") })
		b.say("discord: the bot was removed from a server; its session is closed, and what was said is kept")
	}
}

// gone ends the session whose channel was deleted.
func (b *Bot) gone(guild, channel string) {
	if r := b.room(guild); r != nil && (r.channel == channel || r.parent == channel) {
		b.spawn(func(context.Context) { b.finish(r, "") })
		b.say("discord: the channel of a session was deleted; the session is closed, and what was said is kept")
	}
}

// written hands a player's message to the table.
func (b *Bot) written(s *discordgo.Session, e *discordgo.MessageCreate) {
	m := e.Message
	r := b.room(m.GuildID)
	if r == nil || r.channel != m.ChannelID || !spoken(m) || !b.heard(m.GuildID, m.Author.ID) {
		return
	}
	r.write(message{m.ID, m.Author.ID, speaker(m), b.said(s, r, m)})
}

// spoken reports whether a message is what a player says.
func spoken(m *discordgo.Message) bool {
	if m.Author == nil || m.Author.Bot || m.WebhookID != "" {
		return false
	}
	return m.Type == discordgo.MessageTypeDefault || m.Type == discordgo.MessageTypeReply
}

// rewritten takes in what became of a message that was edited.
func (b *Bot) rewritten(s *discordgo.Session, e *discordgo.MessageUpdate) {
	m := e.Message
	r := b.room(m.GuildID)
	if r == nil || r.channel != m.ChannelID || m.EditedTimestamp == nil || !spoken(m) {
		return
	}
	text := ""
	if b.heard(m.GuildID, m.Author.ID) { // else what was heard before is no more
		text = b.said(s, r, m)
	}
	r.rewrite(m.ID, text)
}

// unwritten takes back messages that were deleted.
func (b *Bot) unwritten(guild, channel string, messages ...string) {
	if r := b.room(guild); r != nil && r.channel == channel {
		for _, id := range messages {
			r.rewrite(id, "")
		}
	}
}

// speaker is what the author of a message is called in the guild.
func speaker(m *discordgo.Message) string {
	if m.Member != nil && m.Member.Nick != "" {
		return m.Member.Nick
	}
	return m.Author.DisplayName()
}

// said returns a message as it is spoken: mentions are names, and a reply to an
// NPC speaks to that NPC.
func (b *Bot) said(s *discordgo.Session, r *room, m *discordgo.Message) string {
	names := func(kind byte, id string) string { return nameOf(s, m, kind, id) }
	text := strings.TrimSpace(markup.ReplaceMentions(m.Content, names))
	to := m.ReferencedMessage
	if text == "" || to == nil || to.Author == nil || to.WebhookID == "" || to.WebhookID != r.mouth.webhookID() {
		return text
	}
	cast := r.cast()
	i := slices.IndexFunc(cast, func(n NPC) bool { return markup.WebhookName(n.Name) == to.Author.Username })
	if i < 0 || contains(text, cast[i].Name) {
		return text
	}
	return cast[i].Name + ", " + text
}

// nameOf is what a mention in a message stands for: '@' a user, '&' a role, '#' a
// channel. Empty is nothing known.
func nameOf(s *discordgo.Session, m *discordgo.Message, kind byte, id string) string {
	switch kind {
	case '@':
		for _, u := range m.Mentions {
			if u.ID == id {
				return u.DisplayName()
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

// errNoSession says that there is nothing a command could work on.
var errNoSession = errors.New("no session is running here; a DM starts one with /session start")
