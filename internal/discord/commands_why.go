package discord

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// explainAnswer says what went into an NPC's last answer, to whoever leads the game alone.
func explainAnswer(ctx context.Context, c *call) (string, error) {
	var b table.Basis
	_, err := c.orderNPC(func(t *table.Table, npc string) (err error) {
		b, err = table.Why(ctx, t, npc)
		return err
	})
	if err != nil {
		return "", err
	}
	short := func(s string) string { return clipText(escapeMarkup(s), maxLine) }
	out := []string{
		c.say(wording.WhyAnswer, short(b.NPC), short(b.Speaker), short(b.Utterance)),
		c.say(wording.WhyTier, b.Tier, b.Ceiling, clipText(b.Reason, maxLine)),
	}
	list := func(what wording.Text, all []string) {
		for _, one := range all {
			out = append(out, c.say(what, short(one)))
		}
	}
	if b.Context.Scene != "" {
		list(wording.WhyScene, []string{b.Context.Scene})
	}
	list(wording.WhyTool, b.Findings)
	list(wording.WhyMentioned, b.Context.Entities)
	list(wording.WhyLine, b.Context.Lines)
	out = append(out, c.say(wording.WhyConversation, b.Exchanges))
	if b.Secrets > 0 {
		out = append(out, c.say(wording.WhySecrets, b.Told, b.Secrets))
	}
	if b.Withheld > 0 {
		out = append(out, c.say(wording.WhyWithheld, b.Withheld))
	}
	return strings.Join(out, "\n"), nil
}
