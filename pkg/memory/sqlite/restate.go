package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// loadEntity returns an entity, nil if there is none.
func loadEntity(ctx context.Context, c *conn, id string) (*memory.Entity, error) {
	e, err := selectEntity(ctx, c, id, allKeys)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	return &e, err
}

// changeEntity puts an entity and lets its facts follow.
func changeEntity(ctx context.Context, c *conn, e memory.Entity) error {
	old, err := loadEntity(ctx, c, e.ID)
	if err != nil {
		return err
	}
	return replaceEntity(ctx, c, old, e)
}

// removeEntity deletes an entity, its relations and the fact that describes it. What
// else was told of it stays: it has happened.
func removeEntity(ctx context.Context, c *conn, id string) error {
	old, err := loadEntity(ctx, c, id)
	if err != nil || old == nil {
		return err
	}
	if _, err := c.exec(ctx, `DELETE FROM entities WHERE id = ?`, id); err != nil {
		return err
	}
	f := memory.DescriptionOf(*old)
	return deleteFacts(ctx, c, f.Source, f.Text)
}

// replaceEntity puts e in the place of old, which is nil if e is new.
func replaceEntity(ctx context.Context, c *conn, old *memory.Entity, e memory.Entity) error {
	if err := putEntity(ctx, c, e); err != nil {
		return err
	}
	if old == nil || old.Name != e.Name || !slices.Equal(old.Aliases, e.Aliases) {
		if err := putNames(ctx, c, e); err != nil {
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
			if err := deleteFacts(ctx, c, before.Source, before.Text); err != nil {
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
	_, err := putFact(ctx, c, now)
	return err
}

// restrictFacts shows the facts of a source that were for the eyes of old to now.
func restrictFacts(ctx context.Context, c *conn, source string, old, now []string) error {
	before, err := audienceOf(ctx, c, old)
	if err != nil {
		return err
	}
	after, err := audienceOf(ctx, c, now)
	if err != nil || after == before {
		return err
	}
	_, err = c.exec(ctx, `UPDATE facts SET audience = ? WHERE source = ? AND audience = ?`, after, source, before)
	return err
}

// deleteFacts deletes facts of a source by their texts, if there are such, from
// everything that finds them.
func deleteFacts(ctx context.Context, c *conn, source string, texts ...string) error {
	var gone []pending
	for _, text := range texts {
		p := pending{text: text}
		err := c.row(ctx, `SELECT id FROM facts WHERE source = ? AND text = ?`, []any{source, text}, &p.id)
		if err == nil {
			gone = append(gone, p)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	// The full text collects changes as long as ids rise and no other table
	// comes between, and writing them out is slow.
	slices.SortFunc(gone, func(a, b pending) int { return cmp.Compare(a.id, b.id) })
	for _, p := range gone {
		if _, err := c.exec(ctx, `INSERT INTO facts_text (facts_text, rowid, words) VALUES ('delete', ?, ?)`, p.id, words.Key(p.text)); err != nil {
			return err
		}
	}
	spaces, err := rows(ctx, c, `SELECT n FROM vector_spaces`, nil, scanID)
	if err != nil {
		return err
	}
	for _, p := range gone {
		for _, n := range spaces {
			if _, err := c.exec(ctx, `DELETE FROM `+vectorTable(n)+` WHERE rowid = ?`, p.id); err != nil {
				return err
			}
		}
		if _, err := c.exec(ctx, `DELETE FROM facts WHERE id = ?`, p.id); err != nil {
			return err
		}
	}
	return nil
}
