package discord

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
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
	lines := describeServers(servers)
	for _, s := range all {
		lines = append(lines, "- "+describeTool(s))
	}
	return joinLines(lines, "There are no tools."), nil
}

// describeServers say whose tools are missing, and why.
func describeServers(all []mcphost.ServerStatus) (lines []string) {
	for _, s := range all {
		name := "**" + markup.Escape(s.Name) + "**"
		switch {
		case s.State == "down":
			lines = append(lines, fmt.Sprintf("⚠ the server %s is down, and its tools with it: %s", name, markup.Escape(markup.ShortenPaths(s.Reason))))
		case s.Held > 0:
			lines = append(lines, fmt.Sprintf("⚠ of the server %s %s for approval: see /tools approve", name, counted(s.Held, "tool waits", "tools wait")))
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
		return "", fmt.Errorf("the tool does not wait for approval any more, or was changed again; /tools approve shows it as it is now")
	case len(found) == 0:
		return "", fmt.Errorf("no tool of that name waits for approval; %s", listHeldTools(held))
	case len(found) > 1:
		return "", fmt.Errorf("several tools of that name wait for approval; %s", listHeldTools(found))
	case c.pressed == "":
		c.buttons = []button{{"Approve", "tools approve " + found[0].Hash, discordgo.DangerButton}}
		return c.showDifference(found[0]), nil
	}
	name := heldToolName(found[0])
	if err := c.by.ApproveTool(ctx, name); err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` is approved: NPCs may use it as its server describes it now.", withoutBackticks(name)), nil
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
	if len(all) == 0 {
		return "none does"
	}
	var names []string
	for _, w := range all {
		names = append(names, "`"+withoutBackticks(heldToolName(w))+"`")
	}
	return "there are " + strings.Join(names, ", ")
}

// showDifference shows what a server says of a tool now, against what it said before.
// What does not fit goes with the answer as a file.
func (c *call) showDifference(w mcphost.Held) string {
	diff := udiff.Unified("approved", "offered", w.Approved+"\n", w.Offered+"\n")
	if w.Approved == "" {
		diff = w.Offered
	}
	shown := withoutBackticks(diff)
	if r := []rune(shown); len(r) > maxDiff {
		c.attachFile("definition.diff", []byte(diff))
		shown = string(r[:maxDiff]) + "\n…"
	}
	return fmt.Sprintf("`%s` %s. It is text that NPCs' models read; approve it if it asks for nothing strange.\n```diff\n%s\n```", withoutBackticks(heldToolName(w)), w.Why, shown)
}

// withoutBackticks keeps a text from ending the code it is shown as.
func withoutBackticks(text string) string { return strings.ReplaceAll(text, "`", "ˋ") }

// describeTool describes a tool.
func describeTool(s mcphost.Status) string {
	line := fmt.Sprintf("**%s** from %s on", markup.Escape(s.Name), s.Tier)
	switch {
	case s.P50 > 0:
		line += ", " + elapsed.Text(s.P50)
	case s.DeclaredP50 > 0:
		line += ", said to take " + elapsed.Text(s.DeclaredP50)
	}
	if s.Source != "builtin" {
		line += ", " + markup.Escape(s.Source)
	}
	if s.State != "ready" {
		line += ", " + s.State
	}
	return line
}
