package discord

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxLearnt bounds the text of an entry, in characters; see [world.Entry].
	maxLearnt = 400
	// formTimeout bounds loading a form's initial values. Discord waits three seconds for the form.
	formTimeout = time.Second
	// Second words in the buttons of a proposal, after its number.
	editWord, reviewWord = "edit", "review"
)

// reviewMemory shows a proposal with buttons to decide on it: the first, or the one after the proposal whose
// button was pressed.
func reviewMemory(ctx context.Context, c *call) (string, error) {
	if c.pressed == "" {
		return c.showProposal(ctx, 0, true)
	}
	after, _ := strconv.ParseInt(c.pressed, 10, 64)
	return c.showProposal(ctx, after, false)
}

// showProposal shows the first proposal after an id, or the first of all if none follows.
func (c *call) showProposal(ctx context.Context, after int64, afresh bool) (string, error) {
	l, err := c.by.Learning(ctx, afresh)
	if err != nil {
		return "", err
	}
	switch {
	case len(l.Waiting) == 0 && l.Off:
		return c.format(LearningIsOff), nil
	case len(l.Waiting) == 0:
		return c.format(NothingProposed), nil
	}
	at := max(slices.IndexFunc(l.Waiting, func(e world.Entry) bool { return e.ID > after }), 0)
	e := l.Waiting[at]
	id := strconv.FormatInt(e.ID, 10)
	c.buttons = []button{
		{c.format(LearnIt), "memory accept " + id + " " + reviewWord, discordgo.SuccessButton},
		{c.format(LearnInOtherWords), "memory accept " + id + " " + editWord, discordgo.SecondaryButton},
		{c.format(DoNotLearn), "memory reject " + id + " " + reviewWord, discordgo.DangerButton},
	}
	if len(l.Waiting) > 1 {
		c.buttons = append(c.buttons, button{c.format(PageOn), "memory review " + id, discordgo.SecondaryButton})
	}
	lines := []string{c.format(CouldLearn), c.entryLine(e)}
	if who := c.whoKnows(ctx, e); who != "" {
		lines = append(lines, "-# "+who)
	}
	return strings.Join(append(lines, "-# "+c.format(ProposalsLeft, at+1, len(l.Waiting))), "\n"), nil
}

// entryLine formats an entry of the chronicle: its number, kind, text and date.
func (c *call) entryLine(e world.Entry) string {
	line := fmt.Sprintf("**#%d** %s: %s", e.ID, c.format(LearntKind(string(e.Kind))), escapeMarkup(e.Text))
	switch {
	case e.Date.Text != "":
		line += " (" + escapeMarkup(e.Date.Text) + ")"
	case !e.At.IsZero():
		line += fmt.Sprintf(" (<t:%d:d>)", e.At.Unix())
	}
	return line
}

// whoKnows names the NPCs who will know an entry, or returns "" if all will.
func (c *call) whoKnows(ctx context.Context, e world.Entry) string {
	if len(e.Visible) == 0 {
		return ""
	}
	cast, err := c.knownNPCs(ctx)
	if err != nil {
		return ""
	}
	var names []string
	for _, id := range e.Visible {
		if id == memory.Anyone || id == memory.DMOnly {
			continue
		}
		if i := slices.IndexFunc(cast, func(n config.NPC) bool { return n.ID == id }); i >= 0 {
			id = cast[i].Name
		}
		names = append(names, escapeMarkup(id))
	}
	if len(names) == 0 {
		return ""
	}
	return c.format(WouldKnow, strings.Join(names, ", "))
}

// listLearnt lists the learnt entries, latest last.
func listLearnt(ctx context.Context, c *call) (string, error) {
	l, err := c.by.Learning(ctx, false)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, e := range l.Learnt {
		lines = append(lines, "- "+c.entryLine(e))
	}
	return c.showLastPage("memory list", lines, c.format(NothingLearnt))
}

// entryNumber returns the id of an entry, and the word that follows it in the pressed button.
func entryNumber(c *call) (id int64, word string) {
	number, word, _ := strings.Cut(c.pressed, " ")
	if number == "" {
		return int64(c.numberOption("number")), ""
	}
	id, _ = strconv.ParseInt(number, 10, 64)
	return id, word
}

// editedEntry returns a form for editing a proposal's text if its edit button was pressed.
func editedEntry(ctx context.Context, c *call) *form {
	id, word := entryNumber(c)
	if word != editWord {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, formTimeout)
	defer cancel()
	e, err := c.by.Proposal(ctx, id)
	if err != nil {
		return nil // accepting it reports the error
	}
	must := true
	return &form{command: "memory accept " + strconv.FormatInt(id, 10) + " " + reviewWord, title: c.format(LearnInOtherWords), fields: []discordgo.TextInput{
		{CustomID: "text", Label: c.format(FieldLearnt), Style: discordgo.TextInputParagraph, Placeholder: c.format(OptLearntText), Required: &must, MaxLength: maxLearnt, Value: e.Text},
	}}
}

