package world

import (
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Finder finds entities by name; it is safe for concurrent use.
type Finder interface {
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
}

// Graph is what NPCs know of a world: names are looked up where they are
// indexed, who is where is known without asking.
type Graph struct {
	*World
	Finder
}

// Places returns the entity that each of the ids is in, where viewer may know
// of both and of the relation. Of several places the first by id counts. It is
// what the store would say, without asking it; the error is always nil.
func (w *World) Places(_ context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	places := make(map[string]memory.Entity, len(ids))
	for _, id := range ids {
		for k, r := range w.edges[id] {
			if k.from != id || r.Type != memory.LocatedIn || !visible(r.Visible, viewer) {
				continue
			}
			place := w.all[r.To]
			if place == nil || !visible(place.entity.Visible, viewer) {
				continue
			}
			if known, ok := places[id]; !ok || place.entity.ID < known.ID {
				places[id] = place.entity
			}
		}
	}
	for id, e := range places {
		places[id] = clone(e)
	}
	return places, nil
}

// Inside returns at most limit entities that are in a place, by id, as far as
// viewer may know of them and of the relation. It is what the store would say,
// without asking it; the error is always nil.
func (w *World) Inside(_ context.Context, viewer, place string, limit int) ([]memory.Entity, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []memory.Entity // the first by id so far
	for k, r := range w.edges[place] {
		if k.to != place || r.Type != memory.LocatedIn || !visible(r.Visible, viewer) {
			continue
		}
		v := w.all[r.From]
		if v == nil || !visible(v.entity.Visible, viewer) || len(out) == limit && (limit == 0 || v.entity.ID > out[limit-1].ID) {
			continue
		}
		i, _ := slices.BinarySearchFunc(out, v.entity.ID, func(e memory.Entity, id string) int { return strings.Compare(e.ID, id) })
		if out = slices.Insert(out, i, v.entity); len(out) > limit {
			out = out[:limit]
		}
	}
	for i := range out {
		out[i] = clone(out[i])
	}
	return out, nil
}
