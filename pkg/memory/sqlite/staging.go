package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// orderEntries and orderBytes bound an order: it is carried out as a whole.
	orderEntries = 32
	orderBytes   = 64 << 10
	// withdrawnEntries bounds one that withdraws: the full text looks up every word of
	// what it deletes.
	withdrawnEntries = 4
	// orderTime is how long orders are carried out in one transaction before other
	// writers get their turn.
	orderTime = 15 * time.Millisecond
	// abandonTime is after how long a plan that nobody completed is thrown away.
	abandonTime = time.Hour
)

// stepPlans adds plans: changes of the world that are noted first and carried out in
// steps then. A plan that is not ready is still being noted, or was given up. The
// orders of a plan are carried out in the order of their numbers.
const stepPlans = `
CREATE TABLE plans (
	n     INTEGER PRIMARY KEY AUTOINCREMENT,
	begun INTEGER NOT NULL,
	ready INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE orders (
	n    INTEGER PRIMARY KEY,
	plan INTEGER NOT NULL REFERENCES plans (n) ON DELETE CASCADE,
	what BLOB NOT NULL
) STRICT;
CREATE INDEX orders_by_plan ON orders (plan, n);
`

// order is a part of a plan: what is put, or what is withdrawn.
type order struct {
	Withdraw  bool
	Entities  []memory.Entity
	Relations []memory.Relation
	Facts     []memory.Fact
}

func (o *order) len() int { return len(o.Entities) + len(o.Relations) + len(o.Facts) }

// carryOut carries an order out.
func (o *order) carryOut(ctx context.Context, c *conn) error {
	entity, relation, fact := settleEntity, settleRelation, settleFact
	if o.Withdraw {
		entity, relation, fact = withdrawEntity, withdrawRelation, withdrawFact
	}
	for _, e := range o.Entities {
		if err := entity(ctx, c, e); err != nil {
			return fmt.Errorf("entity %q: %w", e.ID, err)
		}
	}
	for _, r := range o.Relations {
		if err := relation(ctx, c, r); err != nil {
			return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
		}
	}
	for _, f := range o.Facts {
		if err := fact(ctx, c, f); err != nil {
			return fmt.Errorf("fact of %q: %w", f.Source, err)
		}
	}
	return nil
}

func withdrawEntity(ctx context.Context, c *conn, e memory.Entity) error {
	filed, err := entityEntry(e)
	if err != nil {
		return err
	}
	return errors.Join(filed.unfile(ctx, c), removeEntity(ctx, c, e.ID))
}

func withdrawRelation(ctx context.Context, c *conn, r memory.Relation) error {
	filed, err := relationEntry(r)
	if err != nil {
		return err
	}
	if err := filed.unfile(ctx, c); err != nil {
		return err
	}
	_, err = c.exec(ctx, `DELETE FROM relations WHERE src = ? AND type = ? AND dst = ?`, r.From, r.Type, r.To)
	return err
}

func withdrawFact(ctx context.Context, c *conn, f memory.Fact) error {
	filed, err := factEntry(f)
	if err != nil {
		return err
	}
	return errors.Join(filed.unfile(ctx, c), deleteFacts(ctx, c, f.Source, f.Text))
}

// plan is a plan that is being noted. What fits one order is not noted, but carried
// out at once.
type plan struct {
	s *database
	// n is its number, 0 while nothing of it is in the database.
	n        int64
	withdraw bool
	next     order
	size     int // of next, in bytes, roughly
	// dry plans are only counted, in dried.
	dry   bool
	dried int
}

// add adds an entry of a size, and notes the order it completes.
func (p *plan) add(ctx context.Context, size int, put func(*order)) error {
	if p.dry {
		p.dried++
		return nil
	}
	most := orderEntries
	if p.withdraw {
		most = withdrawnEntries
	}
	if p.next.len() > 0 && (p.next.len() >= most || p.size+size > orderBytes) {
		if err := p.note(ctx); err != nil {
			return err
		}
	}
	put(&p.next)
	p.size += size
	return nil
}

