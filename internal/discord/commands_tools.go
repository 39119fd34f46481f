package discord

import (
	"context"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// maxDiff bounds the part of a diff that is shown, in characters. The attached file has all of it.
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
		if s.Source == "builtin" { // list external tools first, because they can change
			builtin = append(builtin, c.describeTool(s))
		} else {
			lines = append(lines, c.describeTool(s))
		}
	}
	lines = append(lines, builtin...)
	return c.showPage("tools list", "", lines, c.format(NoTools))
}

// describeServers describes servers with missing tools and the reasons.
func (c *call) describeServers(all []mcphost.ServerStatus) (lines []string) {
	for _, s := range all {
		name := "**" + escapeMarkup(s.Name) + "**"
		if s.LeftOut > 0 {
			lines = append(lines, c.format(OfServer, name, ServerLeaves.Of(s.LeftOut)))
		}
		switch {
		case s.State == "down":
			lines = append(lines, c.format(ServerDown, name, escapeMarkup(shortenPaths(Translate(c.lang, s.Reason)))))
		case s.Held > 0:
			lines = append(lines, c.format(OfServer, name, ServerHolds.Of(s.Held)))
		}
	}
	return lines
}

// approveTool shows a held tool's new definition, and approves it after a confirmation.
func approveTool(ctx context.Context, c *call) (string, error) {
	held, err := c.guild.ToolsAwaitingApproval(ctx)
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
		c.buttons = []button{{c.format(ApproveIt), "tools approve " + found[0].Hash, discordgo.DangerButton}}
		return c.showDifference(found[0]), nil
	}
	name := heldToolName(found[0])
	if err := c.by.ApproveTool(ctx, name); err != nil {
		return "", err
	}
	return c.format(ToolApproved, withoutBackticks(name)), nil
}

// heldToolName returns the unique name of a held tool.
func heldToolName(w mcphost.Held) string { return w.Server + "/" + w.Name + "@" + w.Hash }

// matchesHeldTool reports whether a name may refer to a held tool.
func matchesHeldTool(w mcphost.Held, name string) bool {
	name = strings.TrimSuffix(name, "@"+w.Hash)
	return name == w.Name || name == w.Server+"/"+w.Name
}

// listHeldTools lists the names of held tools.
func listHeldTools(all []mcphost.Held) string {
	var names []string
	for _, w := range all {
		names = append(names, "`"+withoutBackticks(heldToolName(w))+"`")
	}
	return strings.Join(names, ", ")
}

// showDifference shows the difference between a tool's approved and offered definitions. A long diff is
// attached as a file.
func (c *call) showDifference(w mcphost.Held) string {
	diff, why := udiff.Unified(c.format(DiffApproved), c.format(DiffOffered), w.Approved+"\n", w.Offered+"\n"), ToolDiffers
	if w.Approved == "" {
		diff, why = w.Offered, ToolIsNew
	}
	shown := withoutBackticks(diff)
	if r := []rune(shown); len(r) > maxDiff {
		c.attachFile("definition.diff", []byte(diff))
		shown = string(r[:maxDiff]) + "\n…"
	}
	return c.format(ToolDifference, withoutBackticks(heldToolName(w)), c.format(why), shown)
}

// withoutBackticks prevents a text from ending the code block it is shown in.
func withoutBackticks(text string) string { return strings.ReplaceAll(text, "`", "ˋ") }

// describeTool describes a tool: its tier, its latency, and its state if it is not ready.
func (c *call) describeTool(s mcphost.Status) string {
	parts := []string{c.format(ToolIs, escapeMarkup(s.Name), c.tierWord(s.Tier))}
	switch {
	case s.P50 > 0:
		parts = append(parts, c.format(ToolTakes, mcp.MillisText(s.P50)))
	case s.DeclaredP50 > 0:
		parts = append(parts, c.format(ToolTakes, mcp.MillisText(s.DeclaredP50)))
	}
	if s.Source != "builtin" {
		parts = append(parts, c.format(ToolFrom, escapeMarkup(s.Source)))
	}
	if state, ok := toolStates[s.State]; ok {
		parts = append(parts, c.format(state))
	}
	return strings.Join(parts, ", ")
}

// toolStates describe the states of tools that are not ready.
var toolStates = map[string]Text{
	"demoted": ToolDemoted, "on trial": ToolOnTrial, "held": ToolHeld,
	"asleep": ToolAsleep, "down": ToolDown, "waiting": ToolWaiting,
}
