package discord

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

func showSessionStatus(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	list, err := describeNPCs(ctx, r)
	if err != nil {
		return "", err
	}
	how, err := r.played.Table.Listening(ctx)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("In <#%s> for %s: %s\n%s\nThe NPCs %s.", r.channel, sessionLength(time.Since(r.began)), markup.Escape(r.played.Campaign), list, markup.Escape(how.Describe()))
	if r.voice != nil {
		text += strings.Join(append([]string{""}, r.voice.describe(c.lang)...), "\n")
	}
	if c.by.DM {
		text += "\nSo far " + markup.Escape(r.played.Cost().Headline()) + "."
		withheld, err := countWithheld(ctx, r)
		if err != nil {
			return "", err
		}
		if withheld > 0 {
			text += fmt.Sprintf("\nNPCs were kept from saying something %s.", counted(withheld, "time", "times"))
		}
	}
	return text, nil
}

// countWithheld is how often something was withheld that NPCs were about to say.
func countWithheld(ctx context.Context, r *session) (n int, err error) {
	all, err := r.played.Table.Status(ctx)
	for _, s := range all {
		n += s.Withheld
	}
	return n, err
}

func listNPCs(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	return describeNPCs(ctx, r)
}

// describeNPCs describes the NPCs at a table, a line each, as players may know them.
func describeNPCs(ctx context.Context, r *session) (string, error) {
	all, err := r.played.Table.Status(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, s := range all {
		line := "- " + markup.Escape(s.Name)
		if s.Muted {
			line += " (silent)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}

// giveOrder runs an order to the table of the guild.
func giveOrder(c *call, do func(t *table.Table) (string, error)) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	said, err := do(r.played.Table)
	if err != nil {
		return "", err
	}
	return markup.Escape(said) + ".", nil
}

func muteOne(ctx context.Context, c *call) (string, error) {
	return muteNPC(ctx, c, c.textOption("npc"), true)
}
func unmuteOne(ctx context.Context, c *call) (string, error) {
	return muteNPC(ctx, c, c.textOption("npc"), false)
}
func muteAll(ctx context.Context, c *call) (string, error) {
	return muteNPC(ctx, c, "all", true)
}
func unmuteAll(ctx context.Context, c *call) (string, error) {
	return muteNPC(ctx, c, "all", false)
}

func muteNPC(ctx context.Context, c *call, npc string, muted bool) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) { return t.Mute(ctx, npc, muted) })
}

func sayAsNPC(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) {
		return c.textOption("npc") + " will say it", t.Say(ctx, c.textOption("npc"), c.textOption("text"))
	})
}

func directNPC(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) {
		return t.Direct(ctx, c.textOption("npc"), c.textOption("text"), c.numberOption("turns"))
	})
}

func revealSecrets(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) {
		return t.Reveal(ctx, c.textOption("npc"), c.textOption("which"))
	})
}

func concealSecrets(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) { return t.Conceal(ctx, c.textOption("npc")) })
}

// listenNow has the NPCs listen otherwise, or says how they listen.
func listenNow(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) {
		name := c.textOption("how")
		if name == "" {
			how, err := t.Listening(ctx)
			return "the NPCs " + how.Describe(), err
		}
		how, err := address.ParseListening(name)
		if err != nil {
			return "", err
		}
		return t.Listen(ctx, how)
	})
}

// reloadNPCs reads the NPC files anew.
func reloadNPCs(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	said, err := r.reloadNPCs(ctx)
	if err != nil {
		return "", err
	}
	lines := strings.Split(said, "\n")
	for i := range lines {
		lines[i] = markup.Escape(lines[i])
	}
	return strings.Join(lines, "\n"), nil
}

func raiseTier(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.textOption("tier"))
	if err != nil {
		return "", err
	}
	return giveOrder(c, func(t *table.Table) (string, error) {
		return t.Raise(ctx, c.textOption("npc"), to, time.Duration(c.numberOption("minutes"))*time.Minute, c.numberOption("turns"))
	})
}

func lowerTier(ctx context.Context, c *call) (string, error) {
	return giveOrder(c, func(t *table.Table) (string, error) { return t.Lower(ctx, c.textOption("npc"), mcp.BudgetFast) })
}

func capTier(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.textOption("tier"))
	if err != nil {
		return "", err
	}
	return giveOrder(c, func(t *table.Table) (string, error) { return t.Lower(ctx, c.textOption("npc"), to) })
}

// showTiers describes tiers and raises, and what answers take.
func showTiers(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	all, err := r.played.Table.Status(ctx)
	if err != nil {
		return "", err
	}
	stages, err := r.played.Table.Stages(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range all {
		fmt.Fprintf(&out, "- %s\n", describeTier(s))
	}
	for _, s := range stages {
		fmt.Fprintf(&out, "-# %s, of %s: half began within %s, 95 %% within %s\n", s.Tier, counted(s.Turns, "answer", "answers"), elapsed.Text(elapsed.Millis(s.FirstSoundP50)), elapsed.Text(elapsed.Millis(s.FirstSoundP95)))
	}
	return out.String(), nil
}

// describeTier describes the tier of an NPC.
func describeTier(s table.Status) string {
	line := fmt.Sprintf("%s: %s, now up to %s", markup.Escape(s.Name), s.Tier, s.Ceiling)
	if s.Lease != nil {
		line += fmt.Sprintf(" (raised, ends <t:%d:R> or after %d turns)", s.Lease.Until.Unix(), s.Lease.Turns)
	}
	if s.Muted {
		line += ", silent"
	}
	if s.Directive != "" {
		line += fmt.Sprintf(", directed for %d turns: %s", s.DirectiveTurns, markup.Escape(s.Directive))
	}
	if s.Revealed > 0 {
		line += ", may tell " + counted(s.Revealed, "secret", "secrets")
	}
	return line
}

// sessionLength is how long a session went on, in words.
func sessionLength(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
