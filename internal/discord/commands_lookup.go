package discord

import (
	"context"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// recapLines is the number of lines that /session recap reads.
	recapLines = 100
	// maxFacts is how many facts /ask shows.
	maxFacts = 5
)

func rollDice(ctx context.Context, c *call) (string, error) {
	dice, err := c.requireText("dice", NothingToRoll)
	if err != nil {
		return "", err
	}
	r, err := c.by.RollDice(ctx, dice)
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf("🎲 %s: **%d**\n-# %s", escapeMarkup(r.Expression), r.Total, strings.Trim(fmt.Sprint(r.Rolls), "[]"))
	if s, err := c.runningSession(); err == nil && c.options[privateName] == true {
		s.rolled.add(fmt.Sprintf("🎲 <@%s> %s: **%d**", c.by.ID, escapeMarkup(r.Expression), r.Total))
	}
	return said, nil
}

func lookUpRules(ctx context.Context, c *call) (string, error) {
	about, err := c.listedText("about", NothingToFind)
	if err != nil {
		return "", err
	}
	found, err := c.by.SearchRules(ctx, about)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range found {
		lines = append(lines, fmt.Sprintf("- **%s** (%s): %s", escapeMarkup(r.Name), c.ruleCategory(r.Category), escapeMarkup(r.Summary)))
	}
	return c.showPage("rules", about, lines, c.format(RulesSilent))
}

// ruleCategory translates a category of rules into the language of the answer.
func (c *call) ruleCategory(name string) string {
	if word, ok := ruleCategories[name]; ok {
		return c.format(word)
	}
	return name
}

var ruleCategories = map[string]Text{
	"condition": RuleCondition, "combat": RuleCombat, "spell": RuleSpell, "general": RuleGeneral,
}

// showKnowledge shows a DM the table's knowledge of a subject.
func showKnowledge(ctx context.Context, c *call) (string, error) {
	about, err := c.listedText("about", NothingToAsk)
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
		lines = append(lines, entityLine(c.lang, e.ID, e.Type, e.Name, e.Description))
	}
	for _, f := range known {
		lines = append(lines, "- "+escapeMarkup(f.Text))
	}
	for _, l := range said {
		lines = append(lines, c.quoteLine(l.Speaker, l.Role, l.Text))
	}
	return c.showPage("ask", about, lines, c.format(NothingKnown))
}

func listApprovals(ctx context.Context, c *call) (string, error) {
	all, err := c.by.PendingApprovals(ctx)
	if err != nil {
		return "", err
	}
	cast, err := c.knownNPCs(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, c.format(WantsTo, a.ID, callerName(a.Caller, cast), escapeMarkup(a.Tool), escapeMarkup(a.Arguments)))
	}
	return c.showPage("approve list", "", lines, c.format(NothingWaits))
}

func grantApproval(ctx context.Context, c *call) (string, error) { return decideApproval(ctx, c, true) }
func denyApproval(ctx context.Context, c *call) (string, error)  { return decideApproval(ctx, c, false) }

// recapSession shows the last lines of the session.
func recapSession(ctx context.Context, c *call) (string, error) {
	s, said, err := c.guild.RecallSession(ctx, c.by.DM, recapLines)
	if err != nil {
		return "", err
	}
	if s.ID == "" {
		return c.format(NothingSaidYet), nil
	}
	var lines []string
	for _, l := range said {
		lines = append(lines, c.quoteLine(l.Speaker, l.Role(), l.Text))
	}
	head := c.format(RecapHead, escapeMarkup(s.Campaign), s.Started.Unix(), RecapLines.Of(s.Lines))
	text, err := c.showLastPage("session recap", lines, "")
	return head + "\n" + text, err
}

// quoteLine formats a line with its speaker's role, so that no player's name can pass for an NPC's.
func (c *call) quoteLine(speaker string, role memory.Role, text string) string {
	said := SaidByPlayer
	switch role {
	case memory.RoleNPC:
		said = SaidByNPC
	case memory.RoleDM:
		said = SaidByDM
	}
	return c.format(said, escapeMarkup(speaker), escapeMarkup(text))
}

// storeFeedback stores a member's feedback.
func storeFeedback(ctx context.Context, c *call) (string, error) {
	if c.textOption("text") == "" {
		return "", NothingKept.With()
	}
	if err := c.by.StoreFeedback(ctx, c.textOption("text")); err != nil {
		return "", err
	}
	return c.format(FeedbackKept), nil
}
