package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// noMentions disables all mentions in a message.
func noMentions() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

// spokenByBot formats an NPC's line for a message of the bot.
func spokenByBot(npc, text string) string { return "**" + escapeMarkup(npc) + ":** " + text }

// splitLine splits an NPC's line into messages that fit with and without a webhook. It shows links'
// addresses.
func splitLine(npc, text string) []string {
	return splitMessage(showAddresses(text), maxMessage-len([]rune(spokenByBot(npc, ""))))
}

// postOnce makes one attempt to post a message, and returns its id.
func (s *sender) postOnce(ctx context.Context, p *posting) (id string, err error) {
	w, avatar := s.currentWebhook(p.npc)
	p.by = w
	if p.npc == "" || w == nil {
		if err := s.whyBarred(); err != nil {
			return "", err
		}
		text := p.text
		if p.npc != "" {
			text = spokenByBot(p.npc, p.text)
		}
		m, err := s.rest.CreateMessageOnce(ctx, s.channel, p.nonce, &discordgo.MessageSend{Content: text, AllowedMentions: noMentions()})
		return m.ID, err
	}
	thread := ""
	if s.parent != "" {
		thread = s.channel
	}
	m, err := s.rest.ExecuteWebhook(ctx, w, thread, &discordgo.WebhookParams{
		Content: p.text, Username: nameOnWebhook(p.npc), AvatarURL: avatar, AllowedMentions: noMentions(),
	})
	if ErrorCode(err) == discordgo.ErrCodeUnknownWebhook && !p.renewed { // it was deleted
		p.renewed = true
		if err := s.findWebhook(ctx); err != nil {
			return "", err
		}
		return s.postOnce(ctx, p)
	}
	return m.ID, err
}

// currentWebhook returns the webhook for NPCs' lines, nil if the bot posts them, and an NPC's avatar.
func (s *sender) currentWebhook(npc string) (*discordgo.Webhook, string) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.webhook, s.shared.avatars[npc]
}

// maxLookedThrough bounds the requests for messages, of MessagesAtOnce each, in a search.
const maxLookedThrough = 5

// findPosted looks in the channel for a message that Discord may have accepted without confirming it. It
// searches only after the last posted message.
func (s *sender) findPosted(ctx context.Context, p *posting) (id string, err error) {
	if id := s.findEcho(p); id != "" {
		return id, nil
	}
	after := s.posted
	for range maxLookedThrough {
		found, err := s.rest.MessagesAfter(ctx, s.channel, after)
		if err != nil {
			return "", err
		}
		for _, m := range slices.Backward(found) { // oldest first
			if s.isPosting(m, p) {
				return m.ID, nil
			}
		}
		if len(found) < MessagesAtOnce {
			break
		}
		after = found[0].ID
	}
	return "", nil
}

// maxEchoes bounds the remembered messages from the gateway.
const maxEchoes = 64

// recordEcho records a message of the bot that the gateway sent.
func (s *sender) recordEcho(m *discordgo.Message) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.echoes = append(s.shared.echoes[max(len(s.shared.echoes)-maxEchoes+1, 0):], m)
}

// findEcho looks for a message among those from the gateway, which sends them even if the bot may not read
// the channel's history.
func (s *sender) findEcho(p *posting) (id string) {
	s.shared.mu.Lock()
	echoes := slices.Clone(s.shared.echoes)
	s.shared.mu.Unlock()
	for _, m := range echoes {
		if later(m.ID, s.posted) && s.isPosting(m, p) {
			return m.ID
		}
	}
	return ""
}

// later reports whether an id was created after another.
func later(id, than string) bool {
	return len(id) > len(than) || len(id) == len(than) && id > than
}

// isPosting reports whether a message in the channel is the posting.
func (s *sender) isPosting(m *discordgo.Message, p *posting) bool {
	if m.Author == nil {
		return false
	}
	content := strings.TrimSpace(m.Content)
	if m.WebhookID != "" {
		return p.npc != "" && s.isOurWebhook(m.WebhookID) && m.Author.Username == nameOnWebhook(p.npc) && content == strings.TrimSpace(p.text)
	}
	text := p.text
	if p.npc != "" {
		text = spokenByBot(p.npc, text)
	}
	return m.Author.Bot && m.Author.ID == s.rest.ApplicationID() && content == strings.TrimSpace(text)
}

// isOurWebhook reports whether a webhook is or was the sender's.
func (s *sender) isOurWebhook(id string) bool {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return slices.Contains(s.shared.webhooks, id)
}

// checkPosted logs a posting error. If the channel is closed to the bot, it ends the session. It is safe for
// concurrent use.
func (s *sender) checkPosted(err error) {
	if err == nil {
		return
	}
	s.log.Warn("posting in a channel", "channel", s.channel, "reason", err)
	var why string
	switch ErrorCode(err) {
	case discordgo.ErrCodePerformedOperationOnArchivedThread, discordgo.ErrCodeThreadIsLocked:
		why = "discord: the thread of a session is locked; the session has ended, and everything said is saved. Unlock the thread, then use /session start"
	case discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions:
		why = fmt.Sprintf("discord: the bot may no longer write in the channel of a session (%v); the session has ended, and everything said is saved. Give the bot View Channel, Send Messages and Manage Webhooks there, then use /session start", err)
	default:
		return
	}
	if s.bar(err) {
		s.hooks.channelLost(why)
		s.reportChannelLost(err)
	}
}

// bar records why the bot cannot post in the channel any more. It reports whether this is the first time.
func (s *sender) bar(why error) bool {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.barred != nil {
		return false
	}
	s.shared.barred = why
	return true
}

// whyBarred returns why the bot cannot post in the channel, nil if it can.
func (s *sender) whyBarred() error {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.barred
}
