package sqlstore

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Places returns the entity in which each of the ids is, if viewer may know of both entities and of the
// relation. If there are several places, the first by id is returned.
func (s *Store) Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	places := make(map[string]memory.Entity, len(ids))
	err := s.d.Read(ctx, "reading places", func(c Conn) error {
		clear(places)
		return c.Each(ctx, s.sql.placesOf, []any{ids, s.viewerKeys(viewer)}, func(r Row) error {
			var id string
			e, err := scanEntity(r, &id)
			places[id] = e
			return err
		})
	})
	return places, err
}

// Inside returns up to limit entities that are in a place, ordered by id, as far as viewer may know of them
// and of the relation.
func (s *Store) Inside(ctx context.Context, viewer, place string, limit int) (out []memory.Entity, err error) {
	err = s.d.Read(ctx, "reading a place", func(c Conn) (err error) {
		out, err = Rows(ctx, c, s.sql.insideOf, []any{place, s.viewerKeys(viewer), limit}, entityRow)
		return err
	})
	return out, err
}
