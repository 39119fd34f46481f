package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// noMentions is who a message of the bot calls: nobody, whatever it says.
func noMentions() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

// spokenByBot is an NPC's line where the bot speaks for the NPCs.
func spokenByBot(npc, text string) string { return "**" + escapeMarkup(npc) + ":** " + text }

// splitLine cuts what an NPC says into messages, whoever is to post them. No link in it
// has other words than its address.
func splitLine(npc, text string) []string {
	return splitMessage(showAddresses(text), maxMessage-len([]rune(spokenByBot(npc, ""))))
}

// postOnce asks Discord once to post a message, and returns its id.
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
	if ErrorCode(err) == discordgo.ErrCodeUnknownWebhook && !p.renewed { // somebody deleted it
		p.renewed = true
		if err := s.findWebhook(ctx); err != nil {
			return "", err
		}
		return s.postOnce(ctx, p)
	}
	return m.ID, err
}

// currentWebhook is through what NPCs speak, nil if the bot speaks for them, and what an
// NPC looks like.
func (s *sender) currentWebhook(npc string) (*discordgo.Webhook, string) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.webhook, s.shared.avatars[npc]
}

// maxLookedThrough bounds the messages, in hundreds, among which one is looked for.
const maxLookedThrough = 5

// findPosted looks in the channel for a message that Discord may have taken without saying
// so. Only what came after the last message that was posted can be it.
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
		for _, m := range slices.Backward(found) { // the oldest first
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

// maxEchoes bounds the messages that are remembered of those the gateway told of.
const maxEchoes = 64

// recordEcho records a message of the bot itself that the gateway has sent.
func (s *sender) recordEcho(m *discordgo.Message) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.echoes = append(s.shared.echoes[max(len(s.shared.echoes)-maxEchoes+1, 0):], m)
}

// findEcho looks for a message among those that the gateway has sent: it sends them also where the
// bot may not read the channel's history.
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

// later reports whether an id was given after another.
func later(id, than string) bool {
	return len(id) > len(than) || len(id) == len(than) && id > than
}

// isPosting reports whether a message of the channel is what was to be posted.
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

// isOurWebhook reports whether the bot speaks, or spoke, through a webhook.
func (s *sender) isOurWebhook(id string) bool {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return slices.Contains(s.shared.webhooks, id)
}

// checkPosted logs an error of posting. Where nothing can be posted any more it ends the
// session. It may be called by any goroutine.
func (s *sender) checkPosted(err error) {
	if err == nil {
		return
	}
	s.log.Warn("posting in a channel", "channel", s.channel, "reason", err)
	var why string
	switch ErrorCode(err) {
	case discordgo.ErrCodePerformedOperationOnArchivedThread, discordgo.ErrCodeThreadIsLocked:
		why = "discord: the thread of a session is locked; the session is closed, and what was said is kept. Unlock it, then /session start"
	case discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions:
		why = fmt.Sprintf("discord: the bot may not write in the channel of a session any more (%v); the session is closed, and what was said is kept. Give it View Channel, Send Messages and Manage Webhooks there, then /session start", err)
	default:
		return
	}
	if s.bar(err) {
		s.hooks.lost(why)
		s.tellElsewhere(err)
	}
}

// bar records why the bot may not post in the channel any more, and reports whether that
// is new.
func (s *sender) bar(why error) bool {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.barred != nil {
		return false
	}
	s.shared.barred = why
	return true
}

// whyBarred is why the bot may not post in the channel any more, nil if it may.
func (s *sender) whyBarred() error {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.barred
}
