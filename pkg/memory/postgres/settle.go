package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// Settle puts what a campaign file says into the world, in one transaction.
// Whoever spoke last is right: an entry takes effect when it is new or differs
// from what the file said at the last Settle, and else leaves alone what has
// become of it since, its removal included. An entity without a position keeps
// the one it has. When an entity comes back, so do the file's relations to what
// is there.
//
// Facts get no vectors; [Index.EmbedFacts] makes up for it.
func (s *Graph) Settle(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	defer s.askForIndexing()
	return s.write(ctx, "settling the campaign", func(ctx context.Context, c conn) error {
		f := filing{c: c, back: map[string]bool{}}
		if err := f.loadFiled(ctx); err != nil {
			return err
		}
		for _, e := range entities {
			if err := f.applyEntity(ctx, e); err != nil {
				return fmt.Errorf("entity %q: %w", e.ID, err)
			}
		}
		for _, r := range relations {
			if err := f.applyRelation(ctx, r); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		for _, fact := range facts {
			if err := f.applyFact(ctx, fact); err != nil {
				return fmt.Errorf("fact of %q: %w", fact.Source, err)
			}
		}
		return nil
	})
}

// filing compares a file's entries with what they said last.
type filing struct {
	c conn
	// last is the hash of what each entry said, by the hash of which it is.
	last map[[sha256.Size]byte][]byte
	// back holds the entities that were not there before.
	back map[string]bool
}

func (f *filing) loadFiled(ctx context.Context) error {
	f.last = map[[sha256.Size]byte][]byte{}
	_, err := rows(ctx, f.c, `SELECT id, hash FROM filed`, nil, func(r pgx.Rows) (none struct{}, err error) {
		var what, hash []byte
		if err = r.Scan(&what, &hash); err == nil && len(what) == sha256.Size {
			f.last[[sha256.Size]byte(what)] = hash
		}
		return none, err
	})
	return err
}

// entry is what a file says of one thing.
type entry struct {
	id   [sha256.Size]byte // tells it from all others
	what string
	hash [sha256.Size]byte // of what is said
}

func newEntry(kind string, key []string, says ...any) (e entry, err error) {
	e.what, e.hash, err = pack.Filed(kind, key, says...)
	e.id = sha256.Sum256([]byte(e.what))
	return e, err
}

func entityEntry(e memory.Entity) (entry, error) {
	return newEntry("entity", []string{e.ID}, e, e.Visible) // Visible is no part of the JSON
}

func relationEntry(r memory.Relation) (entry, error) {
	return newEntry("relation", []string{r.From, r.Type, r.To}, r, r.Visible)
}

func factEntry(f memory.Fact) (entry, error) {
	return newEntry("fact", []string{f.Source, f.Text}, f.Visible)
}

// news reports whether an entry says something else than the last time.
func (f *filing) news(e entry, err error) (bool, error) {
	return err == nil && !bytes.Equal(f.last[e.id], e.hash[:]), err
}

// file notes what an entry says and reports whether it said something else before.
func (f *filing) file(ctx context.Context, e entry, err error) (bool, error) {
	news, err := f.news(e, err)
	if err != nil || !news {
		return false, err
	}
	_, err = exec(ctx, f.c, `INSERT INTO filed (id, what, hash) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash`, e.id[:], keepable(e.what), e.hash[:])
	return true, err
}

// unfile forgets that a file ever said an entry.
func unfile(ctx context.Context, c conn, e entry, err error) error {
	if err != nil {
		return err
	}
	_, err = exec(ctx, c, `DELETE FROM filed WHERE id = $1`, e.id[:])
	return err
}

func (f *filing) applyEntity(ctx context.Context, e memory.Entity) error {
	filed, err := entityEntry(e)
	news, err := f.file(ctx, filed, err)
	if err != nil || !news {
		return err
	}
	old, err := loadEntity(ctx, f.c, e.ID)
	switch {
	case err != nil:
		return err
	case old == nil:
		f.back[e.ID] = true
	case e.Position == nil:
		e.Position = old.Position
	}
	return replaceEntity(ctx, f.c, old, e)
}

func (f *filing) applyRelation(ctx context.Context, r memory.Relation) error {
	filed, err := relationEntry(r)
	news, err := f.file(ctx, filed, err)
	if err != nil || !news && !f.back[r.From] && !f.back[r.To] {
		return err
	}
	err = putRelation(ctx, f.c, r)
	if errors.Is(err, memory.ErrNotFound) {
		return nil // an end was removed; the relation comes back with it
	}
	return err
}

func (f *filing) applyFact(ctx context.Context, fact memory.Fact) error {
	filed, err := factEntry(fact)
	news, err := f.file(ctx, filed, err)
	if err != nil || !news {
		return err
	}
	_, err = putFact(ctx, f.c, fact)
	return err
}
