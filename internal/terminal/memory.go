package terminal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/chronicle"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const memoryUsage = "usage: /memory shows what waits, /memory yes NUMBER [other words], /memory no NUMBER, /memory list, /memory drop NUMBER, /memory diary NPC"

// leadMemory carries out /memory: the orders about what NPCs learn.
func (p *console) leadMemory(ctx context.Context, rest string) (string, error) {
	how, which, _ := strings.Cut(rest, " ")
	switch strings.ToLower(how) {
	case "", "review":
		return p.reviewProposals(ctx)
	case "list":
		return listEntries(p.game.Chronicle.List(true), "nothing has been learnt yet"), nil
	case "diary":
		return p.showDiary(which)
	case "yes", "no", "drop":
		return p.decideEntry(ctx, strings.ToLower(how), which)
	}
	return "", errors.New(memoryUsage)
}

// reviewProposals shows what waits, with what was said until now.
func (p *console) reviewProposals(ctx context.Context) (string, error) {
	if _, err := p.game.Gather(ctx); err != nil {
		return "", err
	}
	none := "nothing waits; promises, debts and news that come up are shown here"
	if p.game.Config.Memory.Learn == config.LearnOff {
		none = "nothing waits, and nothing is looked for: memory.learn is off"
	}
	return listEntries(p.game.Chronicle.List(false), none), nil
}

// showDiary shows what an NPC has written down.
func (p *console) showDiary(name string) (string, error) {
	cast := p.game.Cast()
	i, err := table.Lookup(cast, name)
	if err != nil {
		return "", err
	}
	return listEntries(p.game.Chronicle.Diary(cast[i].ID), cast[i].Name+" has written nothing down yet; that is done when a session ends"), nil
}

func listEntries(all []chronicle.Entry, none string) string {
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
	var e chronicle.Entry
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

// pin has an NPC, or all of them, keep a text in mind: the last line, if none is given.
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
	return fmt.Sprintf("kept in mind as %d: %s", e.ID, e.Text), nil
}
