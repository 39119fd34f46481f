package sqlstore

// Settling applies the content of campaign files to a store, in steps that are the same for all stores.
//
// The changes are first recorded as a plan of small orders. The orders are then executed a few at a time,
// so that other writers get their turn. A complete plan is always executed: if the process ends, the next
// one to open the store continues. An incomplete plan has no effect and is discarded.

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// PlanStore is a store that campaign files are settled in. C is a connection within a transaction. The
// store has the tables plans (n, begun in microseconds since 1970, ready) and orders (n, plan, what). The
// orders of a plan are executed in ascending order and deleted together with it.
type PlanStore[C any] interface {
	// Transact runs do in one transaction. If synced is set, the transaction is on disk when it returns.
	Transact(ctx context.Context, synced bool, doing string, do func(context.Context, C) error) error
	// Exec runs a statement with the parameters $1, $2 and so on.
	Exec(ctx context.Context, c C, query string, args ...any) error
	// Row scans the first row into dest, and reports whether there is one.
	Row(ctx context.Context, c C, query string, args []any, dest ...any) (bool, error)
	// CountPlans returns the number of plans.
	CountPlans(ctx context.Context) (int, error)
	// Filed returns the hashes of entries at the last Settle, by key.
	Filed(ctx context.Context, keys []string) (map[string][]byte, error)
	// There returns which of the ids are entities.
	There(ctx context.Context, ids []string) (map[string]bool, error)

	CheckEntity(memory.Entity) error
	CheckRelation(memory.Relation) error
	CheckFact(memory.Fact) error

	// The Put methods also record the content of the entry, and the Withdraw methods delete that record. An
	// entry that cannot be put because something is missing, or that does not exist any more, is skipped.
	PutEntity(context.Context, C, memory.Entity) error
	PutRelation(context.Context, C, memory.Relation) error
	PutFact(context.Context, C, memory.Fact) error
	WithdrawEntity(context.Context, C, memory.Entity) error
	WithdrawRelation(context.Context, C, memory.Relation) error
	WithdrawFact(context.Context, C, memory.Fact) error
}

// ApplyCampaign puts the entries that are new or have changed since the last ApplyCampaign.
func ApplyCampaign[C any](ctx context.Context, s PlanStore[C], entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	return executePlan(ctx, s, "settling the campaign", func(p *plan[C]) error {
		back := map[string]bool{}
		if err := p.putEntities(ctx, entities, back); err != nil {
			return err
		}
		if err := p.putRelations(ctx, relations, back); err != nil {
			return err
		}
		return p.putFacts(ctx, facts)
	})
}

// CampaignChanges returns what [Settle] would do.
func CampaignChanges[C any](ctx context.Context, s PlanStore[C], entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) (memory.Settlement, error) {
	var out memory.Settlement
	back := map[string]bool{}
	count := plan[C]{store: s, dry: true}
	if err := count.putEntities(ctx, entities, back); err != nil {
		return out, err
	}
	out.Changed, out.Added = count.dried-len(back), len(back)
	out.Kept, count.dried = len(entities)-count.dried, 0
	if err := count.putRelations(ctx, relations, back); err != nil {
		return out, err
	}
	out.Relations, count.dried = count.dried, 0
	err := count.putFacts(ctx, facts)
	out.Facts = count.dried
	return out, err
}

// Withdraw removes entries.
func Withdraw[C any](ctx context.Context, s PlanStore[C], entities []string, relations []memory.Relation, facts []memory.Fact) error {
	return executePlan(ctx, s, "withdrawing a campaign", func(p *plan[C]) error {
		p.next.Withdraw = true
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

// compared is the number of entries compared at a time with their last content.
const compared = 500

// putNew calls put for the entries that are new or changed, or for which again returns true.
func putNew[C, T any](ctx context.Context, p *plan[C], all []T, entryOf func(T) (Entry, error), again func(T) bool, put func(T) error) error {
	for part := range slices.Chunk(all, compared) {
		entries, keys := make([]Entry, len(part)), make([]string, len(part))
		for i, x := range part {
			var err error
			if entries[i], err = entryOf(x); err != nil {
				return err
			}
			keys[i] = entries[i].Key
		}
		last, err := p.store.Filed(ctx, keys)
		if err != nil {
			return err
		}
		for i, x := range part {
			if bytes.Equal(last[keys[i]], entries[i].Hash) && !again(x) {
				continue
			}
			if err := put(x); err != nil {
				return err
			}
		}
	}
	return nil
}

func never[T any](T) bool { return false }

// putEntities puts the new or changed entities, and adds to back those that do not exist.
func (p *plan[C]) putEntities(ctx context.Context, all []memory.Entity, back map[string]bool) error {
	var ids []string
	err := putNew(ctx, p, all, EntityEntry, never, func(e memory.Entity) error {
		if err := p.store.CheckEntity(e); err != nil {
			return ofEntity(e, err)
		}
		ids = append(ids, e.ID)
		size := len(e.Name) + len(e.Description) + 64*(len(e.Aliases)+len(e.Attributes))
		return p.add(ctx, size, func(o *order) { o.Entities = append(o.Entities, e) })
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, compared) {
		there, err := p.store.There(ctx, part)
		if err != nil {
			return err
		}
		for _, id := range part {
			if !there[id] {
				back[id] = true
			}
		}
	}
	return nil
}

// putRelations puts the relations that are new or changed, or that have an end in back.
func (p *plan[C]) putRelations(ctx context.Context, all []memory.Relation, back map[string]bool) error {
	again := func(r memory.Relation) bool { return back[r.From] || back[r.To] }
	return putNew(ctx, p, all, RelationEntry, again, func(r memory.Relation) error {
		if err := p.store.CheckRelation(r); err != nil {
			return ofRelation(r, err)
		}
		return p.add(ctx, len(r.Note), func(o *order) { o.Relations = append(o.Relations, r) })
	})
}

// putFacts puts the new or changed facts.
func (p *plan[C]) putFacts(ctx context.Context, all []memory.Fact) error {
	return putNew(ctx, p, all, FactEntry, never, func(f memory.Fact) error {
		if err := p.store.CheckFact(f); err != nil {
			return ofFact(f, err)
		}
		return p.add(ctx, len(f.Text), func(o *order) { o.Facts = append(o.Facts, f) })
	})
}

func ofEntity(e memory.Entity, err error) error { return fmt.Errorf("entity %q: %w", e.ID, err) }

func ofRelation(r memory.Relation, err error) error {
	return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
}

func ofFact(f memory.Fact, err error) error { return fmt.Errorf("fact of %q: %w", f.Source, err) }
