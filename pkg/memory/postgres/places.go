package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

var (
	placesOf = `SELECT DISTINCT ON (r.src) r.src, ` + entityColumns + ` FROM relations r
	JOIN entities e ON e.id = r.dst AND ` + visibleTo("e", "$2") + `
	WHERE r.src = ANY($1::text[]) AND r.type = '` + memory.LocatedIn + `' AND ` + visibleTo("r", "$2") + `
	ORDER BY r.src, r.dst`

	insideOf = `SELECT ` + entityColumns + ` FROM relations r
	JOIN entities e ON e.id = r.src AND ` + visibleTo("e", "$2") + `
	WHERE r.dst = $1 AND r.type = '` + memory.LocatedIn + `' AND ` + visibleTo("r", "$2") + `
	ORDER BY r.src LIMIT $3`
)

// Places returns the entity that each of the ids is in, where viewer may know
// of both and of the relation. Of several places the first by id counts.
func (s *Graph) Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	kept := make([]string, len(ids))
	for i, id := range ids {
		kept[i] = keepable(id)
	}
	places := make(map[string]memory.Entity, len(ids))
	err := s.read(ctx, "reading places", func(c conn) error {
		clear(places)
		_, err := rows(ctx, c, placesOf, []any{kept, s.viewerKeys(viewer)}, func(r pgx.Rows) (none struct{}, err error) {
			var id string
			e, err := scanEntity(r, &id)
			places[restored(id)] = e
			return none, err
		})
		return err
	})
	return places, err
}

// Inside returns at most limit entities that are in a place, by id, as far as
// viewer may know of them and of the relation.
func (s *Graph) Inside(ctx context.Context, viewer, place string, limit int) (out []memory.Entity, err error) {
	err = s.read(ctx, "reading a place", func(c conn) (err error) {
		out, err = rows(ctx, c, insideOf, []any{keepable(place), s.viewerKeys(viewer), limit}, entityRow)
		return err
	})
	return out, err
}
