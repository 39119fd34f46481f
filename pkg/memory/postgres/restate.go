package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// loadEntity returns an entity, nil if there is none.
func loadEntity(ctx context.Context, c conn, id string) (*memory.Entity, error) {
	e, err := selectEntity(ctx, c, id, []string{""})
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	return &e, err
}

// changeEntity puts an entity and lets its facts follow.
func changeEntity(ctx context.Context, c conn, e memory.Entity) error {
	old, err := loadEntity(ctx, c, e.ID)
	if err != nil {
		return err
	}
	return replaceEntity(ctx, c, old, e)
}

// removeEntity deletes an entity, its relations and the fact that describes it. What
// else was told of it stays: it has happened.
func removeEntity(ctx context.Context, c conn, id string) error {
	old, err := loadEntity(ctx, c, id)
	if err != nil || old == nil {
		return err
	}
	if _, err := exec(ctx, c, `DELETE FROM entities WHERE id = $1`, keepable(id)); err != nil {
		return err
	}
	f := memory.DescriptionOf(*old)
	return deleteFacts(ctx, c, f.Source, f.Text)
}

// replaceEntity puts e in the place of old, which is nil if e is new.
func replaceEntity(ctx context.Context, c conn, old *memory.Entity, e memory.Entity) error {
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
func restrictFacts(ctx context.Context, c conn, source string, old, now []string) error {
	before, err := audienceOf(ctx, c, old)
	if err != nil {
		return err
	}
	after, err := audienceOf(ctx, c, now)
	if err != nil || after == before {
		return err
	}
	_, err = exec(ctx, c, `UPDATE facts SET audience = $1 WHERE source = $2 AND audience = $3`, after, keepable(source), before)
	return err
}

// deleteFacts deletes facts of a source by their texts, if there are such, with
// everything that finds them.
func deleteFacts(ctx context.Context, c conn, source string, texts ...string) error {
	hashes := make([][]byte, len(texts))
	for i, text := range texts {
		hashes[i] = factHash(source, text)
	}
	_, err := exec(ctx, c, `DELETE FROM facts WHERE hash = ANY($1::bytea[])`, hashes)
	return err
}
