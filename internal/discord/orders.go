package discord

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

func (b *Bot) sessionStatus(ctx context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	list, err := cast(ctx, r)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("In <#%s> for %s: %s\n%s", r.channel, lasted(time.Since(r.began)), markup.Escape(r.sitting.Campaign), list), nil
}

func npcList(ctx context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	return cast(ctx, r)
}

// cast describes the NPCs at a table, a line each, as players may know them.
func cast(ctx context.Context, r *room) (string, error) {
	all, err := r.sitting.Table.Status(ctx)
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

// order runs an order to the table of the guild.
func order(c *call, do func(t *table.Table) (string, error)) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	said, err := do(r.sitting.Table)
	if err != nil {
		return "", err
	}
	return markup.Escape(said) + ".", nil
}

func npcMute(ctx context.Context, c *call) (string, error) { return mute(ctx, c, c.str("npc"), true) }
func npcUnmute(ctx context.Context, c *call) (string, error) {
	return mute(ctx, c, c.str("npc"), false)
}
func npcMuteAll(ctx context.Context, c *call) (string, error) {
	return mute(ctx, c, "all", true)
}
func npcUnmuteAll(ctx context.Context, c *call) (string, error) {
	return mute(ctx, c, "all", false)
}

func mute(ctx context.Context, c *call, npc string, muted bool) (string, error) {
	return order(c, func(t *table.Table) (string, error) { return t.Mute(ctx, npc, muted) })
}

func npcSay(ctx context.Context, c *call) (string, error) {
	return order(c, func(t *table.Table) (string, error) {
		return c.str("npc") + " will say it", t.Say(ctx, c.str("npc"), c.str("text"))
	})
}

func npcDirect(ctx context.Context, c *call) (string, error) {
	return order(c, func(t *table.Table) (string, error) {
		return t.Direct(ctx, c.str("npc"), c.str("text"), c.num("turns"))
	})
}

// npcReload reads the NPC files anew.
func npcReload(ctx context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	said, err := r.reload(ctx)
	if err != nil {
		return "", err
	}
	lines := strings.Split(said, "\n")
	for i := range lines {
		lines[i] = markup.Escape(lines[i])
	}
	return strings.Join(lines, "\n"), nil
}

func tierRaise(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.str("tier"))
	if err != nil {
		return "", err
	}
	return order(c, func(t *table.Table) (string, error) {
		return t.Raise(ctx, c.str("npc"), to, time.Duration(c.num("minutes"))*time.Minute, c.num("turns"))
	})
}

func tierLower(ctx context.Context, c *call) (string, error) {
	return order(c, func(t *table.Table) (string, error) { return t.Lower(ctx, c.str("npc"), mcp.BudgetFast) })
}

func tierCap(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.str("tier"))
	if err != nil {
		return "", err
	}
	return order(c, func(t *table.Table) (string, error) { return t.Lower(ctx, c.str("npc"), to) })
}

// tierStatus describes tiers and raises, and what answers take.
func tierStatus(ctx context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	all, err := r.sitting.Table.Status(ctx)
	if err != nil {
		return "", err
	}
	stages, err := r.sitting.Table.Stages(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range all {
		fmt.Fprintf(&out, "- %s\n", tierOf(s))
	}
	for _, s := range stages {
		fmt.Fprintf(&out, "-# %s, of %s: half began within %s, 95 %% within %s\n", s.Tier, counted(s.Turns, "answer", "answers"), elapsed.Text(elapsed.Millis(s.FirstSoundP50)), elapsed.Text(elapsed.Millis(s.FirstSoundP95)))
	}
	return out.String(), nil
}

// tierOf describes the tier of an NPC.
func tierOf(s table.Status) string {
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
	return line
}

// lasted is how long a session went on, in words.
func lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
