package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// maxListedChanges bounds the listed changes of the world.
const maxListedChanges = 100

// listChanges shows the latest changes of the world.
func listChanges(ctx context.Context, c *call) (string, error) {
	all, err := c.by.PastChanges(ctx, maxListedChanges)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range all {
		lines = append(lines, "- "+c.describeChange(p))
	}
	return c.showPage("undo list", "", lines, c.format(NothingChanged))
}

// undoChange reverts a change of the world.
func undoChange(ctx context.Context, c *call) (string, error) {
	done, err := c.by.UndoChange(ctx, uint64(c.numberOption("number")))
	switch {
	case errors.Is(err, world.ErrNothingToUndo):
		return "", NothingChanged.With()
	case errors.Is(err, mcp.ErrInvalidArguments):
		return "", CannotUndo.With()
	case err != nil:
		return "", err
	}
	return c.format(ChangeUndone, c.describeChange(done)), nil
}

// changeWords describe changes by their cause.
var changeWords = map[string]Text{
	"entity.placed": ChangePlaced, "entity.moved": ChangeMoved, "entity.updated": ChangeUpdated,
	"entity.removed": ChangeRemoved, "entity.related": ChangeRelated, "entity.unrelated": ChangeParted,
	"scene.changed": ChangeScene, world.Undone: ChangeBack,
}

// describeChange formats a change in one line: number, time, author, kind and entities.
func (c *call) describeChange(p world.PastChange) string {
	did, known := changeWords[p.Cause]
	if !known {
		did = ChangeOther
	}
	var cast []config.NPC
	if r, err := c.runningSession(); err == nil {
		cast = r.presentNPCs()
	}
	text := fmt.Sprintf("**#%d** <t:%d:R> %s: %s", p.Seq, p.At.Unix(), callerName(p.Who, cast), c.format(did))
	if len(p.Names) > 0 {
		text += " (" + escapeMarkup(clipText(strings.Join(p.Names, ", "), 200)) + ")"
	}
	if p.Undone != 0 {
		text += ", " + c.format(ChangeIsUndone, p.Undone)
	}
	return text
}
