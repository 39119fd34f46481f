package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"
)

// showPrivacy says what is kept of people.
const privacyInfo = `**What the bot keeps, on the machine that runs it:**
- While a session runs, what is written in its channel: your name there, your words, when, your Discord id and the message's. NPCs remember it, also in later sessions; the language model that plays them is given what was said lately, which may run at somebody else's.
- What you edit or delete while that session runs is changed or deleted there, too.
- What you tell with /feedback, for whoever runs the bot.
- Commands you gave that run a tool or change something: what, when, your Discord id.
- Your Discord id, if you do not want to be heard.
What is written without a session or in other channels is not kept, and what bots write is not heard.
**What you can do:** ` + "`/privacy consent`" + ` says whether you are heard, ` + "`/privacy forget`" + ` deletes all of this that is yours and of this server, but for your wish not to be heard. What NPCs answered stays, what was put into the world, and the messages on Discord, which you delete there. Backups are with whoever runs the bot.`

func showPrivacy(ctx context.Context, c *call) (string, error) {
	declined, err := c.guild.Declined(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains(declined, c.by.ID) {
		return privacyInfo + "\nNow you are **not heard**: what you write is not for the NPCs, and not kept.", nil
	}
	return privacyInfo + "\nNow you are **heard**.", nil
}

// changeConsent keeps whether somebody is heard from now on.
func changeConsent(ctx context.Context, c *call) (string, error) {
	heard := c.textOption("heard") == "yes"
	if err := c.bot.consents.setHeard(ctx, c.guild, c.by.ID, heard); err != nil {
		return "", err
	}
	if heard {
		return "You are heard: while a session runs, what you write in its channel is for the NPCs, and kept.", nil
	}
	return "You are not heard from now on: what you write is not for the NPCs, and not kept. What you wrote before is; /privacy forget deletes it.", nil
}

// forgetUser deletes what is kept of who asks for it, once that is confirmed.
func forgetUser(ctx context.Context, c *call) (string, error) {
	switch c.pressed {
	case "":
		c.buttons = []button{{"Yes, for good", "privacy forget " + c.by.ID, discordgo.DangerButton}}
		return "Delete all that you wrote in this server's sessions and feedback, for good? What NPCs answered stays, and what was put into the world.", nil
	case c.by.ID:
	default:
		return "", errors.New("this button is somebody else's; give the command yourself")
	}
	if r := c.bot.sessions.findSession(c.guild.ID()); r != nil {
		r.inbox.dropUser(c.by.ID)
	}
	n, err := c.guild.ForgetUser(ctx, c.by.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("What you wrote is forgotten: %s. /privacy consent says whether you are heard from now on.", counted(n, "line is gone", "lines are gone")), nil
}

// counted is a number of things in words.
func counted(n int, one, more string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
