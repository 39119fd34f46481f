package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// maxDepth is how many edges away Neighbours looks at most.
const maxDepth = 3

// PutRelations inserts or replaces relations by (From, Type, To), in one
// transaction. An end that is no entity is [memory.ErrNotFound].
func (s *Graph) PutRelations(ctx context.Context, relations ...memory.Relation) error {
	if len(relations) == 0 {
		return nil
	}
	return s.write(ctx, "storing relations", func(ctx context.Context, c *conn) error {
		for _, r := range relations {
			if err := putRelation(ctx, c, r); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		return nil
	})
}

// checkRelation says why a relation cannot be stored, whatever its ends.
func checkRelation(r memory.Relation) error {
	if r.Type == "" {
		return errors.New("a relation needs a type")
	}
	_, err := pack.Visible(r.Visible)
	return err
}

func putRelation(ctx context.Context, c *conn, r memory.Relation) error {
	if err := checkRelation(r); err != nil {
		return err
	}
	visible, err := pack.Visible(r.Visible)
	if err != nil {
		return err
	}
	for _, end := range []string{r.From, r.To} {
		known := false
		if err := c.row(ctx, `SELECT EXISTS (SELECT 1 FROM entities WHERE id = ?)`, []any{end}, &known); err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("entity %q: %w", end, memory.ErrNotFound)
		}
	}
	_, err = c.exec(ctx, `INSERT INTO relations (src, type, dst, note, visible) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (src, type, dst) DO UPDATE SET note = excluded.note, visible = excluded.visible`,
		r.From, r.Type, r.To, r.Note, visible)
	return err
}

// reach finds what lies around :id: every entity with its distance. Both the
// edge and the entity behind it must be visible to be crossed, so a hidden
// entity connects nothing.
const reach = `WITH RECURSIVE
	walk (id, depth) AS (
		SELECT :id, 0
		UNION
		SELECT r.dst, walk.depth + 1 FROM walk
			JOIN relations r ON r.src = walk.id AND ` + visibleRelation + `
			JOIN entities e ON e.id = r.dst AND ` + visibleEntity + `
			WHERE walk.depth < :depth
		UNION
		SELECT r.src, walk.depth + 1 FROM walk
			JOIN relations r ON r.dst = walk.id AND ` + visibleRelation + `
			JOIN entities e ON e.id = r.src AND ` + visibleEntity + `
			WHERE walk.depth < :depth
	),
	near (id, depth) AS MATERIALIZED (SELECT id, min(depth) FROM walk GROUP BY id)
`

const (
	connected = reach + `SELECT ` + entityColumns + ` FROM near JOIN entities e ON e.id = near.id
	WHERE near.depth > 0 ORDER BY near.depth, e.key, e.id`

	connecting = reach + `SELECT r.src, r.type, r.dst, r.note, r.visible FROM near a
	JOIN relations r ON r.src = a.id AND ` + visibleRelation + `
	JOIN near b ON b.id = r.dst
	WHERE min(a.depth, b.depth) < :depth
	ORDER BY min(a.depth, b.depth), r.src, r.type, r.dst`
)

// Neighbours returns an entity and what lies within depth edges in either
// direction, as far as viewer may see; depth is brought into 1 to 3. An
// unknown or hidden id is [memory.ErrNotFound].
func (s *Graph) Neighbours(ctx context.Context, id, viewer string, depth int) (memory.Neighbourhood, error) {
	args := []any{
		sql.Named("id", id),
		sql.Named("viewer", s.viewerKeys(viewer)),
		sql.Named("depth", min(max(depth, 1), maxDepth)),
	}
	var n memory.Neighbourhood
	err := s.readSnapshot(ctx, "reading neighbours", func(c *conn) (err error) {
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

func scanRelation(r *sql.Rows) (memory.Relation, error) {
	var m memory.Relation
	var visible string
	err := r.Scan(&m.From, &m.Type, &m.To, &m.Note, &visible)
	m.Visible = pack.VisibleList(visible)
	return m, err
}
