package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"
)

// privacyInfo says what is kept of people.
const privacyInfo = `**What the bot keeps, on the machine that runs it:**
- While a session runs, what is written in its channel: your name there, your words, when, your Discord id and the message's. NPCs remember it, also in later sessions; the language model that plays them is given what was said lately, which may run at somebody else's.
- What you edit or delete while that session runs is changed or deleted there, too.
- What you tell with /feedback, for whoever runs the bot.
- Commands you gave that run a tool or change something: what, when, your Discord id.
- Your Discord id, if you do not want to be heard.
What is written without a session or in other channels is not kept, and what bots write is not heard.
**What you can do:** ` + "`/privacy consent`" + ` says whether you are heard, ` + "`/privacy forget`" + ` deletes all of this that is yours and of this server, but for your wish not to be heard. What NPCs answered stays, what was put into the world, and the messages on Discord, which you delete there. Backups are with whoever runs the bot.`

func (b *Bot) privacyInfo(ctx context.Context, c *call) (string, error) {
	declined, err := b.backend.Declined(ctx, c.guild)
	if err != nil {
		return "", err
	}
	if slices.Contains(declined, c.by.ID) {
		return privacyInfo + "\nNow you are **not heard**: what you write is not for the NPCs, and not kept.", nil
	}
	return privacyInfo + "\nNow you are **heard**.", nil
}

// privacyConsent keeps whether somebody is heard from now on.
func (b *Bot) privacyConsent(ctx context.Context, c *call) (string, error) {
	heard := c.str("heard") == "yes"
	if err := b.consent(ctx, c.guild, c.by.ID, heard); err != nil {
		return "", err
	}
	if heard {
		return "You are heard: while a session runs, what you write in its channel is for the NPCs, and kept.", nil
	}
	return "You are not heard from now on: what you write is not for the NPCs, and not kept. What you wrote before is; /privacy forget deletes it.", nil
}

// privacyForget deletes what is kept of who asks for it, once that is confirmed.
func (b *Bot) privacyForget(ctx context.Context, c *call) (string, error) {
	switch c.pressed {
	case "":
		c.buttons = []button{{"Yes, for good", "privacy forget " + c.by.ID, discordgo.DangerButton}}
		return "Delete all that you wrote in this server's sessions and feedback, for good? What NPCs answered stays, and what was put into the world.", nil
	case c.by.ID:
	default:
		return "", errors.New("this button is somebody else's; give the command yourself")
	}
	if r := b.room(c.guild); r != nil {
		r.inbox.forget(c.by.ID)
	}
	n, err := b.backend.Forget(ctx, c.guild, c.by.ID)
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

// heard reports whether a user is heard in a guild where a session runs. It does
// not wait.
func (b *Bot) heard(guild, user string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.declined[guild][user]
}

// learnDeclined learns who does not want to be heard in a guild.
func (b *Bot) learnDeclined(ctx context.Context, guild string) error {
	b.consents.Lock()
	defer b.consents.Unlock()
	all, err := b.backend.Declined(ctx, guild)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, user := range all {
		set[user] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.declined[guild] = set
	return nil
}

// consent keeps whether a user is heard.
func (b *Bot) consent(ctx context.Context, guild, user string, heard bool) error {
	b.consents.Lock()
	defer b.consents.Unlock()
	if err := b.backend.Consent(ctx, guild, user, heard); err != nil {
		return err
	}
	b.mu.Lock()
	if set := b.declined[guild]; set != nil {
		set[user] = !heard
	}
	b.mu.Unlock()
	if r := b.room(guild); r != nil && !heard {
		r.inbox.forget(user)
	}
	return nil
}
