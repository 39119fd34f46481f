package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// World returns the whole knowledge graph as it is at one moment: entities by
// id, relations by their ends and type.
func (s *Graph) World(ctx context.Context) (entities []memory.Entity, relations []memory.Relation, err error) {
	err = s.read(ctx, "reading the world", func(c conn) (err error) {
		entities, relations, err = selectWorld(ctx, c)
		return err
	})
	return entities, relations, err
}

func selectWorld(ctx context.Context, c conn) (entities []memory.Entity, relations []memory.Relation, err error) {
	entities, err = rows(ctx, c, `SELECT `+entityColumns+` FROM entities e ORDER BY e.id`, nil, entityRow)
	if err != nil {
		return nil, nil, err
	}
	relations, err = rows(ctx, c, `SELECT r.src, r.type, r.dst, r.note, r.visible FROM relations r
		ORDER BY r.src, r.type, r.dst`, nil, scanRelation)
	return entities, relations, err
}

// Change carries out a batch in one transaction. When it returns, the batch
// survives the end of the process, kill -9 included; the end of the server may take
// it until the next line that was said is on the disk. The fact that tells an entity's description
// follows the entity, and what else is told of it becomes as secret or as
// public as the entity, where it was so before.
func (s *Graph) Change(ctx context.Context, b memory.Batch) error {
	defer s.askForIndexing()
	return s.writeUnsynced(ctx, "changing the world", func(ctx context.Context, c conn) error {
		if err := checkExpected(ctx, c, b.Space, b.Expect); err != nil {
			return err
		}
		for _, id := range b.Remove {
			if err := removeEntity(ctx, c, id); err != nil {
				return fmt.Errorf("entity %q: %w", id, err)
			}
		}
		for _, e := range b.Put {
			if err := changeEntity(ctx, c, e); err != nil {
				return fmt.Errorf("entity %q: %w", e.ID, err)
			}
		}
		for _, r := range b.Unrelate {
			if _, err := exec(ctx, c, `DELETE FROM relations WHERE src = $1 AND type = $2 AND dst = $3`, keepable(r.From), keepable(r.Type), keepable(r.To)); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		for _, r := range b.Relate {
			if err := putRelation(ctx, c, r); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		if err := recordChanges(ctx, c, b.Record); err != nil {
			return err
		}
		return saveState(ctx, c, b.Space, b.State)
	})
}

// checkExpected checks that state is as the writer believes.
func checkExpected(ctx context.Context, c conn, space string, values map[string][]byte) error {
	for key, want := range values {
		var got []byte
		err := row(ctx, c, `SELECT value FROM state WHERE space = $1 AND key = $2`, []any{keepable(space), keepable(key)}, &got)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if there := err == nil; there != (want != nil) || !bytes.Equal(got, want) {
			return fmt.Errorf("%s %q: %w", space, key, memory.ErrConflict)
		}
	}
	return nil
}
