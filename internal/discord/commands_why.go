package discord

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// explainAnswer shows a DM the basis of an NPC's last answer.
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
		c.format(WhyAnswer, short(b.NPC), short(b.Speaker), short(b.Utterance)),
		c.format(WhyTier, b.Tier, b.Ceiling, tierReason(c.lang, b.Reason)),
	}
	list := func(what Text, all []string) {
		for _, one := range all {
			out = append(out, c.format(what, short(one)))
		}
	}
	if b.Context.Scene != "" {
		list(WhyScene, []string{b.Context.Scene})
	}
	list(WhyTool, b.Findings)
	list(WhyMentioned, b.Context.Entities)
	list(WhyLine, b.Context.Lines)
	out = append(out, c.format(Verbatim, WhyConversation.Of(b.Exchanges)))
	if b.Secrets > 0 {
		out = append(out, c.format(WhySecrets, b.Told, b.Secrets))
	}
	if b.Withheld > 0 {
		out = append(out, c.format(Verbatim, WhyWithheld.Of(b.Withheld)))
	}
	return strings.Join(out, "\n"), nil
}

// tierReasons describe the reasons for a tier.
var tierReasons = map[string]Text{
	tier.ReasonOverride: ReasonOverride, tier.ReasonDeep: ReasonDeep, tier.ReasonSpam: ReasonSpam, tier.ReasonQueue: ReasonQueue,
	tier.ReasonStandard: ReasonStandard, tier.ReasonFirst: ReasonFirst, tier.ReasonDefault: ReasonDefault,
	"puppet": ReasonPuppet, "reaction": ReasonReaction, retrieve.ReasonRules: ReasonRules, retrieve.ReasonMemory: ReasonMemory,
}

// tierReason returns a readable reason for a tier.
func tierReason(l Language, reason string) string {
	if t, ok := tierReasons[reason]; ok {
		return t.In(l)
	}
	return clipText(reason, maxLine)
}
