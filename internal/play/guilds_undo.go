package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// PastChanges returns the latest changes of the world, the newest first, with the people who made them.
func (m *Member) PastChanges(ctx context.Context, most int) (all []world.PastChange, err error) {
	target := mcp.Target{Tool: "list_changes", Source: "server", ReadOnly: true, Permission: access.SessionControl}
	err = m.runGoverned(ctx, target, map[string]any{}, func(ctx context.Context, game *Game) error {
		all, err = game.World.RecentChanges(ctx, most)
		return err
	})
	return all, err
}

// UndoChange undoes a change of the world by its number, or the last one if number is 0, and returns it; see
// [world.World.Undo].
func (m *Member) UndoChange(ctx context.Context, number uint64) (done world.PastChange, err error) {
	target := mcp.Target{Tool: "undo_change", Source: "server", Permission: access.WorldWrite}
	err = m.runGoverned(ctx, target, map[string]any{"number": number}, func(ctx context.Context, game *Game) error {
		done, err = game.UndoWorld(ctx, number)
		return err
	})
	return done, err
}
