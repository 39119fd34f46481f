package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// PutEntities inserts or replaces entities by id, in one transaction. Their relations are unchanged. An
// entity needs an id and a name; a position must have three finite numbers.
func (s *Store) PutEntities(ctx context.Context, entities ...memory.Entity) error {
	if len(entities) == 0 {
		return nil
	}
	return s.d.Write(ctx, "storing entities", func(ctx context.Context, c Conn) error {
		for _, e := range entities {
			if err := s.putEntity(ctx, c, e); err != nil {
				return fmt.Errorf("entity %q: %w", e.ID, err)
			}
			if err := PutNames(ctx, s, c, e); err != nil {
				return fmt.Errorf("names of entity %q: %w", e.ID, err)
			}
		}
		return nil
	})
}

// checkEntity returns why an entity cannot be stored.
func checkEntity(e memory.Entity) error {
	if strings.TrimSpace(e.ID) == "" || strings.TrimSpace(e.Name) == "" {
		return errors.New("an entity needs an id and a name")
	}
	_, visible := Visible(e.Visible)
	_, _, _, position := Position(e.Position)
	return errors.Join(visible, position)
}

// putEntity stores an entity without its search names.
func (s *Store) putEntity(ctx context.Context, c Conn, e memory.Entity) error {
	if err := checkEntity(e); err != nil {
		return err
	}
	visible, err := Visible(e.Visible)
	if err != nil {
		return err
	}
	aliases, err := JSON(e.Aliases, len(e.Aliases))
	if err != nil {
		return err
	}
	attributes, err := JSON(e.Attributes, len(e.Attributes))
	if err != nil {
		return err
	}
	x, y, z, err := Position(e.Position)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, `INSERT INTO entities (id, type, name, key, description, aliases, attributes, visible, x, y, z)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (id) DO UPDATE SET type = excluded.type, name = excluded.name, key = excluded.key,
			description = excluded.description, aliases = excluded.aliases,
			attributes = excluded.attributes, visible = excluded.visible,
			x = excluded.x, y = excluded.y, z = excluded.z`,
		e.ID, e.Type, e.Name, s.syntax.Clip(words.Key(e.Name)), e.Description, aliases, attributes, visible, x, y, z)
	return err
}

// PutNames replaces the search names of an entity.
func PutNames(ctx context.Context, s *Store, c Conn, e memory.Entity) error {
	all := []Statement{
		{`DELETE FROM entity_names WHERE entity = $1`, []any{e.ID}},
		{`DELETE FROM entity_words WHERE entity = $1`, []any{e.ID}},
	}
	for i, name := range append([]string{e.Name}, e.Aliases...) {
		key := words.Key(name)
		if key == "" {
			continue // a name without letters or digits can be listed, but not searched for
		}
		all = append(all, Statement{`INSERT INTO entity_names (key, alias, entity) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			[]any{s.syntax.Clip(key), min(i, 1), e.ID}})
		for _, w := range strings.Fields(key) {
			w = s.syntax.Clip(w)
			all = append(all, Statement{`INSERT INTO entity_words (word, runes, entity) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				[]any{w, utf8.RuneCountInString(w), e.ID}})
		}
	}
	return c.ExecAll(ctx, all)
}

// RemoveEntity deletes an entity and its relations. An unknown id is
// [memory.ErrNotFound].
func (s *Store) RemoveEntity(ctx context.Context, id string) error {
	return s.d.Write(ctx, "removing entity", func(ctx context.Context, c Conn) error {
		n, err := c.Exec(ctx, `DELETE FROM entities WHERE id = $1`, id)
		return requireRow(n, err, "entity", id)
	})
}

// Entity returns one entity if viewer may see it, else [memory.ErrNotFound].
func (s *Store) Entity(ctx context.Context, id, viewer string) (e memory.Entity, err error) {
	err = s.d.Read(ctx, "reading entity", func(c Conn) (err error) {
		e, err = s.selectEntity(ctx, c, id, s.viewerKeys(viewer))
		return err
	})
	return e, err
}

// selectEntity returns an entity if one of the viewer's keys may see it.
func (s *Store) selectEntity(ctx context.Context, c Conn, id string, keys []string) (memory.Entity, error) {
	found, err := Rows(ctx, c, s.sql.entity, []any{id, keys}, entityRow)
	if err != nil {
		return memory.Entity{}, err
	}
	if len(found) == 0 {
		return memory.Entity{}, fmt.Errorf("entity %q: %w", id, memory.ErrNotFound)
	}
	return found[0], nil
}

// loadEntity returns an entity, or nil if it does not exist.
func (s *Store) loadEntity(ctx context.Context, c Conn, id string) (*memory.Entity, error) {
	e, err := s.selectEntity(ctx, c, id, s.viewerKeys(""))
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	return &e, err
}

func entityRow(r Row) (memory.Entity, error) { return scanEntity(r) }

// scanEntity scans the columns in before, followed by entityColumns.
func scanEntity(r Row, before ...any) (memory.Entity, error) {
	var e memory.Entity
	var aliases, attributes *string
	var visible string
	var x, y, z *float64
	columns := append(before, &e.ID, &e.Type, &e.Name, &e.Description, &aliases, &attributes, &visible, &x, &y, &z)
	if err := r.Scan(columns...); err != nil {
		return e, err
	}
	if x != nil && y != nil && z != nil {
		e.Position = &memory.Position{*x, *y, *z}
	}
	e.Visible = VisibleList(visible)
	if aliases != nil {
		if err := json.Unmarshal([]byte(*aliases), &e.Aliases); err != nil {
			return e, fmt.Errorf("aliases of entity %q: %w", e.ID, err)
		}
	}
	if attributes != nil {
		if err := json.Unmarshal([]byte(*attributes), &e.Attributes); err != nil {
			return e, fmt.Errorf("attributes of entity %q: %w", e.ID, err)
		}
	}
	return e, nil
}
