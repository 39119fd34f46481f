package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/settle"
)

// Settle puts what a campaign file says into the world, all of it or nothing.
// Whoever spoke last is right: an entry takes effect when it is new or differs
// from what the file said at the last Settle, and else leaves alone what has
// become of it since, its removal included. An entity without a position keeps
// the one it has. When an entity comes back, so do the file's relations to what
// is there.
//
// What takes effect is noted first, and then carried out in steps that let other
// writers in between, so that some of it can be seen before the rest. Once it is
// noted it takes effect: what a process that ends leaves undone is done by the next
// that opens the database. If ctx ends before that, nothing has happened.
//
// Facts get no vectors; [Index.EmbedFacts] makes up for it.
func (s *Graph) Settle(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	defer s.askForIndexing()
	return settle.Settle(ctx, settler{s.database}, entities, relations, facts)
}

// Unsettled tells what [Graph.Settle] would do, and changes nothing.
func (s *Graph) Unsettled(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) (memory.Settlement, error) {
	return settle.Unsettled(ctx, settler{s.database}, entities, relations, facts)
}

// Withdraw takes out of the world what campaign files said: entities by id, with
// their relations, whatever has become of them since; relations; and facts by source
// and text. What is not there is passed over, and a file that says it again is heard.
// As with Settle it is all or nothing, in steps. What else was told of an entity stays.
func (s *Graph) Withdraw(ctx context.Context, entities []string, relations []memory.Relation, facts []memory.Fact) error {
	return settle.Withdraw(ctx, settler{s.database}, entities, relations, facts)
}

// settler is the database as package settle needs it.
type settler struct{ *database }

var _ settle.Store[conn] = settler{}

func (s settler) Transact(ctx context.Context, synced bool, doing string, do func(context.Context, conn) error) error {
	if synced {
		return s.write(ctx, doing, do)
	}
	return s.writeUnsynced(ctx, doing, do)
}

// numbered has parameters by their numbers instead of by question marks.
func numbered(query string) string {
	parts := strings.Split(query, "?")
	for i := range parts[1:] {
		parts[i] += fmt.Sprint("$", i+1)
	}
	return strings.Join(parts, "")
}

func (settler) Exec(ctx context.Context, c conn, query string, args ...any) error {
	_, err := exec(ctx, c, numbered(query), args...)
	return err
}

func (settler) Row(ctx context.Context, c conn, query string, args []any, dest ...any) (bool, error) {
	err := row(ctx, c, numbered(query), args, dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s settler) Left(ctx context.Context) (n int, err error) {
	err = s.read(ctx, "looking for what was left undone", func(c conn) error {
		return row(ctx, c, `SELECT count(*) FROM plans`, nil, &n)
	})
	return n, err
}

func (s settler) Filed(ctx context.Context, keys []string) (map[string][]byte, error) {
	ids, keyOf := make([][]byte, len(keys)), make(map[string]string, len(keys))
	for i, key := range keys {
		ids[i] = filedID(key)
		keyOf[string(ids[i])] = key
	}
	last := make(map[string][]byte, len(keys))
	err := s.read(ctx, "reading what was settled last", func(c conn) error {
		_, err := rows(ctx, c, `SELECT id, hash FROM filed WHERE id = ANY($1)`, []any{ids}, func(r pgx.Rows) (none struct{}, err error) {
			var id, hash []byte
			err = r.Scan(&id, &hash)
			last[keyOf[string(id)]] = hash
			return none, err
		})
		return err
	})
	return last, err
}

func (s settler) There(ctx context.Context, ids []string) (map[string]bool, error) {
	kept := make([]string, len(ids))
	for i, id := range ids {
		kept[i] = keepable(id)
	}
	there := make(map[string]bool, len(ids))
	err := s.read(ctx, "looking for entities", func(c conn) error {
		found, err := rows(ctx, c, `SELECT id FROM entities WHERE id = ANY($1)`, []any{kept}, scanText)
		for _, id := range found {
			there[restored(id)] = true
		}
		return err
	})
	return there, err
}

func (settler) CheckEntity(e memory.Entity) error     { return checkEntity(e) }
func (settler) CheckRelation(r memory.Relation) error { return checkRelation(r) }

func (settler) CheckFact(f memory.Fact) error {
	_, err := noted(f.Visible)
	return err
}

// filedID is by which an entry is found.
func filedID(key string) []byte {
	id := sha256.Sum256([]byte(key))
	return id[:]
}

// file notes what an entry says.
func file(ctx context.Context, c conn, e settle.Entry, err error) error {
	if err != nil {
		return err
	}
	_, err = exec(ctx, c, `INSERT INTO filed (id, what, hash) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash`, filedID(e.Key), keepable(e.Key), e.Hash)
	return err
}

// unfile forgets that a file ever said an entry.
func unfile(ctx context.Context, c conn, e settle.Entry, err error) error {
	if err != nil {
		return err
	}
	_, err = exec(ctx, c, `DELETE FROM filed WHERE id = $1`, filedID(e.Key))
	return err
}

func (settler) PutEntity(ctx context.Context, c conn, e memory.Entity) error {
	entry, err := settle.EntityEntry(e)
	if err := file(ctx, c, entry, err); err != nil {
		return err
	}
	old, err := loadEntity(ctx, c, e.ID)
	if err != nil {
		return err
	}
	if old != nil && e.Position == nil {
		e.Position = old.Position
	}
	return replaceEntity(ctx, c, old, e)
}

// PutRelation puts a relation. One to what was removed comes back with it.
func (settler) PutRelation(ctx context.Context, c conn, r memory.Relation) error {
	entry, err := settle.RelationEntry(r)
	if err := file(ctx, c, entry, err); err != nil {
		return err
	}
	if err := putRelation(ctx, c, r); !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	return nil
}

func (settler) PutFact(ctx context.Context, c conn, f memory.Fact) error {
	entry, err := settle.FactEntry(f)
	if err := file(ctx, c, entry, err); err != nil {
		return err
	}
	_, err = putFact(ctx, c, f)
	return err
}

func (settler) WithdrawEntity(ctx context.Context, c conn, e memory.Entity) error {
	entry, err := settle.EntityEntry(e)
	if err := unfile(ctx, c, entry, err); err != nil {
		return err
	}
	return removeEntity(ctx, c, e.ID)
}

func (settler) WithdrawRelation(ctx context.Context, c conn, r memory.Relation) error {
	entry, err := settle.RelationEntry(r)
	if err := unfile(ctx, c, entry, err); err != nil {
		return err
	}
	_, err = exec(ctx, c, `DELETE FROM relations WHERE src = $1 AND type = $2 AND dst = $3`, keepable(r.From), keepable(r.Type), keepable(r.To))
	return err
}

func (settler) WithdrawFact(ctx context.Context, c conn, f memory.Fact) error {
	entry, err := settle.FactEntry(f)
	if err := unfile(ctx, c, entry, err); err != nil {
		return err
	}
	return deleteFacts(ctx, c, f.Source, f.Text)
}
