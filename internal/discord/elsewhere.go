package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// reportTarget describes where to report problems that cannot be posted in the session's channel.
type reportTarget struct {
	guild, starter string // starter is the user who started the session
	language       Language
}

// setReportTarget sets the recipient of reports that cannot be posted in the channel.
func (s *sender) setReportTarget(h reportTarget) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.reportTarget = h
}

func (s *sender) currentReportTarget() reportTarget {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.reportTarget
}

// messageStarter sends a direct message to the user who started the session.
func (s *sender) messageStarter(ctx context.Context, text func(Language) string) {
	h := s.currentReportTarget()
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

// maxOtherChannels bounds the other channels that are tried when the session's channel is closed to the bot.
const maxOtherChannels = 5

// reportChannelLost reports that the bot has no access to the session's channel: to the user who started the
// session, or else in another channel of the guild.
func (s *sender) reportChannelLost(why error) {
	h := s.currentReportTarget()
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
		if c.Type != discordgo.ChannelTypeGuildText || c.ID == s.channel || tried == maxOtherChannels {
			continue
		}
		tried++
		if _, err = s.rest.CreateMessage(ctx, c.ID, m); err == nil {
			return
		}
	}
	s.log.Warn("telling that a session's channel is closed", "guild", h.guild, "reason", err)
}
