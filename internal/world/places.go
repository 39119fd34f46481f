package world

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// defaultEntities is the default limit of a query.
const defaultEntities = 20

// Finder finds entities by name. It is safe for concurrent use.
type Finder interface {
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
}

// Graph is the NPCs' view of a world. It answers queries about places and exact names from memory, and asks
// Finder for similar names.
type Graph struct {
	*World
	Finder
}

// FindEntities returns the same as the Finder, best first. It answers an exact query by name from
// memory, without an error.
func (g Graph) FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error) {
	if q.Name == "" || !q.Exact || q.Type != "" {
		return g.Finder.FindEntities(ctx, q)
	}
	return g.World.named(q), nil
}

// named returns the current entities for an exact query by name. It takes no lock if there are none.
func (w *World) named(q memory.EntityQuery) []memory.Entity {
	if q.Limit <= 0 {
		q.Limit = defaultEntities
	}
	found := w.names.Load().findNamed(w.groups, q.Name, q.Viewer, q.Limit)
	if len(found) == 0 {
		return nil
	}
	out := make([]memory.Entity, 0, len(found))
	w.mu.RLock()
	for _, m := range found {
		// It may have become secret since.
		if v := w.all[m.id]; v != nil && w.groups.Knows(v.entity.Visible, q.Viewer) {
			out = append(out, v.entity)
		}
	}
	w.mu.RUnlock()
	for i := range out {
		out[i] = clone(out[i])
	}
	return out
}

// Places returns the place of each entity, if viewer may know the entity, the place and the relation. Of
// several places, it returns the first by id. The result is the same as the store's. The error is always nil.
func (w *World) Places(_ context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	places := make(map[string]memory.Entity, len(ids))
	for _, id := range ids {
		for _, place := range w.edges.within[id] {
			if e, ok := w.located(viewer, id, place, place); ok {
				places[id] = clone(e)
				break
			}
		}
	}
	return places, nil
}

// Inside returns at most limit entities in a place, sorted by id, if viewer may know them and the relation.
// The result is the same as the store's. The error is always nil.
func (w *World) Inside(_ context.Context, viewer, place string, limit int) ([]memory.Entity, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []memory.Entity
	for _, id := range w.edges.inside[place] {
		if len(out) == limit {
			break
		}
		if e, ok := w.located(viewer, id, place, id); ok {
			out = append(out, clone(e))
		}
	}
	return out, nil
}

// located returns the entity one, which is id or place, if viewer may know it and that id is in place. The
// caller must hold mu.
func (w *World) located(viewer, id, place, one string) (memory.Entity, bool) {
	r, v := w.edges.at[id][edgeKey{id, memory.LocatedIn, place}], w.all[one]
	if v == nil || !w.groups.Knows(r.Visible, viewer) || !w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return v.entity, true
}
