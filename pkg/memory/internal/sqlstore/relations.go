package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxDepth is the maximum depth of Neighbours.
const maxDepth = 3

// PutRelations inserts or replaces relations by (From, Type, To), in one transaction. If an end is not an
// entity, the error is [memory.ErrNotFound].
func (s *Store) PutRelations(ctx context.Context, relations ...memory.Relation) error {
	if len(relations) == 0 {
		return nil
	}
	return s.d.Write(ctx, "storing relations", func(ctx context.Context, c Conn) error {
		for _, r := range relations {
			if err := putRelation(ctx, c, r); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		return nil
	})
}

// checkRelation returns why a relation cannot be stored, apart from its ends.
func checkRelation(r memory.Relation) error {
	if r.Type == "" {
		return errors.New("a relation needs a type")
	}
	_, err := Visible(r.Visible)
	return err
}

func putRelation(ctx context.Context, c Conn, r memory.Relation) error {
	if err := checkRelation(r); err != nil {
		return err
	}
	visible, err := Visible(r.Visible)
	if err != nil {
		return err
	}
	for _, end := range []string{r.From, r.To} {
		known := false
		if err := c.Row(ctx, `SELECT EXISTS (SELECT 1 FROM entities WHERE id = $1)`, []any{end}, &known); err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("entity %q: %w", end, memory.ErrNotFound)
		}
	}
	_, err = c.Exec(ctx, `INSERT INTO relations (src, type, dst, note, visible) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (src, type, dst) DO UPDATE SET note = excluded.note, visible = excluded.visible`,
		r.From, r.Type, r.To, r.Note, visible)
	return err
}

func deleteRelation(ctx context.Context, c Conn, r memory.Relation) error {
	_, err := c.Exec(ctx, `DELETE FROM relations WHERE src = $1 AND type = $2 AND dst = $3`, r.From, r.Type, r.To)
	return err
}

// Neighbours returns an entity and everything viewer may see within depth edges in either direction. depth is
// clamped to 1 to 3. An unknown or hidden id is [memory.ErrNotFound].
func (s *Store) Neighbours(ctx context.Context, id, viewer string, depth int) (memory.Neighbourhood, error) {
	keys := s.viewerKeys(viewer)
	args := []any{id, keys, min(max(depth, 1), maxDepth)}
	var n memory.Neighbourhood
	err := s.d.ReadSnapshot(ctx, "reading neighbours", func(c Conn) (err error) {
		if n.Entity, err = s.selectEntity(ctx, c, id, keys); err != nil {
			return err
		}
		if n.Connected, err = Rows(ctx, c, s.sql.connected, args, entityRow); err != nil {
			return err
		}
		n.Relations, err = Rows(ctx, c, s.sql.connecting, args, scanRelation)
		return err
	})
	if err != nil {
		return memory.Neighbourhood{}, err
	}
	return n, nil
}

func scanRelation(r Row) (m memory.Relation, err error) {
	var visible string
	err = r.Scan(&m.From, &m.Type, &m.To, &m.Note, &visible)
	m.Visible = VisibleList(visible)
	return m, err
}
