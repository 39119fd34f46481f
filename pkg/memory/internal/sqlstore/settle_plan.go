package sqlstore

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// orderEntries and orderBytes limit an order, because an order is executed as a whole.
	orderEntries = 32
	orderBytes   = 64 << 10
	// withdrawnEntries limits an order that withdraws, because the full-text index looks up every word it
	// deletes.
	withdrawnEntries = 4
	// orderTime is how long orders are executed in one transaction before other writers get their turn.
	orderTime = 15 * time.Millisecond
	// abandonTime is the age at which an incomplete plan is discarded.
	abandonTime = time.Hour
)

// order is a part of a plan: entries to put, or entries to withdraw.
type order struct {
	Withdraw  bool
	Entities  []memory.Entity
	Relations []memory.Relation
	Facts     []memory.Fact
}

func (o *order) len() int { return len(o.Entities) + len(o.Relations) + len(o.Facts) }

// most returns the maximum number of entries.
func (o *order) most() int {
	if o.Withdraw {
		return withdrawnEntries
	}
	return orderEntries
}

// execute executes an order.
func execute[C any](ctx context.Context, s PlanStore[C], c C, o *order) error {
	entity, relation, fact := s.PutEntity, s.PutRelation, s.PutFact
	if o.Withdraw {
		entity, relation, fact = s.WithdrawEntity, s.WithdrawRelation, s.WithdrawFact
	}
	for _, e := range o.Entities {
		if err := entity(ctx, c, e); err != nil {
			return ofEntity(e, err)
		}
	}
	for _, r := range o.Relations {
		if err := relation(ctx, c, r); err != nil {
			return ofRelation(r, err)
		}
	}
	for _, f := range o.Facts {
		if err := fact(ctx, c, f); err != nil {
			return ofFact(f, err)
		}
	}
	return nil
}

// plan is a plan that is being recorded. Content that fits one order is not recorded but executed at once.
type plan[C any] struct {
	store PlanStore[C]
	// n is the plan's number; 0 while the store has nothing of it.
	n    int64
	next order
	size int // approximate size of next in bytes
	// dry plans are only counted, in dried.
	dry   bool
	dried int
}

// add adds an entry, and records the current order if it is full.
func (p *plan[C]) add(ctx context.Context, size int, put func(*order)) error {
	if p.dry {
		p.dried++
		return nil
	}
	if p.next.len() > 0 && (p.next.len() >= p.next.most() || p.size+size > orderBytes) {
		if err := p.recordOrder(ctx); err != nil {
			return err
		}
	}
	put(&p.next)
	p.size += size
	return nil
}

// recordOrder records the current order and begins the next.
func (p *plan[C]) recordOrder(ctx context.Context) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p.next); err != nil {
		return err
	}
	p.next, p.size = order{Withdraw: p.next.Withdraw}, 0
	return p.store.Transact(ctx, false, "noting a plan", func(ctx context.Context, c C) error {
		n := p.n
		if n == 0 {
			if _, err := p.store.Row(ctx, c, `INSERT INTO plans (begun) VALUES ($1) RETURNING n`, []any{time.Now().UnixMicro()}, &n); err != nil {
				return err
			}
		}
		err := p.store.Exec(ctx, c, `INSERT INTO orders (plan, what) VALUES ($1, $2)`, n, b.Bytes())
		if err == nil {
			p.n = n
		}
		return err
	})
}

// complete records the rest of the plan and marks it as ready. This also syncs all its orders to disk.
func (p *plan[C]) complete(ctx context.Context) error {
	if p.next.len() > 0 {
		if err := p.recordOrder(ctx); err != nil {
			return err
		}
	}
	return p.store.Transact(ctx, true, "noting a plan", func(ctx context.Context, c C) error {
		return p.store.Exec(ctx, c, `UPDATE plans SET ready = 1 WHERE n = $1`, p.n)
	})
}

// discard deletes the recorded part of a plan. If that fails, the part is discarded later.
func (p *plan[C]) discard(ctx context.Context, doing string) {
	if p.n != 0 {
		_ = p.store.Transact(context.WithoutCancel(ctx), true, doing, func(ctx context.Context, c C) error {
			return p.store.Exec(ctx, c, `DELETE FROM plans WHERE n = $1 AND ready = 0`, p.n)
		})
	}
}

// executePlan has note build a plan, and executes it. If note fails, nothing has changed.
func executePlan[C any](ctx context.Context, s PlanStore[C], doing string, note func(*plan[C]) error) error {
	p := &plan[C]{store: s}
	err := note(p)
	if err == nil && p.n != 0 {
		err = p.complete(ctx)
	}
	switch {
	case err != nil:
		p.discard(ctx, doing)
		return fmt.Errorf("%s: %w", doing, err)
	case p.n == 0 && p.next.len() > 0:
		return s.Transact(ctx, true, doing, func(ctx context.Context, c C) error { return execute(ctx, s, c, &p.next) })
	}
	return executePlans(ctx, s, doing)
}

// executePlans executes the remaining orders of all ready plans, including those of other processes. After
// each step it pauses for as long as the step took, so that others can write.
func executePlans[C any](ctx context.Context, s PlanStore[C], doing string) error {
	for {
		start, done := time.Now(), true
		err := s.Transact(ctx, false, doing, func(ctx context.Context, c C) (err error) {
			start = time.Now()
			for done = false; !done && time.Since(start) < orderTime; {
				if done, err = executeNext(ctx, s, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		select {
		case <-time.After(time.Since(start)):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w; the rest is done when the database is opened again", doing, ctx.Err())
		}
	}
}

// executeNext executes the next order of the oldest plan, and reports whether none was left. A plan without
// orders is deleted.
func executeNext[C any](ctx context.Context, s PlanStore[C], c C) (done bool, err error) {
	var plan, n int64
	var what []byte
	found, err := s.Row(ctx, c, `SELECT p.n, coalesce(o.n, 0), o.what FROM plans p LEFT JOIN orders o ON o.plan = p.n
		WHERE p.ready = 1 ORDER BY p.n, o.n LIMIT 1`, nil, &plan, &n, &what)
	if err != nil || !found {
		return !found, err
	}
	if n == 0 {
		return false, s.Exec(ctx, c, `DELETE FROM plans WHERE n = $1`, plan)
	}
	var o order
	if err := gob.NewDecoder(bytes.NewReader(what)).Decode(&o); err != nil {
		return false, fmt.Errorf("reading a plan: %w", err)
	}
	if err := execute(ctx, s, c, &o); err != nil {
		return false, err
	}
	return false, s.Exec(ctx, c, `DELETE FROM orders WHERE n = $1`, n)
}

// resumePlans executes the ready plans of processes that have ended, and discards old plans that were
// never completed.
func resumePlans[C any](ctx context.Context, s PlanStore[C]) error {
	if left, err := s.CountPlans(ctx); err != nil || left == 0 {
		return err
	}
	err := s.Transact(ctx, true, "clearing what was given up", func(ctx context.Context, c C) error {
		return s.Exec(ctx, c, `DELETE FROM plans WHERE ready = 0 AND begun < $1`, time.Now().Add(-abandonTime).UnixMicro())
	})
	if err != nil {
		return err
	}
	return executePlans(ctx, s, "doing what was left undone")
}
