package discord

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// ackWithin is the time within which Discord expects the first response to an interaction.
	ackWithin = 3 * time.Second
	// ackRetry is the pause before a retry.
	ackRetry = 200 * time.Millisecond
)

// deferAnswer tells Discord that the answer to an interaction will follow. It returns nil only if Discord
// acknowledged that.
func (d *dispatcher) deferAnswer(ctx context.Context, i *discordgo.Interaction, open, pressed bool) error {
	coming := &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: messageFlags(open)},
	}
	if pressed {
		coming = &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}
	}
	began, doubt := time.Now(), false
	for {
		err := d.rest.Respond(ctx, i, coming)
		switch {
		case err == nil:
			return nil
		case doubt && ErrorCode(err) == discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged:
			return nil // an earlier attempt succeeded, but its response was lost
		case RefusedAnswer(err):
			return err
		}
		doubt = doubt || DoubtfulAnswer(err)
		if time.Since(began)+ackRetry > ackWithin || !WaitFor(ctx, ackRetry) {
			return fmt.Errorf("announcing the answer: %w", err)
		}
	}
}

// reportNotRun tells the user that a command was not run: in place of the answer if Discord still expects one,
// else in the channel.
func (d *dispatcher) reportNotRun(ctx context.Context, i *discordgo.Interaction) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RestTimeout)
	defer cancel()
	text := noticeText("warning", NotDone.In(languageOf(i)))
	if d.rest.EditResponse(ctx, i, &discordgo.WebhookEdit{Content: &text, AllowedMentions: noMentions()}) == nil {
		return
	}
	if i.Member != nil && i.Member.User != nil {
		text = noticeText("warning", NotDoneFor.In(languageOf(i), i.Member.User.ID))
	}
	if _, err := d.rest.CreateMessage(ctx, i.ChannelID, &discordgo.MessageSend{Content: text, AllowedMentions: noMentions()}); err != nil {
		d.log.Warn("telling that a command was not carried out", "reason", err)
	}
}
