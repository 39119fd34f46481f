package table

import (
	"cmp"
	"context"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// EarStatus is how one player is heard.
type EarStatus struct {
	Speaker string
	// Voicing says that the player speaks just now.
	Voicing bool
	ear.Stats
}

// Ears tells how the players are heard who have a seat, by name.
func Ears(ctx context.Context, t *Table) (all []EarStatus, err error) {
	err = t.order(ctx, func() error {
		for name, s := range t.listener.seats {
			if s.ear != nil { // else it is about to be opened
				all = append(all, EarStatus{name, s.voicing, s.ear.Stats()})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b EarStatus) int { return cmp.Compare(a.Speaker, b.Speaker) })
	return all, err
}
