package discord

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// whisperTo whispers to one NPC, and shows its answer only to the user.
func whisperTo(ctx context.Context, c *call) (string, error) {
	text, err := c.requireText("text", NothingWhispered)
	if err != nil {
		return "", err
	}
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	if r.channel != c.channel.ID || r.paused.Load() || !c.bot.consents.isHeard(c.guild.ID(), c.by.ID) {
		return "", NotHeardHere.With()
	}
	var answer <-chan string
	n, err := c.orderNPC(func(t *table.Table, npc string) (err error) {
		answer, err = t.Whisper(ctx, npc, table.Utterance{Speaker: c.name, Text: text, User: play.UserRef(Front, c.by.ID), Ref: c.id, Leads: c.by.DM})
		return err
	})
	switch {
	case errors.Is(err, table.ErrTooMuch), errors.Is(err, table.ErrFlood):
		return "", TooMuchOfOne.With(escapeMarkup(c.name))
	case err != nil:
		return "", err
	}
	name := escapeMarkup(n.Name)
	select {
	case said := <-answer:
		if said == "" {
			return c.format(SaysNothingBack, name), nil
		}
		return c.format(WhispersBack, name, escapeMarkup(said)), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// showDate shows the date in the world. A DM can set it.
func showDate(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	date := r.played.Date()
	if to := c.textOption("to"); to != "" {
		if !c.by.DM {
			return "", dmRoles(c.bot.cfg.DMRoles).dmOnlyError()
		}
		if date, err = r.played.SetDate(ctx, to); err != nil {
			return "", err
		}
	}
	if date == "" {
		return c.format(NoDateYet), nil
	}
	return c.format(TodayIs, escapeMarkup(date)), nil
}
