package discord

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// everyNPC stands for all NPCs in the option npc.
	everyNPC = "all"
	// directedTurns is the default duration of a direction, in turns.
	directedTurns = 3
)

func listNPCs(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	lines, err := c.describeNPCs(ctx, r)
	if err != nil {
		return "", err
	}
	return c.showPage("npc list", "", lines, "")
}

// describeNPCs describes the NPCs at the table, one per line, without details that players must not see.
func (c *call) describeNPCs(ctx context.Context, r *session) (lines []string, err error) {
	all, err := r.played.Table.Status(ctx)
	for _, s := range all {
		name := escapeMarkup(s.Name)
		if s.Muted {
			name = c.format(Silent, name)
		}
		lines = append(lines, "- "+name)
	}
	return lines, err
}

// namedNPC finds an NPC at the table by name.
func (r *session) namedNPC(name string) (config.NPC, error) {
	cast := r.presentNPCs()
	i, err := table.Lookup(cast, name)
	if err != nil {
		var names []string
		for _, n := range cast {
			names = append(names, n.Name)
		}
		return config.NPC{}, NoSuchNPC.With(name, strings.Join(names, ", "))
	}
	return cast[i], nil
}

// isEveryone reports whether a name stands for all NPCs.
func (c *call) isEveryone(name string) bool {
	return strings.EqualFold(name, everyNPC) || strings.EqualFold(name, c.format(EveryNPC))
}

// orderNPCs calls do for the NPC in the option npc, or for all of them. It returns the NPC's escaped name, ""
// for all.
func (c *call) orderNPCs(do func(t *table.Table, npc string) error) (shown string, err error) {
	name := c.textOption("npc")
	if c.isEveryone(name) {
		r, err := c.runningSession()
		if err != nil {
			return "", err
		}
		return "", do(r.played.Table, everyNPC)
	}
	n, err := c.orderNPC(do)
	return escapeMarkup(n.Name), err
}

// orderNPC calls do for the NPC in the option npc.
func (c *call) orderNPC(do func(t *table.Table, npc string) error) (config.NPC, error) {
	r, err := c.runningSession()
	if err != nil {
		return config.NPC{}, err
	}
	name := c.textOption("npc")
	if c.isEveryone(name) {
		return config.NPC{}, NameOneNPC.With()
	}
	n, err := r.namedNPC(name)
	if err != nil {
		return n, err
	}
	return n, do(r.played.Table, n.Name)
}

func muteOne(ctx context.Context, c *call) (string, error)   { return muteNPCs(ctx, c, true) }
func unmuteOne(ctx context.Context, c *call) (string, error) { return muteNPCs(ctx, c, false) }
func muteAll(ctx context.Context, c *call) (string, error) {
	c.options["npc"] = everyNPC
	return muteNPCs(ctx, c, true)
}
func unmuteAll(ctx context.Context, c *call) (string, error) {
	c.options["npc"] = everyNPC
	return muteNPCs(ctx, c, false)
}

func muteNPCs(ctx context.Context, c *call, muted bool) (string, error) {
	who, err := c.orderNPCs(func(t *table.Table, npc string) error {
		_, err := t.Mute(ctx, npc, muted)
		return err
	})
	said := NPCUnmuted
	if muted {
		said = NPCMuted
	}
	return said.In(c.lang, who), err
}

func sayAsNPC(ctx context.Context, c *call) (string, error) {
	text, err := c.requireText("text", NothingToSay)
	if err != nil {
		return "", err
	}
	n, err := c.orderNPC(func(t *table.Table, npc string) error { return t.Say(ctx, npc, text) })
	return c.format(WillSayIt, escapeMarkup(n.Name)), err
}

func directNPC(ctx context.Context, c *call) (string, error) {
	text, turns := c.textOption("text"), c.numberOption("turns")
	if turns <= 0 {
		turns = directedTurns
	}
	who, err := c.orderNPCs(func(t *table.Table, npc string) error {
		_, err := t.Direct(ctx, npc, text, turns)
		return err
	})
	if text == "" {
		return NPCPlaysFreely.In(c.lang, who), err
	}
	return NPCDirected.In(c.lang, who, Answers.Of(turns), escapeMarkup(text)), err
}

// revealSecrets allows an NPC to tell a secret, or lists its secrets.
func revealSecrets(ctx context.Context, c *call) (said string, err error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	if c.isEveryone(c.textOption("npc")) {
		return "", NameOneNPC.With()
	}
	n, err := r.namedNPC(c.textOption("npc"))
	if err != nil {
		return "", err
	}
	which, name, has := c.textOption("which"), escapeMarkup(n.Name), len(n.SecretKnowledge)
	number, notNumber := strconv.Atoi(which)
	switch {
	case has == 0:
		return "", KeepsNothing.With(name)
	case strings.EqualFold(which, everyNPC), which == "" && has == 1:
		which, said = everyNPC, c.format(MayTellAll, name)
	case which == "":
		return c.listSecrets(n), nil
	case notNumber != nil || number < 1 || number > has:
		return "", NoSuchSecret.With(name, which, has)
	default:
		said = c.format(MayTellSecret, name, number)
	}
	_, err = r.played.Table.Reveal(ctx, n.Name, which)
	return said, err
}

// listSecrets numbers the secrets of an NPC.
func (c *call) listSecrets(n config.NPC) string {
	lines := []string{c.format(KeepsThese, escapeMarkup(n.Name))}
	for i, s := range n.SecretKnowledge {
		lines = append(lines, fmt.Sprintf("%d: %s", i+1, clipText(escapeMarkup(s.Text), maxLine)))
	}
	return strings.Join(lines, "\n")
}

