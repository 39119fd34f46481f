package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// PutEntities inserts or replaces entities by id, in one transaction; their
// relations stay. An entity needs an id and a name, and a position, if it has
// one, three finite numbers.
func (s *Graph) PutEntities(ctx context.Context, entities ...memory.Entity) error {
	if len(entities) == 0 {
		return nil
	}
	return s.write(ctx, "storing entities", func(ctx context.Context, c *conn) error {
		for _, e := range entities {
			if err := putEntity(ctx, c, e); err != nil {
				return fmt.Errorf("entity %q: %w", e.ID, err)
			}
			if err := putNames(ctx, c, e); err != nil {
				return fmt.Errorf("names of entity %q: %w", e.ID, err)
			}
		}
		return nil
	})
}

// checkEntity says why an entity cannot be stored.
func checkEntity(e memory.Entity) error {
	if strings.TrimSpace(e.ID) == "" || strings.TrimSpace(e.Name) == "" {
		return errors.New("an entity needs an id and a name")
	}
	_, visible := pack.Visible(e.Visible)
	_, _, _, position := pack.Position(e.Position)
	return errors.Join(visible, position)
}

// putEntity stores an entity without what it is found by.
func putEntity(ctx context.Context, c *conn, e memory.Entity) error {
	if err := checkEntity(e); err != nil {
		return err
	}
	visible, err := pack.Visible(e.Visible)
	if err != nil {
		return err
	}
	aliases, err := pack.JSON(e.Aliases, len(e.Aliases))
	if err != nil {
		return err
	}
	attributes, err := pack.JSON(e.Attributes, len(e.Attributes))
	if err != nil {
		return err
	}
	x, y, z, err := pack.Position(e.Position)
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, `INSERT INTO entities (id, type, name, key, description, aliases, attributes, visible, x, y, z)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET type = excluded.type, name = excluded.name, key = excluded.key,
			description = excluded.description, aliases = excluded.aliases,
			attributes = excluded.attributes, visible = excluded.visible,
			x = excluded.x, y = excluded.y, z = excluded.z`,
		e.ID, e.Type, e.Name, words.Key(e.Name), e.Description, aliases, attributes, visible, x, y, z)
	return err
}

// putNames replaces what the entity is found by.
func putNames(ctx context.Context, c *conn, e memory.Entity) error {
	if _, err := c.exec(ctx, `DELETE FROM entity_names WHERE entity = ?`, e.ID); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `DELETE FROM entity_words WHERE entity = ?`, e.ID); err != nil {
		return err
	}
	for i, name := range append([]string{e.Name}, e.Aliases...) {
		key := words.Key(name)
		if key == "" {
			continue // a name of signs alone can be listed, not asked for
		}
		if _, err := c.exec(ctx, `INSERT OR IGNORE INTO entity_names (key, alias, entity) VALUES (?, ?, ?)`, key, i > 0, e.ID); err != nil {
			return err
		}
		for _, w := range strings.Fields(key) {
			if _, err := c.exec(ctx, `INSERT OR IGNORE INTO entity_words (word, runes, entity) VALUES (?, ?, ?)`,
				w, utf8.RuneCountInString(w), e.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveEntity deletes an entity and its relations. An unknown id is
// [memory.ErrNotFound].
func (s *Graph) RemoveEntity(ctx context.Context, id string) error {
	return s.write(ctx, "removing entity", func(ctx context.Context, c *conn) error {
		res, err := c.exec(ctx, `DELETE FROM entities WHERE id = ?`, id)
		if err != nil {
			return err
		}
		return needOne(res, "entity", id)
	})
}

// Entity returns one entity if viewer may see it, else [memory.ErrNotFound].
func (s *Graph) Entity(ctx context.Context, id, viewer string) (e memory.Entity, err error) {
	err = s.read(ctx, "reading entity", func(c *conn) error {
		e, err = selectEntity(ctx, c, id, s.viewerKeys(viewer))
		return err
	})
	return e, err
}

const entityColumns = `e.id, e.type, e.name, e.description, e.aliases, e.attributes, e.visible, e.x, e.y, e.z`

// selectEntity returns an entity if one of the viewer's keys may see it.
func selectEntity(ctx context.Context, c *conn, id, keys string) (memory.Entity, error) {
	found, err := rows(ctx, c, `SELECT `+entityColumns+` FROM entities e WHERE e.id = :id AND `+visibleEntity,
		[]any{sql.Named("id", id), sql.Named("viewer", keys)}, entityRow)
	if err != nil {
		return memory.Entity{}, err
	}
	if len(found) == 0 {
		return memory.Entity{}, fmt.Errorf("entity %q: %w", id, memory.ErrNotFound)
	}
	return found[0], nil
}

func entityRow(r *sql.Rows) (memory.Entity, error) { return scanEntity(r) }

// scanEntity reads the columns in before and then entityColumns.
func scanEntity(r *sql.Rows, before ...any) (memory.Entity, error) {
	var e memory.Entity
	var aliases, attributes sql.NullString
	var visible string
	var x, y, z sql.NullFloat64
	columns := append(before, &e.ID, &e.Type, &e.Name, &e.Description, &aliases, &attributes, &visible, &x, &y, &z)
	if err := r.Scan(columns...); err != nil {
		return e, err
	}
	if x.Valid {
		e.Position = &memory.Position{x.Float64, y.Float64, z.Float64}
	}
	e.Visible = pack.VisibleList(visible)
	if aliases.Valid {
		if err := json.Unmarshal([]byte(aliases.String), &e.Aliases); err != nil {
			return e, fmt.Errorf("aliases of entity %q: %w", e.ID, err)
		}
	}
	if attributes.Valid {
		if err := json.Unmarshal([]byte(attributes.String), &e.Attributes); err != nil {
			return e, fmt.Errorf("attributes of entity %q: %w", e.ID, err)
		}
	}
	return e, nil
}
