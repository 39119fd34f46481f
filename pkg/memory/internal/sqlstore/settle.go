package sqlstore

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// ApplyCampaign applies the content of a campaign file to the world, all of it or nothing. The latest change wins:
// an entry is applied if it is new or differs from the file at the last ApplyCampaign. Otherwise later changes are
// kept, including the removal of an entity. An entity without a position keeps its current one. When an
// entity is added again, the file's relations with it are added again if their other ends exist.
//
// ApplyCampaign first records a plan and then applies it in steps between which others can write, so part of it is
// visible before the rest. Once the plan is recorded, it will be applied: if the process ends, the next one
// to open the database continues. If ctx ends before that, nothing has changed.
//
// Facts get no vectors until [Store.EmbedFacts] runs.
func (s *Store) ApplyCampaign(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	defer s.signalUnindexed()
	return ApplyCampaign(ctx, planStore{s}, entities, relations, facts)
}

// CampaignChanges returns what [Store.Settle] would do, without changing anything.
func (s *Store) CampaignChanges(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) (memory.Settlement, error) {
	return CampaignChanges(ctx, planStore{s}, entities, relations, facts)
}

// Withdraw removes from the world what campaign files added: entities by id with their relations, whether or
// not they have changed since; relations; and facts by source and text. What does not exist is ignored. A
// file that states it again adds it again. Like Settle, it is all or nothing and works in steps. Other facts
// about a removed entity stay.
func (s *Store) Withdraw(ctx context.Context, entities []string, relations []memory.Relation, facts []memory.Fact) error {
	return Withdraw(ctx, planStore{s}, entities, relations, facts)
}

// planStore adapts a [Store] to [PlanStore].
type planStore struct{ s *Store }

var _ PlanStore[Conn] = planStore{}

func (x planStore) Transact(ctx context.Context, synced bool, doing string, do func(context.Context, Conn) error) error {
	if synced {
		return x.s.d.Write(ctx, doing, do)
	}
	return x.s.d.WriteUnsynced(ctx, doing, do)
}

func (planStore) Exec(ctx context.Context, c Conn, query string, args ...any) error {
	_, err := c.Exec(ctx, query, args...)
	return err
}

func (planStore) Row(ctx context.Context, c Conn, query string, args []any, dest ...any) (bool, error) {
	err := c.Row(ctx, query, args, dest...)
	if errors.Is(err, ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (x planStore) CountPlans(ctx context.Context) (n int, err error) {
	err = x.s.d.Read(ctx, "looking for what was left undone", func(c Conn) error {
		return c.Row(ctx, `SELECT count(*) FROM plans`, nil, &n)
	})
	return n, err
}

func (x planStore) Filed(ctx context.Context, keys []string) (last map[string][]byte, err error) {
	err = x.s.d.Read(ctx, "reading what was settled last", func(c Conn) (err error) {
		last, err = x.s.d.Filed(ctx, c, keys)
		return err
	})
	return last, err
}

func (x planStore) There(ctx context.Context, ids []string) (map[string]bool, error) {
	there := make(map[string]bool, len(ids))
	err := x.s.d.Read(ctx, "looking for entities", func(c Conn) error {
		found, err := Rows(ctx, c, x.s.sql.there, []any{ids}, ScanText)
		for _, id := range found {
			there[id] = true
		}
		return err
	})
	return there, err
}

func (planStore) CheckEntity(e memory.Entity) error     { return checkEntity(e) }
func (planStore) CheckRelation(r memory.Relation) error { return checkRelation(r) }

func (planStore) CheckFact(f memory.Fact) error {
	_, err := Visible(f.Visible)
	return err
}

// file records the content of an entry.
func (x planStore) file(ctx context.Context, c Conn, e Entry, err error) error {
	if err != nil {
		return err
	}
	return x.s.d.File(ctx, c, e.Key, e.Hash)
}

// unfile deletes the record of an entry, so that a file can add it again.
func (x planStore) unfile(ctx context.Context, c Conn, e Entry, err error) error {
	if err != nil {
		return err
	}
	return x.s.d.Unfile(ctx, c, e.Key)
}

func (x planStore) PutEntity(ctx context.Context, c Conn, e memory.Entity) error {
	entry, err := EntityEntry(e)
	if err := x.file(ctx, c, entry, err); err != nil {
		return err
	}
	old, err := x.s.loadEntity(ctx, c, e.ID)
	if err != nil {
		return err
	}
	if old != nil && e.Position == nil {
		e.Position = old.Position
	}
	return x.s.replaceEntity(ctx, c, old, e)
}

// PutRelation puts a relation. It skips one with a missing end, which is added again together with that
// entity.
func (x planStore) PutRelation(ctx context.Context, c Conn, r memory.Relation) error {
	entry, err := RelationEntry(r)
	if err := x.file(ctx, c, entry, err); err != nil {
		return err
	}
	if err := putRelation(ctx, c, r); !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	return nil
}

func (x planStore) PutFact(ctx context.Context, c Conn, f memory.Fact) error {
	entry, err := FactEntry(f)
	if err := x.file(ctx, c, entry, err); err != nil {
		return err
	}
	_, err = x.s.putFact(ctx, c, f)
	return err
}

func (x planStore) WithdrawEntity(ctx context.Context, c Conn, e memory.Entity) error {
	entry, err := EntityEntry(e)
	if err := x.unfile(ctx, c, entry, err); err != nil {
		return err
	}
	return x.s.removeEntity(ctx, c, e.ID)
}

func (x planStore) WithdrawRelation(ctx context.Context, c Conn, r memory.Relation) error {
	entry, err := RelationEntry(r)
	if err := x.unfile(ctx, c, entry, err); err != nil {
		return err
	}
	return deleteRelation(ctx, c, r)
}

func (x planStore) WithdrawFact(ctx context.Context, c Conn, f memory.Fact) error {
	entry, err := FactEntry(f)
	if err := x.unfile(ctx, c, entry, err); err != nil {
		return err
	}
	return x.s.d.DeleteFacts(ctx, c, f.Source, []string{f.Text})
}
