package table

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Stop has all NPCs stop what they say, or are about to, as if the player had taken the
// floor from them. What waits for its turn is still answered.
func Stop(ctx context.Context, t *Table, speaker string) error {
	return t.order(ctx, func() error {
		working := slices.SortedFunc(maps.Values(t.answers.attempts), func(a, b *attempt) int { return cmp.Compare(a.id, b.id) })
		for _, a := range working {
			if a.turn.phase.isAnswering() {
				t.answers.bargeIn(a, speaker)
			}
		}
		return nil
	})
}

// Notify tells those who lead the game something that a front has noticed; level is info or
// warning.
func (t *Table) Notify(ctx context.Context, level, text string) error {
	return t.order(ctx, func() error {
		t.effects.notify(0, level, text)
		return nil
	})
}
