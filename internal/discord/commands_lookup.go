package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
)

const (
	// maxListed bounds the lines of a list.
	maxListed = 40
	// recapLines is how many lines /session recap shows.
	recapLines = 15
	// maxFacts is how many facts /ask shows.
	maxFacts = 5
	// maxLine bounds a line of a list, in characters.
	maxLine = 280
)

// joinLines shows lines, as many as people read.
func joinLines(lines []string, none string) string {
	if len(lines) == 0 {
		return none
	}
	more := len(lines) - maxListed
	if more > 0 {
		lines = lines[:maxListed]
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > maxLine {
			lines[i] = string(r[:maxLine-1]) + "…"
		}
	}
	out := strings.Join(lines, "\n")
	if more > 0 {
		out += fmt.Sprintf("\n-# and %d more", more)
	}
	return out
}

func rollDice(ctx context.Context, c *call) (string, error) {
	dice, err := c.requireText("dice", "what to roll, such as 2d6+3")
	if err != nil {
		return "", err
	}
	r, err := c.by.RollDice(ctx, dice)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("🎲 %s: **%d**\n-# %s", markup.Escape(r.Expression), r.Total, strings.Trim(fmt.Sprint(r.Rolls), "[]")), nil
}

func lookUpRules(ctx context.Context, c *call) (string, error) {
	about, err := c.requireText("about", "what to look up, such as grapple")
	if err != nil {
		return "", err
	}
	found, err := c.by.SearchRules(ctx, about)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range found {
		lines = append(lines, fmt.Sprintf("- **%s** (%s): %s", markup.Escape(r.Name), r.Category, markup.Escape(r.Summary)))
	}
	return joinLines(lines, "The rules say nothing of that; try another word."), nil
}

// askTable tells a DM what the table knows of something.
func askTable(ctx context.Context, c *call) (string, error) {
	about, err := c.requireText("about", "a name, a place or a thing")
	if err != nil {
		return "", err
	}
	involved, err := c.by.FindEntities(ctx, about)
	if err != nil {
		return "", err
	}
	known, err := c.by.SearchFacts(ctx, about, maxFacts)
	if err != nil {
		return "", err
	}
	said, err := c.by.SearchSessions(ctx, about)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range involved {
		lines = append(lines, entityLine(e))
	}
	for _, f := range known {
		lines = append(lines, "- "+markup.Escape(f.Text))
	}
	for _, l := range said {
		lines = append(lines, "> **"+markup.Escape(l.Speaker)+":** "+markup.Escape(l.Text))
	}
	return joinLines(lines, "Nothing is known of that."), nil
}

func listApprovals(ctx context.Context, c *call) (string, error) {
	all, err := c.by.PendingApprovals(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, fmt.Sprintf("- `%s` %s wants %s %s", a.ID, markup.Escape(a.Caller), markup.Escape(a.Tool), markup.Escape(a.Arguments)))
	}
	return joinLines(lines, "Nothing waits."), nil
}

func grantApproval(ctx context.Context, c *call) (string, error) {
	return "The call may pass once.", c.by.DecideApproval(ctx, c.textOption("id"), true)
}

func denyApproval(ctx context.Context, c *call) (string, error) {
	return "The call is denied.", c.by.DecideApproval(ctx, c.textOption("id"), false)
}

// recapSession shows what was said last.
func recapSession(ctx context.Context, c *call) (string, error) {
	s, said, err := c.guild.RecallSession(ctx, recapLines)
	if err != nil {
		return "", err
	}
	if s.ID == "" {
		return "Nothing has been said yet.", nil
	}
	lines := []string{fmt.Sprintf("**%s**, begun <t:%d:f>, %d lines; the last:", markup.Escape(s.Campaign), s.Started.Unix(), s.Lines)}
	for _, l := range said {
		lines = append(lines, "> **"+markup.Escape(l.Speaker)+":** "+markup.Escape(l.Text))
	}
	return joinLines(lines, ""), nil
}

// keepFeedback keeps what somebody thinks of the play.
func keepFeedback(ctx context.Context, c *call) (string, error) {
	if c.textOption("text") == "" {
		return "", errors.New("there is nothing to keep; write what you think")
	}
	if err := c.by.KeepFeedback(ctx, c.textOption("text")); err != nil {
		return "", err
	}
	return "Thank you. Whoever runs the bot will read it.", nil
}
