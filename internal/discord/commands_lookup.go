package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/mcp"
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

// callTool runs a tool for a call and reads its answer into out.
func callTool[T any](ctx context.Context, c *call, tool string, args map[string]any) (out T, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return out, fmt.Errorf("asking %s: %w", tool, err)
	}
	text, err := c.bot.backend.Call(ctx, c.guild, c.by, tool, string(raw))
	if err != nil {
		return out, toolError{tool, err}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return out, fmt.Errorf("reading what %s answered: %w", tool, err)
	}
	return out, nil
}

// toolError is an error of a tool that is a command to people: its name is no
// business of theirs.
type toolError struct {
	tool string
	err  error
}

// Unwrap returns the error as the tool's.
func (e toolError) Unwrap() error { return e.err }

func (e toolError) Error() string {
	text := strings.TrimPrefix(e.err.Error(), fmt.Sprintf("calling %q: ", e.tool))
	return strings.TrimPrefix(text, mcp.ErrInvalidArguments.Error()+": ")
}

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
	type roll struct {
		Expression string `json:"expression"`
		Rolls      []int  `json:"rolls"`
		Total      int    `json:"total"`
	}
	dice, err := c.requireText("dice", "what to roll, such as 2d6+3")
	if err != nil {
		return "", err
	}
	r, err := callTool[roll](ctx, c, "roll", map[string]any{"expression": dice})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("🎲 %s: **%d**\n-# %s", markup.Escape(r.Expression), r.Total, strings.Trim(fmt.Sprint(r.Rolls), "[]")), nil
}

func lookUpRules(ctx context.Context, c *call) (string, error) {
	type found struct {
		Results []struct {
			Name     string `json:"name"`
			Category string `json:"category"`
			Summary  string `json:"summary"`
		} `json:"results"`
	}
	about, err := c.requireText("about", "what to look up, such as grapple")
	if err != nil {
		return "", err
	}
	f, err := callTool[found](ctx, c, "search_rules", map[string]any{"query": about})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range f.Results {
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
	involved, err := callTool[struct {
		Entities []entity `json:"entities"`
	}](ctx, c, "query_entities", map[string]any{"name": about})
	if err != nil {
		return "", err
	}
	known, err := callTool[struct {
		Facts []struct {
			Text string `json:"text"`
		} `json:"facts"`
	}](ctx, c, "search_facts", map[string]any{"query": about, "top_k": maxFacts})
	if err != nil {
		return "", err
	}
	said, err := callTool[struct {
		Lines []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
		} `json:"lines"`
	}](ctx, c, "search_sessions", map[string]any{"query": about})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range involved.Entities {
		lines = append(lines, e.listLine())
	}
	for _, f := range known.Facts {
		lines = append(lines, "- "+markup.Escape(f.Text))
	}
	for _, l := range said.Lines {
		lines = append(lines, "> **"+markup.Escape(l.Speaker)+":** "+markup.Escape(l.Text))
	}
	return joinLines(lines, "Nothing is known of that."), nil
}

func listApprovals(ctx context.Context, c *call) (string, error) {
	type waiting struct {
		Approvals []struct {
			ID        string `json:"id"`
			Caller    string `json:"caller"`
			Tool      string `json:"tool"`
			Arguments string `json:"arguments"`
		} `json:"approvals"`
	}
	w, err := callTool[waiting](ctx, c, "list_approvals", map[string]any{})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range w.Approvals {
		lines = append(lines, fmt.Sprintf("- `%s` %s wants %s %s", a.ID, markup.Escape(a.Caller), markup.Escape(a.Tool), markup.Escape(a.Arguments)))
	}
	return joinLines(lines, "Nothing waits."), nil
}

func grantApproval(ctx context.Context, c *call) (string, error) { return decideApproval(ctx, c, true) }
func denyApproval(ctx context.Context, c *call) (string, error)  { return decideApproval(ctx, c, false) }

func decideApproval(ctx context.Context, c *call, grant bool) (string, error) {
	_, err := callTool[struct{}](ctx, c, "decide_approval", map[string]any{"id": c.textOption("id"), "grant": grant})
	switch {
	case err != nil:
		return "", err
	case grant:
		return "The call may pass once.", nil
	}
	return "The call is denied.", nil
}

// recapSession shows what was said last.
func recapSession(ctx context.Context, c *call) (string, error) {
	s, said, err := c.bot.backend.Recall(ctx, c.guild, recapLines)
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
	if err := c.bot.backend.Note(ctx, c.guild, c.by, c.textOption("text")); err != nil {
		return "", err
	}
	return "Thank you. Whoever runs the bot will read it.", nil
}
