package discord

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// startSession begins a session in the channel.
func (b *Bot) startSession(ctx context.Context, c *call) (string, error) {
	parent := ""
	if c.channel.Type == 0 && c.channel.ParentID == "" && c.channel.GuildID == "" { // the state does not know it
		asked, err := b.api.channel(ctx, c.channel.ID)
		if err != nil {
			return "", fmt.Errorf("looking at this channel: %w; give the bot View Channel here", err)
		}
		c.channel = asked
	}
	switch c.channel.Type {
	case discordgo.ChannelTypeGuildText:
	case discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		parent = c.channel.ParentID
	default:
		return "", fmt.Errorf("a session needs a text channel or a thread")
	}
	if lacking := missing(c.rights, parent != ""); len(lacking) > 0 {
		return "", fmt.Errorf("the bot cannot play here; give it %s in this channel", strings.Join(lacking, " and "))
	}
	r, err := b.open(ctx, c.guild, c.channel.ID, parent)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	name := r.sitting.Campaign
	if name == "" {
		name = "A new session"
	}
	fmt.Fprintf(&out, "**%s**\n", escape(name))
	if r.sitting.Scene != "" {
		fmt.Fprintf(&out, "%s\n", strings.TrimSpace(r.sitting.Scene))
	}
	var names []string
	for _, n := range r.cast() {
		names = append(names, escape(n.Name))
	}
	fmt.Fprintf(&out, "At the table: %s.\nWrite here to play, and begin with the name of whom you speak to. `/session stop` ends the session.", strings.Join(names, ", "))
	notices := r.sitting.Notices
	if !r.mouth.ownName() {
		notices = append(notices, "the bot speaks for the NPCs: give it the permission Manage Webhooks here, and start again, so that they speak under their own names")
	}
	notices = append(notices, "what is written here from now on is kept on the machine that runs the bot")
	for _, n := range notices {
		fmt.Fprintf(&out, "\n%s", notice("info", n))
	}
	return out.String(), nil
}

// missing names the permissions without which nothing can be played.
func missing(rights int64, thread bool) (names []string) {
	need := []struct {
		right int64
		name  string
	}{{discordgo.PermissionViewChannel, "View Channel"}, {discordgo.PermissionSendMessages, "Send Messages"}}
	if thread {
		need[1].right, need[1].name = discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads"
	}
	for _, n := range need {
		if rights&(n.right|discordgo.PermissionAdministrator) == 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// stopSession ends the session.
func (b *Bot) stopSession(_ context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	if err := b.finish(r, ""); err != nil {
		return "", fmt.Errorf("the session has ended, but not in order: %w", err)
	}
	return fmt.Sprintf("The session has ended after %s. What was said is kept.", lasted(time.Since(r.began))), nil
}

func (b *Bot) sessionStatus(ctx context.Context, c *call) (string, error) {
	r, err := c.room()
	if err != nil {
		return "", err
	}
	list, err := cast(ctx, r)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("In <#%s> for %s: %s\n%s", r.channel, lasted(time.Since(r.began)), escape(r.sitting.Campaign), list), nil
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
		line := "- " + escape(s.Name)
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
	return escape(said) + ".", nil
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
		fmt.Fprintf(&out, "-# %s: half of the last %d answers began within %s, 95 %% within %s\n", s.Tier, s.Turns, span(s.FirstSoundP50), span(s.FirstSoundP95))
	}
	return out.String(), nil
}

// tierOf describes the tier of an NPC.
func tierOf(s table.Status) string {
	line := fmt.Sprintf("%s: %s, now up to %s", escape(s.Name), s.Tier, s.Ceiling)
	if s.Lease != nil {
		line += fmt.Sprintf(" (raised, ends <t:%d:R> or after %d turns)", s.Lease.Until.Unix(), s.Lease.Turns)
	}
	if s.Muted {
		line += ", silent"
	}
	if s.Directive != "" {
		line += fmt.Sprintf(", directed for %d turns: %s", s.DirectiveTurns, escape(s.Directive))
	}
	return line
}

// span is a duration as people read it.
func span(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
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