// acceptMemory accepts a proposal, so that NPCs learn it.
func acceptMemory(ctx context.Context, c *call) (string, error) {
	id, word := entryNumber(c)
	e, err := c.by.DecideLearning(ctx, id, true, c.textOption("text"))
	if err != nil {
		return "", err
	}
	return describeDecided(ctx, c, IsLearnt, e, word)
}

// rejectMemory rejects a proposal.
func rejectMemory(ctx context.Context, c *call) (string, error) {
	id, word := entryNumber(c)
	e, err := c.by.DecideLearning(ctx, id, false, "")
	if err != nil {
		return "", err
	}
	return describeDecided(ctx, c, IsNotLearnt, e, word)
}

// describeDecided describes the decision, and shows the next proposal if a button was pressed.
func describeDecided(ctx context.Context, c *call, became Text, e world.Entry, word string) (string, error) {
	said := c.format(became, escapeMarkup(e.Text))
	if word != reviewWord {
		return said, nil
	}
	next, err := c.showProposal(ctx, e.ID, false)
	return said + "\n\n" + next, err
}

// dropMemory removes a learnt entry.
func dropMemory(ctx context.Context, c *call) (string, error) {
	e, err := c.by.DropLearnt(ctx, int64(c.numberOption("number")))
	if err != nil {
		return "", err
	}
	return c.format(IsUnlearnt, escapeMarkup(e.Text)), nil
}

// showMentions shows where others mention a forgotten player. Showing the list deletes it, because it
// contains names.
func showMentions(ctx context.Context, c *call) (string, error) {
	m, waited, err := c.by.PopMentions(ctx)
	if err != nil {
		return "", err
	}
	if !waited {
		return c.format(NoMentions), nil
	}
	who := escapeMarkup(strings.Join(m.Names, ", "))
	lines := []string{c.format(MentionsOf, who, MentionPlaces.Of(m.Total()))}
	if m.Campaign != "" {
		lines[0] = c.format(MentionsOfIn, who, escapeMarkup(m.Campaign), MentionPlaces.Of(m.Total()))
	}
	for _, one := range m.Found {
		lines = append(lines, fmt.Sprintf("- %s **%s**: %s", c.format(MentionKind(string(one.Kind))), escapeMarkup(one.ID), escapeMarkup(one.Text)))
	}
	if m.More > 0 {
		lines = append(lines, "- "+c.format(MoreMentions, m.More))
	}
	if m.Unfinished {
		lines = append(lines, "-# "+c.format(MentionsUnfinished))
	}
	return strings.Join(append(lines, "-# "+c.format(MentionsHow)), "\n"), nil
}

// eraseMention deletes a line or a note.
func eraseMention(ctx context.Context, c *call) (string, error) {
	id := int64(c.numberOption("number"))
	if c.textOption("what") == "note" {
		text, err := c.by.EraseNote(ctx, id)
		if err != nil {
			return "", err
		}
		return c.format(IsErased, escapeMarkup(text)), nil
	}
	l, err := c.by.EraseLine(ctx, id)
	if err != nil {
		return "", err
	}
	return c.format(IsErased, escapeMarkup(l.Speaker+": "+l.Text)), nil
}

// pinMemory pins an entry for one NPC or for all.
func pinMemory(ctx context.Context, c *call) (string, error) {
	id := ""
	if name := c.textOption("npc"); name != "" && !c.isEveryone(name) {
		cast, err := c.knownNPCs(ctx)
		if err != nil {
			return "", err
		}
		i, err := table.Lookup(cast, name)
		if err != nil {
			var names []string
			for _, n := range cast {
				names = append(names, n.Name)
			}
			return "", NoSuchNPC.With(name, strings.Join(names, ", "))
		}
		id = cast[i].ID
	}
	e, err := c.by.Pin(ctx, id, c.textOption("text"))
	if err != nil {
		return "", err
	}
	return c.format(IsPinned, e.ID, escapeMarkup(e.Text)), nil
}

// proposalsNotice reports waiting proposals. It returns "" if there are none or the lookup fails.
func proposalsNotice(ctx context.Context, c *call) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	l, err := c.by.Learning(ctx, false)
	if err != nil || len(l.Waiting) == 0 {
		return ""
	}
	return "\n-# " + c.format(ProposalsWait, Proposals.Of(len(l.Waiting)))
}
