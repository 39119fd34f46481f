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

// ask runs a tool for a call and reads its answer into out.
func ask[T any](ctx context.Context, c *call, tool string, args map[string]any) (out T, err error) {
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

// list shows lines, as many as people read.
func list(lines []string, none string) string {
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

func (b *Bot) roll(ctx context.Context, c *call) (string, error) {
	type roll struct {
		Expression string `json:"expression"`
		Rolls      []int  `json:"rolls"`
		Total      int    `json:"total"`
	}
	dice, err := c.given("dice", "what to roll, such as 2d6+3")
	if err != nil {
		return "", err
	}
	r, err := ask[roll](ctx, c, "roll", map[string]any{"expression": dice})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("🎲 %s: **%d**\n-# %s", markup.Escape(r.Expression), r.Total, strings.Trim(fmt.Sprint(r.Rolls), "[]")), nil
}

func (b *Bot) rules(ctx context.Context, c *call) (string, error) {
	type found struct {
		Results []struct {
			Name     string `json:"name"`
			Category string `json:"category"`
			Summary  string `json:"summary"`
		} `json:"results"`
	}
	about, err := c.given("about", "what to look up, such as grapple")
	if err != nil {
		return "", err
	}
	f, err := ask[found](ctx, c, "search_rules", map[string]any{"query": about})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range f.Results {
		lines = append(lines, fmt.Sprintf("- **%s** (%s): %s", markup.Escape(r.Name), r.Category, markup.Escape(r.Summary)))
	}
	return list(lines, "The rules say nothing of that; try another word."), nil
}

// ask tells a DM what the table knows of something.
func (b *Bot) ask(ctx context.Context, c *call) (string, error) {
	about, err := c.given("about", "a name, a place or a thing")
	if err != nil {
		return "", err
	}
	involved, err := ask[struct {
		Entities []entity `json:"entities"`
	}](ctx, c, "query_entities", map[string]any{"name": about})
	if err != nil {
		return "", err
	}
	known, err := ask[struct {
		Facts []struct {
			Text string `json:"text"`
		} `json:"facts"`
	}](ctx, c, "search_facts", map[string]any{"query": about, "top_k": maxFacts})
	if err != nil {
		return "", err
	}
	said, err := ask[struct {
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
		lines = append(lines, e.line())
	}
	for _, f := range known.Facts {
		lines = append(lines, "- "+markup.Escape(f.Text))
	}
	for _, l := range said.Lines {
		lines = append(lines, "> **"+markup.Escape(l.Speaker)+":** "+markup.Escape(l.Text))
	}
	return list(lines, "Nothing is known of that."), nil
}

func (b *Bot) approveList(ctx context.Context, c *call) (string, error) {
	type waiting struct {
		Approvals []struct {
			ID        string `json:"id"`
			Caller    string `json:"caller"`
			Tool      string `json:"tool"`
			Arguments string `json:"arguments"`
		} `json:"approvals"`
	}
	w, err := ask[waiting](ctx, c, "list_approvals", map[string]any{})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range w.Approvals {
		lines = append(lines, fmt.Sprintf("- `%s` %s wants %s %s", a.ID, markup.Escape(a.Caller), markup.Escape(a.Tool), markup.Escape(a.Arguments)))
	}
	return list(lines, "Nothing waits."), nil
}

func (b *Bot) approveYes(ctx context.Context, c *call) (string, error) { return decide(ctx, c, true) }
func (b *Bot) approveNo(ctx context.Context, c *call) (string, error)  { return decide(ctx, c, false) }

func decide(ctx context.Context, c *call, grant bool) (string, error) {
	_, err := ask[struct{}](ctx, c, "decide_approval", map[string]any{"id": c.str("id"), "grant": grant})
	switch {
	case err != nil:
		return "", err
	case grant:
		return "The call may pass once.", nil
	}
	return "The call is denied.", nil
}

// sessionRecap shows what was said last.
func (b *Bot) sessionRecap(ctx context.Context, c *call) (string, error) {
	s, said, err := b.backend.Recall(ctx, c.guild, recapLines)
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
	return list(lines, ""), nil
}

// feedback keeps what somebody thinks of the play.
func (b *Bot) feedback(ctx context.Context, c *call) (string, error) {
	if c.str("text") == "" {
		return "", errors.New("there is nothing to keep; write what you think")
	}
	if err := b.backend.Note(ctx, c.guild, c.by, c.str("text")); err != nil {
		return "", err
	}
	return "Thank you. Whoever runs the bot will read it.", nil
}
