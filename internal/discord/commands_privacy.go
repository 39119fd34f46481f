package discord

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/wording"
)

// showPrivacy says what is kept of people.
func showPrivacy(ctx context.Context, c *call) (string, error) {
	declined, err := c.guild.Declined(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains(declined, c.by.ID) {
		return c.say(wording.PrivacyInfo) + "\n" + c.say(wording.NowNotHeard), nil
	}
	return c.say(wording.PrivacyInfo) + "\n" + c.say(wording.NowHeard), nil
}

// changeConsent keeps whether somebody is heard from now on.
func changeConsent(ctx context.Context, c *call) (string, error) {
	heard := c.textOption("heard") == "yes"
	if err := c.bot.consents.setHeard(ctx, c.guild, c.by.ID, heard); err != nil {
		return "", err
	}
	if heard {
		return c.say(wording.HeardAgain), nil
	}
	return c.say(wording.NotHeard), nil
}

// forgetUser deletes what is kept of who asks for it, once that is confirmed.
func forgetUser(ctx context.Context, c *call) (string, error) {
	switch c.pressed {
	case "":
		c.buttons = []button{{c.say(wording.YesForGood), "privacy forget " + c.by.ID, discordgo.DangerButton}}
		return c.say(wording.ForgetSure), nil
	case c.by.ID:
	default:
		return "", wording.YourButton.With()
	}
	if r := c.bot.sessions.findSession(c.guild.ID()); r != nil {
		r.inbox.dropUser(c.by.ID)
	}
	n, err := c.guild.ForgetUser(ctx, c.by.ID, c.name)
	if err != nil {
		return "", err
	}
	return c.say(wording.Forgotten, wording.LinesGone.Of(n)), nil
}
