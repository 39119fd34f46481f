package terminal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const memoryUsage = "usage: /memory shows what is waiting, /memory yes NUMBER [other words], /memory no NUMBER, /memory list, /memory drop NUMBER, /memory diary NPC, /memory mentions, /memory erase NUMBER or /memory erase note NUMBER"

// runMemoryOrder carries out /memory, the orders about what NPCs learn.
func (p *console) runMemoryOrder(ctx context.Context, rest string) (string, error) {
	how, which, _ := strings.Cut(rest, " ")
	switch strings.ToLower(how) {
	case "", "review":
		return p.reviewProposals(ctx)
	case "list":
		return listEntries(p.game.Chronicle.List(true), "nothing has been learnt yet"), nil
	case "diary":
		return p.showDiary(which)
	case "mentions":
		return p.showMentions(), nil
	case "erase":
		return p.erase(ctx, which)
	case "yes", "no", "drop":
		return p.decideEntry(ctx, strings.ToLower(how), which)
	}
	return "", errors.New(memoryUsage)
}

// reviewProposals shows the proposals, including those from the session so far.
func (p *console) reviewProposals(ctx context.Context) (string, error) {
	if _, err := p.game.Gather(ctx); err != nil {
		return "", err
	}
	none := "nothing is waiting; promises, debts and news that come up are shown here"
	if p.game.Config.Memory.Learn == config.LearnOff {
		none = "nothing is waiting, and learning is switched off: memory.learn is off"
	}
	return listEntries(p.game.Chronicle.List(false), none), nil
}

// showDiary shows an NPC's diary.
func (p *console) showDiary(name string) (string, error) {
	cast := p.game.Cast()
	i, err := table.Lookup(cast, name)
	if err != nil {
		return "", err
	}
	return listEntries(p.game.Chronicle.Diary(cast[i].ID), cast[i].Name+" has not written a diary yet; NPCs do that when a session ends"), nil
}

func listEntries(all []world.Entry, none string) string {
	if len(all) == 0 {
		return none
	}
	var lines []string
	for _, e := range all {
		line := fmt.Sprintf("%d %s: %s", e.ID, e.Kind, e.Text)
		if when := e.Date.Text; when != "" {
			line += " (" + when + ")"
		} else if !e.At.IsZero() {
			line += " (" + e.At.Local().Format(time.DateOnly) + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (p *console) decideEntry(ctx context.Context, how, rest string) (string, error) {
	number, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
	id, err := strconv.ParseInt(strings.TrimPrefix(number, "#"), 10, 64)
	if err != nil || how != "yes" && text != "" {
		return "", errors.New(memoryUsage)
	}
	var e world.Entry
	did := map[string]string{"yes": "learnt", "no": "not learnt", "drop": "forgotten"}[how]
	if how == "drop" {
		e, err = p.game.Chronicle.Drop(ctx, id)
	} else {
		e, err = p.game.Chronicle.Decide(ctx, id, how == "yes", text)
	}
	if err != nil {
		return "", err
	}
	return did + ": " + e.Text, nil
}

// showMentions shows once where others mention a forgotten player.
func (p *console) showMentions() string {
	m, waited := p.game.Mentions.Pop()
	if !waited {
		return "nothing to look at; when a player asks to be forgotten, this shows once where others mention that player"
	}
	lines := []string{fmt.Sprintf("%s was forgotten. Others mention the name in %s. Nothing was changed there:", strings.Join(m.Names, ", "), plural.Count(m.Total(), "place", "places"))}
	for _, one := range m.Found {
		lines = append(lines, fmt.Sprintf("  %s %s: %s (%s)", one.Kind, one.ID, one.Text, mentionOrders[one.Kind]))
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", m.More))
	}
	if m.Unfinished {
		lines = append(lines, "  there may be more: the search failed or took too long")
	}
	if n := p.game.Mentions.CountWaiting(); n > 0 {
		lines = append(lines, plural.Count(n, "more place is", "more places are")+" waiting: /memory mentions")
	}
	return strings.Join(append(lines, "this list is only shown once; note what you need"), "\n")
}

// mentionOrders describe how to remove a mention.
var mentionOrders = map[play.MentionKind]string{
	play.MentionLine: "/memory erase NUMBER deletes it", play.MentionNote: "/memory erase note NUMBER deletes it",
	play.MentionLearnt: "/memory drop NUMBER", play.MentionProposed: "/memory no NUMBER",
	play.MentionEntity: "change it with an agent, or in the campaign file; /undo takes a change back", play.MentionRelation: "change it with an agent, or in the campaign file; /undo takes a change back",
	play.MentionFact: "change it in the campaign file", play.MentionScene: "set another scene; /undo takes that back",
}

// erase deletes a line or a note by number.
func (p *console) erase(ctx context.Context, which string) (string, error) {
	number, note := strings.CutPrefix(which, "note ")
	id, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(number), "#"), 10, 64)
	if err != nil {
		return "", errors.New(memoryUsage)
	}
	if note {
		text, err := p.game.EraseNote(ctx, id)
		return "deleted: " + text, err
	}
	l, err := p.game.EraseLine(ctx, p.session, id)
	return "deleted: " + l.Speaker + ": " + l.Text, err
}

// pin pins a text for an NPC or for all. Without a text, it pins the last line.
func (p *console) pin(ctx context.Context, text string) (string, error) {
	id := ""
	name, rest, named := strings.Cut(text, ":")
	for _, npc := range p.game.Cast() {
		if named && words.Match(name, append([]string{npc.Name}, npc.Aliases...)...) {
			id, text = npc.ID, strings.TrimSpace(rest)
		}
	}
	e, err := p.game.Pin(ctx, p.session.ID(), id, text)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("remembered as %d: %s", e.ID, e.Text), nil
}
