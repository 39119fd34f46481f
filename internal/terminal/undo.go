package terminal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/world"
)

// maxListedChanges bounds the changes that /undo list shows.
const maxListedChanges = 10

// runWorldOrder carries out the orders about the world, memory, guests and waiting calls.
func (p *console) runWorldOrder(ctx context.Context, order, rest string) (string, error) {
	switch order {
	case "/undo":
		return p.undoChange(ctx, rest)
	case "/memory":
		return p.runMemoryOrder(ctx, rest)
	case "/remember":
		return p.pin(ctx, rest)
	case "/guests":
		return p.runGuestsOrder(rest)
	case "/date", "/datum":
		return p.dateNow(ctx, rest)
	}
	return p.decideWaiting(ctx, rest)
}

// undoChange reverts the last change of the world or the one with a number, or lists the latest changes.
func (p *console) undoChange(ctx context.Context, which string) (string, error) {
	if strings.EqualFold(which, "list") {
		return p.listChanges(ctx)
	}
	var seq uint64
	if which != "" {
		var err error
		if seq, err = strconv.ParseUint(strings.TrimPrefix(which, "#"), 10, 64); err != nil || seq == 0 {
			return "", fmt.Errorf("usage: /undo, or /undo NUMBER, or /undo list")
		}
	}
	done, err := p.game.UndoWorld(ctx, seq)
	if err != nil {
		return "", err
	}
	return "undone: " + p.describeChange(done), nil
}

func (p *console) listChanges(ctx context.Context) (string, error) {
	all, err := p.game.World.RecentChanges(ctx, maxListedChanges)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "nothing has been changed in the world; what was written to files, remembered or done elsewhere cannot be undone here", nil
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, p.describeChange(c))
	}
	return strings.Join(lines, "\n"), nil
}

// changeVerbs describe changes by their cause.
var changeVerbs = map[string]string{
	"entity.placed": "added", "entity.moved": "moved", "entity.updated": "changed", "entity.removed": "removed",
	"entity.related": "related", "entity.unrelated": "unrelated", "scene.changed": "set the scene", world.Undone: "undid a change to",
}

func (p *console) describeChange(c world.PastChange) string {
	did := changeVerbs[c.Cause]
	if did == "" {
		did = c.Cause
	}
	text := fmt.Sprintf("#%d at %s: %s %s %s", c.Seq, c.At.Local().Format(time.TimeOnly), p.nameOf(c.Who), did, strings.Join(c.Names, ", "))
	text = strings.TrimSpace(text)
	if c.Undoes != 0 {
		text += fmt.Sprintf(" (#%d)", c.Undoes)
	}
	switch {
	case c.Undone != 0:
		text += fmt.Sprintf(" (undone by #%d)", c.Undone)
	case c.Lost:
		text += " (too large to undo)"
	}
	return text
}
