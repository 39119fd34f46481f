package discord

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
)

// noMentions is who a message of the bot calls: nobody, whatever it says.
func noMentions() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

// postLine posts an NPC's line.
func (s *sender) postLine(ctx context.Context, npc, text string) {
	for again := false; ; again = true {
		s.mu.Lock()
		w, avatar := s.webhook, s.avatars[npc]
		s.mu.Unlock()
		if w == nil {
			for _, part := range markup.Split("**"+markup.Escape(npc)+":** "+text, markup.MaxMessage) {
				s.postAsBot(ctx, part)
			}
			return
		}
		thread := ""
		if s.parent != "" {
			thread = s.channel
		}
		_, err := s.rest.ExecuteWebhook(ctx, w, thread, &discordgo.WebhookParams{
			Content: text, Username: markup.WebhookName(npc), AvatarURL: avatar, AllowedMentions: noMentions(),
		})
		if rest.ErrorCode(err) == discordgo.ErrCodeUnknownWebhook && !again { // somebody deleted it
			if err = s.findWebhook(ctx); err == nil {
				continue
			}
		}
		s.checkPosted(err)
		return
	}
}

// postAsBot posts a message of the bot itself.
func (s *sender) postAsBot(ctx context.Context, text string) {
	_, err := s.rest.CreateMessage(ctx, s.channel, &discordgo.MessageSend{Content: text, AllowedMentions: noMentions()})
	s.checkPosted(err)
}

// checkPosted looks at how posting ended. Where nothing can be posted any more the
// session is over. It may be called by any goroutine.
func (s *sender) checkPosted(err error) {
	if err == nil {
		return
	}
	s.log.Warn("posting in a channel", "channel", s.channel, "reason", err)
	switch rest.ErrorCode(err) {
	case discordgo.ErrCodePerformedOperationOnArchivedThread, discordgo.ErrCodeThreadIsLocked:
		s.gone.Do(func() {
			s.lost("discord: the thread of a session is locked; the session is closed, and what was said is kept. Unlock it, then /session start")
		})
	case discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions:
		s.gone.Do(func() {
			s.lost(fmt.Sprintf("discord: the bot may not write in the channel of a session any more (%v); the session is closed, and what was said is kept. Give it View Channel, Send Messages and Manage Webhooks there, then /session start", err))
		})
	}
}
