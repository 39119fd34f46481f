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
	// writeTime limits a write, because a server that has disappeared does not report it. A caller that gives
	// up does not end a write.
	writeTime = time.Minute
	// connectTime limits the time to connect to a server.
	connectTime = 5 * time.Second
	// lockTime limits how long a writer waits for its turn.
	lockTime = "10s"
)

// openPool opens the connections. Their commits are on disk when they return, whatever the server's default
// is.
func openPool(ctx context.Context, config *pgxpool.Config, vectors bool) (*pgxpool.Pool, error) {
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = "glyphoxa"
	params["lock_timeout"] = lockTime
	params["jit"] = "off" // compiling a query takes longer than running any of these
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

// conn is a connection within a transaction. Text parameters and results may contain any bytes; see keepable.
type conn struct{ tx pgx.Tx }

// storableArg returns a parameter in a form that PostgreSQL can store.
func storableArg(arg any) any {
	switch arg := arg.(type) {
	case string:
		return escapeText(arg)
	case []string:
		out := make([]string, len(arg))
		for i, s := range arg {
			out[i] = escapeText(s)
		}
		return out
	}
	return arg
}

func storableArgs(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = storableArg(arg)
	}
	return out
}

// row restores the original bytes of texts.
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

// Exec runs a statement and returns the number of affected rows.
func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := c.tx.Exec(ctx, query, storableArgs(args)...)
	return tag.RowsAffected(), err
}

// ExecAll sends statements to the server in one batch.
func (c conn) ExecAll(ctx context.Context, all []sqlstore.Statement) error {
	var b pgx.Batch
	for _, s := range all {
		b.Queue(s.Query, storableArgs(s.Args)...)
	}
	return c.tx.SendBatch(ctx, &b).Close()
}

// Row scans the first row into dest, or returns [sqlstore.ErrNoRows].
func (c conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return row{c.tx.QueryRow(ctx, query, storableArgs(args)...)}.Scan(dest...)
}

// Each calls scan with every row.
func (c conn) Each(ctx context.Context, query string, args []any, scan func(sqlstore.Row) error) error {
	rs, err := c.tx.Query(ctx, query, storableArgs(args)...)
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

// read runs fn in a read-only transaction with one snapshot for all its queries. If the connection was
// broken, it retries once with another.
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

// takeTurn makes the writers of all processes take turns on one schema, so that ids of lines increase in the
// order of their commits, and no writer changes what another has just read.
const takeTurn = `SELECT pg_advisory_xact_lock(hashtextextended('glyphoxa ' || current_schema(), 0))`

// write runs fn in one transaction, which is on the server's disk when it returns. Waiting for a connection
// ends with ctx. Once begun, the transaction runs to its end, so that a cancelled caller always knows the
// outcome.
func (s *database) write(ctx context.Context, doing string, fn func(ctx context.Context, c conn) error) error {
	return s.writeHow(ctx, doing, "", fn)
}

// writeUnsynced is write without waiting for the disk. Its changes survive the end of this process. The end
// of the server may lose the latest transactions, each as a whole, that no later synced write has brought to
// disk.
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

// transact runs fn in a transaction. It waits for a connection until wait ends. broken reports that the
// connection was unusable before the commit was sent, so nothing has changed.
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
			err = firstError(err, tx.Rollback(context.WithoutCancel(work)))
		}
	}()
	if err := fn(conn{tx}); err != nil {
		return c.Conn().IsClosed(), err
	}
	committing = true
	return false, tx.Commit(work)
}

// firstError returns the error of an operation rather than the error of its rollback.
func firstError(first, second error) error {
	if first != nil || errors.Is(second, pgx.ErrTxClosed) {
		return first
	}
	return second
}
