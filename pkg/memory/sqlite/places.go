package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	placesOf = `SELECT r.src, ` + entityColumns + ` FROM json_each(:ids) j
	CROSS JOIN relations r ON r.src = j.value AND r.type = '` + memory.LocatedIn + `' AND ` + visibleRelation + `
	JOIN entities e ON e.id = r.dst AND ` + visibleEntity + `
	ORDER BY r.src, r.dst DESC`

	// By id, which is the index's order: a crowded place is read no further than
	// the limit.
	insideOf = `SELECT ` + entityColumns + ` FROM relations r
	CROSS JOIN entities e ON e.id = r.src AND ` + visibleEntity + `
	WHERE r.dst = :place AND r.type = '` + memory.LocatedIn + `' AND ` + visibleRelation + `
	ORDER BY r.src LIMIT :limit + 0`
)

// Places returns the entity that each of the ids is in, where viewer may know
// of both and of the relation. Of several places the first by id counts.
func (s *Graph) Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	places := make(map[string]memory.Entity, len(ids))
	err = s.read(ctx, "reading places", func(c *conn) error {
		args := []any{sql.Named("ids", string(list)), sql.Named("viewer", s.viewerKeys(viewer))}
		_, err := rows(ctx, c, placesOf, args, func(r *sql.Rows) (struct{}, error) {
			var id string
			e, err := scanEntity(r, &id)
			places[id] = e
			return struct{}{}, err
		})
		return err
	})
	return places, err
}

// Inside returns at most limit entities that are in a place, by id, as far as
// viewer may know of them and of the relation.
func (s *Graph) Inside(ctx context.Context, viewer, place string, limit int) (out []memory.Entity, err error) {
	err = s.read(ctx, "reading a place", func(c *conn) error {
		out, err = rows(ctx, c, insideOf, []any{
			sql.Named("place", place), sql.Named("viewer", s.viewerKeys(viewer)), sql.Named("limit", limit),
		}, entityRow)
		return err
	})
	return out, err
}