func concealSecrets(ctx context.Context, c *call) (string, error) {
	n, err := c.orderNPC(func(t *table.Table, npc string) error {
		_, err := t.Conceal(ctx, npc)
		return err
	})
	return c.format(KeepsAllAgain, escapeMarkup(n.Name)), err
}

// listenNow changes when the NPCs answer, or shows the current setting.
func listenNow(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	how, err := r.played.Table.Listening(ctx)
	if name := c.textOption("how"); name != "" && err == nil {
		if how, err = address.ParseListening(name); err == nil {
			_, err = r.played.Table.Listen(ctx, how)
		}
	}
	return c.format(listeningText(how)), err
}

// listeningText describes a listening mode.
func listeningText(how address.Listening) Text {
	switch how {
	case address.Eager:
		return ListenEager
	case address.CalledOnly:
		return ListenCalled
	}
	return ListenAttend
}

// reloadNPCs reads the NPC files again.
func reloadNPCs(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	changed, err := r.reloadNPCs(ctx)
	if err != nil {
		return "", err
	}
	lines := describeCastChange(c.lang, changed.CastChange)
	for _, note := range changed.Notes {
		lines = append(lines, escapeMarkup(Translate(c.lang, note)))
	}
	return strings.Join(lines, "\n"), nil
}

// describeCastChange describes the changes to the NPCs at the table.
func describeCastChange(l Language, c table.CastChange) (lines []string) {
	for _, p := range []struct {
		names []string
		said  TextGroup
	}{{c.Joined, CastJoins}, {c.Changed, CastChanges}, {c.Left, CastLeaves}} {
		var names []string
		for _, n := range p.names {
			names = append(names, escapeMarkup(n))
		}
		if len(names) > 0 {
			lines = append(lines, p.said.In(l, names))
		}
	}
	if len(lines) == 0 {
		lines = []string{CastIsTheSame.In(l)}
	}
	return lines
}

// tierWord translates a tier into the language of the answer.
func (c *call) tierWord(t mcp.BudgetTier) string { return c.format(TierWord(t.String())) }

func raiseTier(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.textOption("tier"))
	if err != nil {
		return "", err
	}
	var lease table.Status
	who, err := c.orderNPCs(func(t *table.Table, npc string) error {
		_, err := t.Raise(ctx, npc, to, time.Duration(c.numberOption("minutes"))*time.Minute, c.numberOption("turns"))
		if err != nil {
			return err
		}
		all, err := t.Status(ctx)
		for _, s := range all {
			if s.Lease != nil && (npc == everyNPC || s.Name == npc) {
				lease = s
			}
		}
		return err
	})
	if err != nil || lease.Lease == nil { // the lease ended immediately
		return "", err
	}
	return NPCRaised.In(c.lang, who, c.tierWord(to), lease.Lease.Until.Unix(), Answers.Of(lease.Lease.Turns)), nil
}

func lowerTier(ctx context.Context, c *call) (string, error) {
	who, err := c.orderNPCs(func(t *table.Table, npc string) error {
		_, err := t.Lower(ctx, npc, mcp.BudgetFast)
		return err
	})
	return NPCLowered.In(c.lang, who), err
}

func capTier(ctx context.Context, c *call) (string, error) {
	to, err := mcp.ParseTier(c.textOption("tier"))
	if err != nil {
		return "", err
	}
	who, err := c.orderNPCs(func(t *table.Table, npc string) error {
		_, err := t.Lower(ctx, npc, to)
		return err
	})
	if to == mcp.BudgetDeep {
		return NPCUncapped.In(c.lang, who), err
	}
	return NPCCapped.In(c.lang, who, c.tierWord(to)), err
}

// showTiers shows each NPC's tier, and how fast answers were.
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
	var lines []string
	for _, s := range all {
		lines = append(lines, "- "+strings.Join(describeTier(c.lang, s), "; "))
	}
	for _, s := range stages {
		lines = append(lines, "-# "+c.format(HowFastAre, c.format(TierWord(s.Tier)), Answers.Of(s.Turns),
			LocalSeconds(c.lang, s.FirstSoundP50), LocalSeconds(c.lang, s.FirstSoundP95)))
	}
	return c.showPage("tier status", "", lines, "")
}

// describeTier describes an NPC's tier and a DM's other orders to it.
func describeTier(l Language, s table.Status) []string {
	parts := []string{tierLine(l, s)}
	if s.Muted {
		parts = append(parts, IsSilent.In(l))
	}
	if s.Directive != "" {
		parts = append(parts, IsDirected.In(l, Answers.Of(s.DirectiveTurns), escapeMarkup(s.Directive)))
	}
	if s.Revealed > 0 {
		parts = append(parts, MayTell.In(l, s.Revealed))
	}
	return parts
}

// tierLine describes an NPC's tier.
func tierLine(l Language, s table.Status) string {
	name, word := clipText(escapeMarkup(s.Name), maxRow), TierWord(s.Tier.String()).With()
	switch {
	case s.Lease != nil:
		return NPCIsRaised.In(l, name, TierWord(s.Ceiling.String()).With(), s.Lease.Until.Unix(), Answers.Of(s.Lease.Turns))
	case s.Ceiling < s.Tier:
		return NPCIsAtMost.In(l, name, TierWord(s.Ceiling.String()).With())
	}
	return NPCIs.In(l, name, word)
}
