package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
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
	return s.carryOut(ctx, "settling the campaign", func(ctx context.Context, p *plan) error {
		back := map[string]bool{}
		for part := range slices.Chunk(entities, planned) {
			if err := s.planEntities(ctx, p, part, back); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(relations, planned) {
			if err := s.planRelations(ctx, p, part, back); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(facts, planned) {
			if err := s.planFacts(ctx, p, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// Withdraw takes out of the world what campaign files said: entities by id, with
// their relations, whatever has become of them since; relations; and facts by source
// and text. What is not there is passed over, and a file that says it again is heard.
// As with Settle it is all or nothing, in steps. What else was told of an entity stays.
func (s *Graph) Withdraw(ctx context.Context, entities []string, relations []memory.Relation, facts []memory.Fact) error {
	return s.carryOut(ctx, "withdrawing a campaign", func(ctx context.Context, p *plan) error {
		p.withdraw = true
		for _, f := range facts {
			if err := p.add(ctx, len(f.Text), func(o *order) { o.Facts = append(o.Facts, f) }); err != nil {
				return err
			}
		}
		for _, r := range relations {
			if err := p.add(ctx, len(r.Note), func(o *order) { o.Relations = append(o.Relations, r) }); err != nil {
				return err
			}
		}
		for _, id := range entities {
			if err := p.add(ctx, len(id), func(o *order) { o.Entities = append(o.Entities, memory.Entity{ID: id}) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// planned is how many entries are compared at once with what was said of them last.
const planned = 500

// entry is what the file says of one thing: its key in the table filed, and the hash
// of its text.
type entry struct {
	what string
	hash []byte
}

// newEntry is the entry of a kind; key tells it from all others of its kind.
func newEntry(kind string, key []string, says ...any) (entry, error) {
	what, hash, err := pack.Filed(kind, key, says...)
	return entry{what, hash[:]}, err
}

func entityEntry(e memory.Entity) (entry, error) {
	return newEntry("entity", []string{e.ID}, e, nilIfEmpty(e.Visible)) // Visible is no part of the JSON
}

// nilIfEmpty makes lists equal that mean the same.
func nilIfEmpty(s []string) []string { return append([]string(nil), s...) }

func relationEntry(r memory.Relation) (entry, error) {
	return newEntry("relation", []string{r.From, r.Type, r.To}, r, nilIfEmpty(r.Visible))
}

func factEntry(f memory.Fact) (entry, error) {
	return newEntry("fact", []string{f.Source, f.Text}, nilIfEmpty(f.Visible))
}

// file notes what an entry says.
func (e entry) file(ctx context.Context, c *conn) error {
	_, err := c.exec(ctx, `INSERT INTO filed (what, hash) VALUES (?, ?)
		ON CONFLICT (what) DO UPDATE SET hash = excluded.hash`, e.what, e.hash)
	return err
}

// unfile forgets that a file ever said an entry.
func (e entry) unfile(ctx context.Context, c *conn) error {
	_, err := c.exec(ctx, `DELETE FROM filed WHERE what = ?`, e.what)
	return err
}

// news reports of each entry whether it says something else than the last time.
func (s *Graph) news(ctx context.Context, entries []entry) ([]bool, error) {
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = e.what
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	last := make(map[string][]byte, len(entries))
	err = s.read(ctx, "reading what was settled last", func(c *conn) error {
		_, err := rows(ctx, c, `SELECT f.what, f.hash FROM json_each(?) j CROSS JOIN filed f ON f.what = j.value`,
			[]any{string(list)}, func(r *sql.Rows) (none struct{}, err error) {
				var e entry
				err = r.Scan(&e.what, &e.hash)
				last[e.what] = e.hash
				return none, err
			})
		return err
	})
	out := make([]bool, len(entries))
	for i, e := range entries {
		out[i] = !bytes.Equal(last[e.what], e.hash)
	}
	return out, err
}

// planEntities adds to a plan what is new of entities, and to back those that are
// not there.
func (s *Graph) planEntities(ctx context.Context, p *plan, all []memory.Entity, back map[string]bool) error {
	fresh, err := s.freshOf(ctx, len(all), func(i int) (entry, error) { return entityEntry(all[i]) })
	if err != nil {
		return err
	}
	var ids []string
	for i, e := range all {
		if !fresh[i] {
			continue
		}
		if err := checkEntity(e); err != nil {
			return fmt.Errorf("entity %q: %w", e.ID, err)
		}
		ids = append(ids, e.ID)
		size := len(e.Name) + len(e.Description) + 64*(len(e.Aliases)+len(e.Attributes))
		if err := p.add(ctx, size, func(o *order) { o.Entities = append(o.Entities, e) }); err != nil {
			return err
		}
	}
	there, err := s.there(ctx, ids)
	for _, id := range ids {
		if !there[id] {
			back[id] = true
		}
	}
	return err
}

// freshOf is news of n entries.
func (s *Graph) freshOf(ctx context.Context, n int, entryOf func(i int) (entry, error)) ([]bool, error) {
	entries := make([]entry, n)
	for i := range entries {
		var err error
		if entries[i], err = entryOf(i); err != nil {
			return nil, err
		}
	}
	return s.news(ctx, entries)
}

// there tells which of some ids are entities'.
func (s *Graph) there(ctx context.Context, ids []string) (map[string]bool, error) {
	list, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	there := map[string]bool{}
	err = s.read(ctx, "looking for entities", func(c *conn) error {
		_, err := rows(ctx, c, `SELECT e.id FROM json_each(?) j CROSS JOIN entities e ON e.id = j.value`, []any{string(list)},
			func(r *sql.Rows) (none struct{}, err error) {
				var id string
				err = r.Scan(&id)
				there[id] = true
				return none, err
			})
		return err
	})
	return there, err
}

// planRelations adds what is new of relations, or leads to what comes back.
func (s *Graph) planRelations(ctx context.Context, p *plan, all []memory.Relation, back map[string]bool) error {
	fresh, err := s.freshOf(ctx, len(all), func(i int) (entry, error) { return relationEntry(all[i]) })
	if err != nil {
		return err
	}
	for i, r := range all {
		if !fresh[i] && !back[r.From] && !back[r.To] {
			continue
		}
		if err := checkRelation(r); err != nil {
			return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
		}
		if err := p.add(ctx, len(r.Note), func(o *order) { o.Relations = append(o.Relations, r) }); err != nil {
			return err
		}
	}
	return nil
}

// planFacts adds what is new of facts.
func (s *Graph) planFacts(ctx context.Context, p *plan, all []memory.Fact) error {
	fresh, err := s.freshOf(ctx, len(all), func(i int) (entry, error) { return factEntry(all[i]) })
	if err != nil {
		return err
	}
	for i, f := range all {
		if !fresh[i] {
			continue
		}
		if _, err := pack.Visible(f.Visible); err != nil {
			return fmt.Errorf("fact of %q: %w", f.Source, err)
		}
		if err := p.add(ctx, len(f.Text), func(o *order) { o.Facts = append(o.Facts, f) }); err != nil {
			return err
		}
	}
	return nil
}

// settleEntity puts an entity where the file says something new of it.
func settleEntity(ctx context.Context, c *conn, e memory.Entity) error {
	filed, err := entityEntry(e)
	if err != nil {
		return err
	}
	if err := filed.file(ctx, c); err != nil {
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

// settleRelation puts a relation. One to what was removed comes back with it.
func settleRelation(ctx context.Context, c *conn, r memory.Relation) error {
	filed, err := relationEntry(r)
	if err != nil {
		return err
	}
	if err := filed.file(ctx, c); err != nil {
		return err
	}
	if err := putRelation(ctx, c, r); !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	return nil
}

func settleFact(ctx context.Context, c *conn, f memory.Fact) error {
	filed, err := factEntry(f)
	if err != nil {
		return err
	}
	if err := filed.file(ctx, c); err != nil {
		return err
	}
	_, err = putFact(ctx, c, f)
	return err
}
