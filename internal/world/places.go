package world

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// defaultEntities is how many a query finds that says no limit.
const defaultEntities = 20

// Finder finds entities by name; it is safe for concurrent use.
type Finder interface {
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
}

// Graph is what NPCs know of a world. Who is where, and who is named, is known
// without asking the store; Finder is asked for what is only similar.
type Graph struct {
	*World
	Finder
}

// FindEntities returns what the Finder would, best first. An exact query by a
// name alone is answered from memory, without an error.
func (g Graph) FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error) {
	if q.Name == "" || !q.Exact || q.Type != "" {
		return g.Finder.FindEntities(ctx, q)
	}
	return g.World.named(q), nil
}

// named returns the entities that an exact query by a name finds, as they are
// now. It takes no lock if there are none.
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
		// It may have become a secret since.
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

// Places returns the entity that each of the ids is in, where viewer may know
// of both and of the relation. Of several places the first by id counts. It is
// what the store would say, without asking it; the error is always nil.
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

// Inside returns at most limit entities that are in a place, by id, as far as
// viewer may know of them and of the relation. It is what the store would say,
// without asking it; the error is always nil.
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

// located returns one of both, if viewer may know of it and of id being in
// place. The caller holds mu.
func (w *World) located(viewer, id, place, one string) (memory.Entity, bool) {
	r, v := w.edges.at[id][edgeKey{id, memory.LocatedIn, place}], w.all[one]
	if v == nil || !w.groups.Knows(r.Visible, viewer) || !w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return v.entity, true
}
