package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// UndoWorld undoes a change of the world, see [world.World.Undo], and makes restored descriptions searchable
// again.
func (g *Game) UndoWorld(ctx context.Context, seq uint64) (world.PastChange, error) {
	p, back, err := g.World.Undo(ctx, seq)
	if err != nil {
		return p, err
	}
	for _, e := range back {
		if e.Description == "" {
			continue
		}
		if err := g.Store.Remember(ctx, memory.DescriptionOf(e)); err != nil {
			g.log.Warn("having a description found again", "entity", e.ID, "reason", err)
		}
	}
	return p, nil
}
