package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// home is who is told what cannot be told in the session's channel, and how.
type home struct {
	guild, starter string // starter is who started the session
	language       Language
}

// setHome sets who receives what cannot be posted in the channel.
func (s *sender) setHome(h home) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.home = h
}

func (s *sender) currentHome() home {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.home
}

// tellStarter tells something to who started the session, in a direct message.
func (s *sender) tellStarter(ctx context.Context, text func(Language) string) {
	h := s.currentHome()
	if h.starter == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, RestTimeout)
	defer cancel()
	dm, err := s.rest.OpenDM(ctx, h.starter)
	if err == nil {
		_, err = s.rest.CreateMessage(ctx, dm.ID, &discordgo.MessageSend{Content: text(h.language), AllowedMentions: noMentions()})
	}
	if err != nil {
		s.log.Warn("telling who started a session", "guild", h.guild, "reason", err)
	}
}

// mostElsewhere is in how many other channels it is tried to tell what cannot be told in
// the session's.
const mostElsewhere = 5

// tellElsewhere tells that the session's channel is closed to the bot: whoever started the
// session, else another channel of the guild.
func (s *sender) tellElsewhere(why error) {
	h := s.currentHome()
	if h.guild == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), RestTimeout)
	defer cancel()
	m := &discordgo.MessageSend{
		Content: noticeText("warning", SessionLost.In(h.language, s.channel, why)), AllowedMentions: noMentions(),
	}
	dm, err := s.rest.OpenDM(ctx, h.starter)
	if err == nil {
		_, err = s.rest.CreateMessage(ctx, dm.ID, m)
	}
	if err == nil {
		return
	}
	all, err := s.rest.GuildChannels(ctx, h.guild)
	tried := 0
	for _, c := range all {
		if c.Type != discordgo.ChannelTypeGuildText || c.ID == s.channel || tried == mostElsewhere {
			continue
		}
		tried++
		if _, err = s.rest.CreateMessage(ctx, c.ID, m); err == nil {
			return
		}
	}
	s.log.Warn("telling that a session's channel is closed", "guild", h.guild, "reason", err)
}
