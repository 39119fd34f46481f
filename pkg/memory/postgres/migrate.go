package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// prepare migrates the schema on a connection of its own and reports whether the database has pgvector. The
// schema stores the number of completed steps, so a released step must never be changed; append another one
// instead.
func prepare(ctx context.Context, config *pgxpool.Config, schema string) (vectors bool, err error) {
	single := config.ConnConfig.Copy()
	if single.ConnectTimeout == 0 {
		single.ConnectTimeout = connectTime
	}
	c, err := pgx.ConnectConfig(ctx, single)
	if err != nil {
		return false, err
	}
	defer func() { err = firstError(err, c.Close(context.WithoutCancel(ctx))) }()
	if schema != "" {
		if _, err := c.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{schema}.Sanitize()); err != nil {
			return false, err
		}
	}
	if err := migrate(ctx, c, steps()); err != nil {
		return false, err
	}
	return findVectors(ctx, c)
}

// migrate runs the remaining steps in one transaction. If another process does the same, one waits for the
// other.
func migrate(ctx context.Context, c *pgx.Conn, steps []string) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, takeTurn); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS glyphoxa_schema (only_one boolean PRIMARY KEY CHECK (only_one), version integer NOT NULL)`); err != nil {
			return err
		}
		done := 0
		err := tx.QueryRow(ctx, `SELECT version FROM glyphoxa_schema`).Scan(&done)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return err
		case done == len(steps):
			return nil
		case done > len(steps):
			return fmt.Errorf("%w: the schema has version %d, this program knows up to %d; update Glyphoxa or choose another database", ErrTooNew, done, len(steps))
		}
		for i := done; i < len(steps); i++ {
			if _, err := tx.Exec(ctx, steps[i]); err != nil {
				return fmt.Errorf("updating to version %d: %w", i+1, err)
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO glyphoxa_schema VALUES (true, $1) ON CONFLICT (only_one) DO UPDATE SET version = excluded.version`, len(steps))
		return err
	})
}

// findVectors reports whether the database has pgvector. It installs the extension if it is available and
// this user may do so.
func findVectors(ctx context.Context, c *pgx.Conn) (there bool, err error) {
	available := false
	err = c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'),
		EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')`).Scan(&there, &available)
	if err != nil || there || !available {
		return there, err
	}
	if _, err := c.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector`); err != nil {
		return false, nil // without the permission, vectors are compared one by one
	}
	return true, nil
}
