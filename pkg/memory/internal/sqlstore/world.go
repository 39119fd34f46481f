package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// World returns one snapshot of the knowledge graph: entities ordered by id, relations by their ends and
// type.
func (s *Store) World(ctx context.Context) (entities []memory.Entity, relations []memory.Relation, err error) {
	err = s.d.ReadSnapshot(ctx, "reading the world", func(c Conn) (err error) {
		entities, err = Rows(ctx, c, `SELECT `+entityColumns+` FROM entities e ORDER BY e.id`, nil, entityRow)
		if err != nil {
			return err
		}
		relations, err = Rows(ctx, c, `SELECT `+relationColumns+` FROM relations r ORDER BY r.src, r.type, r.dst`, nil, scanRelation)
		return err
	})
	return entities, relations, err
}

// Change applies a batch in one transaction. When it returns, the batch survives the end of the process, even
// kill -9. A power cut, or the end of the database server, may lose it until the next synced write, such as
// that of a line. The fact that describes an entity is updated with the entity. Other facts about it that had
// the same audience get the entity's new audience.
func (s *Store) Change(ctx context.Context, b memory.Batch) error {
	defer s.signalUnindexed()
	return s.d.WriteUnsynced(ctx, "changing the world", func(ctx context.Context, c Conn) error {
		if err := checkExpected(ctx, c, b.Space, b.Expect); err != nil {
			return err
		}
		for _, id := range b.Remove {
			if err := s.removeEntity(ctx, c, id); err != nil {
				return fmt.Errorf("entity %q: %w", id, err)
			}
		}
		for _, e := range b.Put {
			if err := s.changeEntity(ctx, c, e); err != nil {
				return fmt.Errorf("entity %q: %w", e.ID, err)
			}
		}
		for _, r := range b.Unrelate {
			if err := deleteRelation(ctx, c, r); err != nil {
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

// checkExpected checks that the state matches the writer's expectation.
func checkExpected(ctx context.Context, c Conn, space string, values map[string][]byte) error {
	for key, want := range values {
		var got []byte
		err := c.Row(ctx, `SELECT value FROM state WHERE space = $1 AND key = $2`, []any{space, key}, &got)
		if err != nil && !errors.Is(err, ErrNoRows) {
			return err
		}
		if there := err == nil; there != (want != nil) || !bytes.Equal(got, want) {
			return fmt.Errorf("%s %q: %w", space, key, memory.ErrConflict)
		}
	}
	return nil
}

// changeEntity puts an entity and updates its facts.
func (s *Store) changeEntity(ctx context.Context, c Conn, e memory.Entity) error {
	old, err := s.loadEntity(ctx, c, e.ID)
	if err != nil {
		return err
	}
	return s.replaceEntity(ctx, c, old, e)
}

// removeEntity deletes an entity, its relations and the fact that describes it. Other facts about it stay,
// because they remain true.
func (s *Store) removeEntity(ctx context.Context, c Conn, id string) error {
	old, err := s.loadEntity(ctx, c, id)
	if err != nil || old == nil {
		return err
	}
	if _, err := c.Exec(ctx, `DELETE FROM entities WHERE id = $1`, id); err != nil {
		return err
	}
	f := memory.DescriptionOf(*old)
	return s.d.DeleteFacts(ctx, c, f.Source, []string{f.Text})
}

// replaceEntity replaces old by e. old is nil if e is new.
func (s *Store) replaceEntity(ctx context.Context, c Conn, old *memory.Entity, e memory.Entity) error {
	if err := s.putEntity(ctx, c, e); err != nil {
		return err
	}
	if old == nil || old.Name != e.Name || !slices.Equal(old.Aliases, e.Aliases) {
		if err := PutNames(ctx, s, c, e); err != nil {
			return err
		}
	}
	now := memory.DescriptionOf(e)
	if old != nil {
		before := memory.DescriptionOf(*old)
		if before.Text == now.Text && slices.Equal(old.Visible, e.Visible) {
			return nil
		}
		if before.Text != now.Text {
			if err := s.d.DeleteFacts(ctx, c, before.Source, []string{before.Text}); err != nil {
				return err
			}
		}
		if err := restrictFacts(ctx, c, now.Source, old.Visible, e.Visible); err != nil {
			return err
		}
	}
	if e.Description == "" {
		return nil
	}
	_, err := s.putFact(ctx, c, now)
	return err
}

// restrictFacts changes the audience of those facts of a source whose audience is old to now.
func restrictFacts(ctx context.Context, c Conn, source string, old, now []string) error {
	before, err := audienceOf(ctx, c, old)
	if err != nil {
		return err
	}
	after, err := audienceOf(ctx, c, now)
	if err != nil || after == before {
		return err
	}
	_, err = c.Exec(ctx, `UPDATE facts SET audience = $1 WHERE source = $2 AND audience = $3`, after, source, before)
	return err
}
