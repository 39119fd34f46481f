package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvector "github.com/pgvector/pgvector-go/pgx"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

const (
	// writeTime bounds a write, whose outcome is never left open by a caller who
	// gives up: a server that has gone does not say so.
	writeTime = time.Minute
	// connectTime bounds how long a server is asked for a connection.
	connectTime = 5 * time.Second
	// lockTime bounds how long a writer waits for its turn.
	lockTime = "10s"
)

// openPool opens the connections. They commit to the disk before they say so,
// whatever the server's habit is.
func openPool(ctx context.Context, config *pgxpool.Config, vectors bool) (*pgxpool.Pool, error) {
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = "glyphoxa"
	params["lock_timeout"] = lockTime
	params["jit"] = "off" // compiling a query takes longer than any of these
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	if vectors {
		config.AfterConnect = pgxvector.RegisterTypes
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// conn is a connection within a transaction. Texts that are parameters or are read may have any
// bytes: see keepable.
type conn struct{ tx pgx.Tx }

// kept is a parameter as PostgreSQL keeps it.
func kept(arg any) any {
	switch arg := arg.(type) {
	case string:
		return keepable(arg)
	case []string:
		out := make([]string, len(arg))
		for i, s := range arg {
			out[i] = keepable(s)
		}
		return out
	}
	return arg
}

func keptAll(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = kept(arg)
	}
	return out
}

// row is a row whose texts are read as they were.
type row struct{ pgx.Row }

func (r row) Scan(dest ...any) error {
	if err := r.Row.Scan(dest...); err != nil {
		return err
	}
	for _, d := range dest {
		switch d := d.(type) {
		case *string:
			*d = restored(*d)
		case *any:
			if text, ok := (*d).(string); ok {
				*d = restored(text)
			}
		}
	}
	return nil
}

// Exec runs a statement and returns how many rows it met.
func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := c.tx.Exec(ctx, query, keptAll(args)...)
	return tag.RowsAffected(), err
}

// ExecAll sends statements to the server together.
func (c conn) ExecAll(ctx context.Context, all []sqlstore.Statement) error {
	var b pgx.Batch
	for _, s := range all {
		b.Queue(s.Query, keptAll(s.Args)...)
	}
	return c.tx.SendBatch(ctx, &b).Close()
}

// Row scans the first row into dest; [sqlstore.ErrNoRows] if there is none.
func (c conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return row{c.tx.QueryRow(ctx, query, keptAll(args)...)}.Scan(dest...)
}

// Each calls scan with every row.
func (c conn) Each(ctx context.Context, query string, args []any, scan func(sqlstore.Row) error) error {
	rs, err := c.tx.Query(ctx, query, keptAll(args)...)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		if err := scan(row{rs}); err != nil {
			return err
		}
	}
	return rs.Err()
}

// read runs fn in a transaction that only reads, all queries of which see the same
// state. A connection that broke before is replaced, once.
func (s *database) read(ctx context.Context, doing string, fn func(c conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	broken, err := s.transact(ctx, ctx, options, fn)
	if broken && ctx.Err() == nil {
		_, err = s.transact(ctx, ctx, options, fn)
	}
	return s.explain(ctx, doing, err)
}

// takeTurn has the writers of all processes take turns on one schema, so that the ids of
// lines rise in the order of their commits and nobody changes what another has just read.
const takeTurn = `SELECT pg_advisory_xact_lock(hashtextextended('glyphoxa ' || current_schema(), 0))`

// write runs fn in one transaction, on the server's disk when it returns. The wait for a
// connection ends with ctx; once begun, the transaction runs to its end, so that a
// cancelled caller never leaves the outcome open.
func (s *database) write(ctx context.Context, doing string, fn func(ctx context.Context, c conn) error) error {
	return s.writeHow(ctx, doing, "", fn)
}

// writeUnsynced is write without the wait for the disk. What it wrote survives the end of
// this process; the end of the server may take what no later write has brought to the
// disk, from the end and each transaction as a whole.
func (s *database) writeUnsynced(ctx context.Context, doing string, fn func(ctx context.Context, c conn) error) error {
	return s.writeHow(ctx, doing, `SET LOCAL synchronous_commit = off`, fn)
}

func (s *database) writeHow(ctx context.Context, doing, first string, fn func(ctx context.Context, c conn) error) error {
	if err := s.beginCall(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer s.endCall()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	body := func(c conn) error {
		var b pgx.Batch
		if first != "" {
			b.Queue(first)
		}
		b.Queue(takeTurn)
		if err := c.tx.SendBatch(work, &b).Close(); err != nil {
			return err
		}
		return fn(work, c)
	}
	broken, err := s.transact(ctx, work, pgx.TxOptions{}, body)
	if broken && ctx.Err() == nil {
		_, err = s.transact(ctx, work, pgx.TxOptions{}, body)
	}
	return s.explain(ctx, doing, err)
}

// transact runs fn between begin and commit on a connection that it waits for until
// wait ends. broken says that the connection turned out to be of no use before the commit
// was asked for: nothing has happened.
func (s *database) transact(wait, work context.Context, o pgx.TxOptions, fn func(c conn) error) (broken bool, err error) {
	c, err := s.pool.Acquire(wait)
	if err != nil {
		return false, err
	}
	defer c.Release()
	tx, err := c.BeginTx(work, o)
	if err != nil {
		return c.Conn().IsClosed(), err
	}
	committing := false
	defer func() {
		if !committing {
			err = keepFirst(err, tx.Rollback(context.WithoutCancel(work)))
		}
	}()
	if err := fn(conn{tx}); err != nil {
		return c.Conn().IsClosed(), err
	}
	committing = true
	return false, tx.Commit(work)
}

// keepFirst returns why something failed, not that it could not be taken back then.
func keepFirst(first, second error) error {
	if first != nil || errors.Is(second, pgx.ErrTxClosed) {
		return first
	}
	return second
}
