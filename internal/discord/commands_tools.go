package discord

import (
	"context"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// maxDiff bounds how much of a difference is shown, in characters; all of it is
// in a file.
const maxDiff = 1500

func listTools(ctx context.Context, c *call) (string, error) { return showTools(ctx, c, false) }
func calibrateTools(ctx context.Context, c *call) (string, error) {
	return showTools(ctx, c, true)
}

func showTools(ctx context.Context, c *call, measure bool) (string, error) {
	all, err := c.guild.Tools(ctx, measure)
	if err != nil {
		return "", err
	}
	servers, err := c.guild.Servers(ctx)
	if err != nil {
		return "", err
	}
	lines := c.describeServers(servers)
	var builtin []string
	for _, s := range all {
		if s.Source == "builtin" { // what others offer, and may change, comes first
			builtin = append(builtin, c.describeTool(s))
		} else {
			lines = append(lines, c.describeTool(s))
		}
	}
	lines = append(lines, builtin...)
	return c.showPage("tools list", "", lines, c.say(NoTools))
}

// describeServers say whose tools are missing, and why.
func (c *call) describeServers(all []mcphost.ServerStatus) (lines []string) {
	for _, s := range all {
		name := "**" + escapeMarkup(s.Name) + "**"
		if s.LeftOut > 0 {
			lines = append(lines, c.say(OfServer, name, ServerLeaves.Of(s.LeftOut)))
		}
		switch {
		case s.State == "down":
			lines = append(lines, c.say(ServerDown, name, escapeMarkup(shortenPaths(Translate(c.lang, s.Reason)))))
		case s.Held > 0:
			lines = append(lines, c.say(OfServer, name, ServerHolds.Of(s.Held)))
		}
	}
	return lines
}

// approveTool shows how the server of a tool describes it now, and lets NPCs use
// it so once that is confirmed.
func approveTool(ctx context.Context, c *call) (string, error) {
	held, err := c.guild.HeldTools(ctx)
	if err != nil {
		return "", err
	}
	var found []mcphost.Held
	for _, w := range held {
		if w.Hash == c.pressed || c.pressed == "" && matchesHeldTool(w, c.textOption("name")) {
			found = append(found, w)
		}
	}
	switch {
	case len(found) == 0 && c.pressed != "":
		return "", ToolChanged.With()
	case len(held) == 0:
		return "", NoToolWaits.With()
	case len(found) == 0:
		return "", OthersWait.With(listHeldTools(held))
	case len(found) > 1:
		return "", SeveralWait.With(listHeldTools(found))
	case c.pressed == "":
		c.buttons = []button{{c.say(ApproveIt), "tools approve " + found[0].Hash, discordgo.DangerButton}}
		return c.showDifference(found[0]), nil
	}
	name := heldToolName(found[0])
	if err := c.by.ApproveTool(ctx, name); err != nil {
		return "", err
	}
	return c.say(ToolApproved, withoutBackticks(name)), nil
}

// heldToolName is what a tool that waits is called, and no other.
func heldToolName(w mcphost.Held) string { return w.Server + "/" + w.Name + "@" + w.Hash }

// matchesHeldTool reports whether somebody who names a tool may mean this one.
func matchesHeldTool(w mcphost.Held, name string) bool {
	name = strings.TrimSuffix(name, "@"+w.Hash)
	return name == w.Name || name == w.Server+"/"+w.Name
}

// listHeldTools names tools that wait for approval.
func listHeldTools(all []mcphost.Held) string {
	var names []string
	for _, w := range all {
		names = append(names, "`"+withoutBackticks(heldToolName(w))+"`")
	}
	return strings.Join(names, ", ")
}

// showDifference shows what a server says of a tool now, against what it said before.
// What does not fit goes with the answer as a file.
func (c *call) showDifference(w mcphost.Held) string {
	diff, why := udiff.Unified(c.say(DiffApproved), c.say(DiffOffered), w.Approved+"\n", w.Offered+"\n"), ToolDiffers
	if w.Approved == "" {
		diff, why = w.Offered, ToolIsNew
	}
	shown := withoutBackticks(diff)
	if r := []rune(shown); len(r) > maxDiff {
		c.attachFile("definition.diff", []byte(diff))
		shown = string(r[:maxDiff]) + "\n…"
	}
	return c.say(ToolDifference, withoutBackticks(heldToolName(w)), c.say(why), shown)
}

// withoutBackticks keeps a text from ending the code it is shown as.
func withoutBackticks(text string) string { return strings.ReplaceAll(text, "`", "ˋ") }

// describeTool describes what NPCs can do: when they may, how long it takes, and
// whether anything is wrong with it.
func (c *call) describeTool(s mcphost.Status) string {
	parts := []string{c.say(ToolIs, escapeMarkup(s.Name), c.tierWord(s.Tier))}
	switch {
	case s.P50 > 0:
		parts = append(parts, c.say(ToolTakes, mcp.MillisText(s.P50)))
	case s.DeclaredP50 > 0:
		parts = append(parts, c.say(ToolTakes, mcp.MillisText(s.DeclaredP50)))
	}
	if s.Source != "builtin" {
		parts = append(parts, c.say(ToolFrom, escapeMarkup(s.Source)))
	}
	if state, ok := toolStates[s.State]; ok {
		parts = append(parts, c.say(state))
	}
	return strings.Join(parts, ", ")
}

// toolStates are what may be said of a tool that is not simply ready.
var toolStates = map[string]Text{
	"demoted": ToolDemoted, "on trial": ToolOnTrial, "held": ToolHeld,
	"asleep": ToolAsleep, "down": ToolDown, "waiting": ToolWaiting,
}
