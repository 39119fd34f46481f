package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxDepth is how many edges away Neighbours looks at most.
const maxDepth = 3

// PutRelations inserts or replaces relations by (From, Type, To), in one
// transaction. An end that is no entity is [memory.ErrNotFound].
func (s *Graph) PutRelations(ctx context.Context, relations ...memory.Relation) error {
	if len(relations) == 0 {
		return nil
	}
	return s.write(ctx, "storing relations", func(ctx context.Context, c conn) error {
		for _, r := range relations {
			if err := putRelation(ctx, c, r); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		return nil
	})
}

func checkRelation(r memory.Relation) error {
	if r.Type == "" {
		return errors.New("a relation needs a type")
	}
	_, err := noted(r.Visible)
	return err
}

func putRelation(ctx context.Context, c conn, r memory.Relation) error {
	if err := checkRelation(r); err != nil {
		return err
	}
	visible, err := noted(r.Visible)
	if err != nil {
		return err
	}
	for _, end := range []string{r.From, r.To} {
		known := false
		if err := row(ctx, c, `SELECT EXISTS (SELECT 1 FROM entities WHERE id = $1)`, []any{keepable(end)}, &known); err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("entity %q: %w", end, memory.ErrNotFound)
		}
	}
	_, err = exec(ctx, c, `INSERT INTO relations (src, type, dst, note, visible) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (src, type, dst) DO UPDATE SET note = excluded.note, visible = excluded.visible`,
		keepable(r.From), keepable(r.Type), keepable(r.To), keepable(r.Note), visible)
	return err
}

// reach finds what lies around $1: every entity with its distance, as far as $2 may see
// and $3 edges away. Both the edge and the entity behind it must be visible to be
// crossed, so a hidden entity connects nothing.
var reach = `WITH RECURSIVE
	walk (id, depth) AS (
		SELECT $1::text COLLATE "C", 0
		UNION
		SELECT e.id, walk.depth + 1 FROM walk
			JOIN relations r ON (r.src = walk.id OR r.dst = walk.id) AND ` + visibleTo("r", "$2") + `
			JOIN entities e ON e.id = CASE WHEN r.src = walk.id THEN r.dst ELSE r.src END AND ` + visibleTo("e", "$2") + `
			WHERE walk.depth < $3
	),
	near (id, depth) AS MATERIALIZED (SELECT id, min(depth) FROM walk GROUP BY id)
`

var (
	connected = reach + `SELECT ` + entityColumns + ` FROM near JOIN entities e ON e.id = near.id
	WHERE near.depth > 0 ORDER BY near.depth, e.key, e.id`

	connecting = reach + `SELECT r.src, r.type, r.dst, r.note, r.visible FROM near a
	JOIN relations r ON r.src = a.id AND ` + visibleTo("r", "$2") + `
	JOIN near b ON b.id = r.dst
	WHERE least(a.depth, b.depth) < $3
	ORDER BY least(a.depth, b.depth), r.src, r.type, r.dst`
)

// Neighbours returns an entity and what lies within depth edges in either
// direction, as far as viewer may see; depth is brought into 1 to 3. An
// unknown or hidden id is [memory.ErrNotFound].
func (s *Graph) Neighbours(ctx context.Context, id, viewer string, depth int) (memory.Neighbourhood, error) {
	args := []any{keepable(id), s.viewerKeys(viewer), min(max(depth, 1), maxDepth)}
	var n memory.Neighbourhood
	err := s.read(ctx, "reading neighbours", func(c conn) (err error) {
		if n.Entity, err = selectEntity(ctx, c, id, s.viewerKeys(viewer)); err != nil {
			return err
		}
		if n.Connected, err = rows(ctx, c, connected, args, entityRow); err != nil {
			return err
		}
		n.Relations, err = rows(ctx, c, connecting, args, scanRelation)
		return err
	})
	if err != nil {
		return memory.Neighbourhood{}, err
	}
	return n, nil
}

func scanRelation(r pgx.Rows) (m memory.Relation, err error) {
	var visible string
	err = r.Scan(&m.From, &m.Type, &m.To, &m.Note, &visible)
	for _, s := range []*string{&m.From, &m.Type, &m.To, &m.Note} {
		*s = restored(*s)
	}
	m.Visible = listed(visible)
	return m, err
}
