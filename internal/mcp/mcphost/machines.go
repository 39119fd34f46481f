package mcphost

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const (
	// latencyAge is how long latencies are kept that nobody needs: a machine that is
	// away for a holiday finds its own, one whose name was made up for a container
	// leaves none for ever.
	latencyAge = 6 * 7 * 24 * time.Hour
	// maxMachines bounds the other machines whose latencies are kept.
	maxMachines = 16
)

// outdated reports whether something that was last there at a time, in seconds since
// 1970, is to be forgotten.
func outdated(at int64, now time.Time) bool { return now.Sub(time.Unix(at, 0)) > latencyAge }

// forgetMachines deletes the latencies of machines other than the one that keeps its own
// in space: those that were last kept too long ago, and those beyond the bound, the oldest
// first. Former versions did not say when; theirs are the oldest.
func forgetMachines(ctx context.Context, keeper Keeper, space string, now time.Time) error {
	type machine struct {
		space string
		rows  map[string][]byte
		last  int64
	}
	spaces, err := keeper.StateSpaces(ctx, latencySpaces)
	if err != nil {
		return err
	}
	var others []machine
	for _, s := range spaces {
		if s == space {
			continue
		}
		m := machine{space: s}
		if m.rows, err = keeper.LoadState(ctx, s); err != nil {
			return err
		}
		for _, value := range m.rows {
			if kept, err := readVitals(value); err == nil {
				m.last = max(m.last, kept.At)
			}
		}
		others = append(others, m)
	}
	slices.SortFunc(others, func(a, b machine) int { return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.space, b.space)) })
	for i, m := range others {
		if i < maxMachines && !outdated(m.last, now) {
			continue
		}
		for key := range m.rows {
			m.rows[key] = nil
		}
		if err := keeper.SaveState(ctx, m.space, m.rows); err != nil {
			return err
		}
	}
	return nil
}