// note writes down the order that is complete.
func (p *plan) note(ctx context.Context) error {
	p.next.Withdraw = p.withdraw
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p.next); err != nil {
		return err
	}
	p.next, p.size = order{}, 0
	return p.s.writeUnsynced(ctx, "noting a plan", func(ctx context.Context, c *conn) error {
		if p.n == 0 {
			res, err := c.exec(ctx, `INSERT INTO plans (begun) VALUES (?)`, time.Now().UnixMicro())
			if err != nil {
				return err
			}
			if p.n, err = res.LastInsertId(); err != nil {
				return err
			}
		}
		_, err := c.exec(ctx, `INSERT INTO orders (plan, what) VALUES (?, ?)`, p.n, b.Bytes())
		return err
	})
}

// carryOut has make note a plan, and carries it out. If make fails, nothing has
// happened.
func (s *database) carryOut(ctx context.Context, doing string, make func(ctx context.Context, p *plan) error) error {
	p := &plan{s: s}
	if err := s.finishPlan(ctx, p, make); err != nil {
		if p.n != 0 { // else, or if this fails, there is nothing or it is thrown away later
			_ = s.write(context.WithoutCancel(ctx), doing, func(ctx context.Context, c *conn) error {
				_, err := c.exec(ctx, `DELETE FROM plans WHERE n = ? AND ready = 0`, p.n)
				return err
			})
		}
		return fmt.Errorf("%s: %w", doing, err)
	}
	if p.n == 0 && p.next.len() > 0 {
		p.next.Withdraw = p.withdraw
		return s.write(ctx, doing, func(ctx context.Context, c *conn) error { return p.next.carryOut(ctx, c) })
	}
	return s.carryOutPlans(ctx, doing)
}

// finishPlan notes a plan to its end. On the disk with it are all orders before.
func (s *database) finishPlan(ctx context.Context, p *plan, make func(ctx context.Context, p *plan) error) error {
	if err := make(ctx, p); err != nil || p.n == 0 {
		return err
	}
	if p.next.len() > 0 {
		if err := p.note(ctx); err != nil {
			return err
		}
	}
	return s.write(ctx, "noting a plan", func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `UPDATE plans SET ready = 1 WHERE n = ?`, p.n)
		return err
	})
}

// carryOutPlans carries out what plans that are ready have left to do, also those of
// other processes, until there are none. Between two steps it leaves the database to
// others for as long as the step took.
func (s *database) carryOutPlans(ctx context.Context, doing string) error {
	for {
		start, done := time.Now(), true
		err := s.writeUnsynced(ctx, doing, func(ctx context.Context, c *conn) (err error) {
			start = time.Now()
			for done = false; !done && time.Since(start) < orderTime; {
				if done, err = carryOutNext(ctx, c); err != nil {
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

// carryOutNext carries out the next order of the oldest plan, and reports whether
// there is none. With its last order a plan is gone.
func carryOutNext(ctx context.Context, c *conn) (done bool, err error) {
	var plan, n int64
	var what []byte
	err = c.row(ctx, `SELECT p.n, coalesce(o.n, 0), o.what FROM plans p LEFT JOIN orders o ON o.plan = p.n
		WHERE p.ready = 1 ORDER BY p.n, o.n LIMIT 1`, nil, &plan, &n, &what)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if n == 0 {
		_, err := c.exec(ctx, `DELETE FROM plans WHERE n = ?`, plan)
		return false, err
	}
	var o order
	if err := gob.NewDecoder(bytes.NewReader(what)).Decode(&o); err != nil {
		return false, fmt.Errorf("reading a plan: %w", err)
	}
	if err := o.carryOut(ctx, c); err != nil {
		return false, err
	}
	_, err = c.exec(ctx, `DELETE FROM orders WHERE n = ?`, n)
	return false, err
}

// resumePlans does what processes that ended have left to do, and throws away what
// they never finished noting.
func (s *database) resumePlans(ctx context.Context) error {
	var left int
	err := s.read(ctx, "looking for what was left undone", func(c *conn) error {
		return c.row(ctx, `SELECT count(*) FROM plans`, nil, &left)
	})
	if err != nil || left == 0 {
		return err
	}
	err = s.write(ctx, "clearing what was given up", func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `DELETE FROM plans WHERE ready = 0 AND begun < ?`, time.Now().Add(-abandonTime).UnixMicro())
		return err
	})
	if err != nil {
		return err
	}
	return s.carryOutPlans(ctx, "doing what was left undone")
}
