package access

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	code "modernc.org/sqlite/lib"
)

const (
	// applicationID marks the file as an audit log; it spells "Glya".
	applicationID = 0x476c7961
	version       = 2
	// busyTimeout is how long to wait for another process that has locked the file.
	busyTimeout = 5 * time.Second
	// readerCount bounds the number of concurrent queries.
	readerCount = 2
	// purgeSize is how many records one step of a purge deletes.
	purgeSize = 1000
)

// schema creates the tables. at and duration are in microseconds. AUTOINCREMENT prevents the reuse of ids
// after all records have expired, because cursors rely on unique ids.
const schema = `
CREATE TABLE calls (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	at        INTEGER NOT NULL,
	who       TEXT NOT NULL,
	profile   TEXT NOT NULL,
	transport TEXT NOT NULL,
	tool      TEXT NOT NULL,
	source    TEXT NOT NULL,
	decision  TEXT NOT NULL,
	rule      TEXT NOT NULL,
	code      TEXT NOT NULL,
	approval  TEXT NOT NULL,
	duration  INTEGER NOT NULL,
	args_hash TEXT NOT NULL,
	args      TEXT NOT NULL,
	error     TEXT NOT NULL,
	session   TEXT NOT NULL,
	npc       TEXT NOT NULL,
	cached    INTEGER NOT NULL,
	times      INTEGER NOT NULL DEFAULT 0,
	decided_by TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX calls_by_at ON calls (at);
CREATE INDEX calls_by_who ON calls (who);
CREATE INDEX calls_by_tool ON calls (tool);
CREATE INDEX calls_by_session ON calls (session) WHERE session <> '';
CREATE INDEX calls_not_allowed ON calls (decision) WHERE decision <> 'allowed';
`

// upgrade converts a file from version 1 to version 2.
const upgrade = `
ALTER TABLE calls ADD COLUMN times INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN decided_by TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 2;
`

const (
	columns = `at, who, profile, transport, tool, source, decision, rule, code, approval,
	duration, args_hash, args, error, session, npc, cached, times, decided_by`
	insertCall = `INSERT INTO calls (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	purgeCalls = `DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE at < ? LIMIT ?)`
)

// database is the file, with one connection for writing and a few for reading.
type database struct {
	writer, readers *sql.DB
	insertStmt      *sql.Stmt
}

func openDatabase(ctx context.Context, path string) (_ *database, err error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	d := &database{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if d.writer, err = openPool(dsn(path, "_auto_vacuum=incremental", "_journal_mode=WAL", "_synchronous=NORMAL", "_txlock=immediate"), 1); err != nil {
		return nil, err
	}
	if err := patiently(ctx, func() error { return d.create(ctx) }); err != nil {
		return nil, err
	}
	if d.insertStmt, err = d.writer.PrepareContext(ctx, insertCall); err != nil {
		return nil, err
	}
	if d.readers, err = openPool(dsn(path, "_query_only=1"), readerCount); err != nil {
		return nil, err
	}
	return d, nil
}

// prepareFile ensures that path is a private, writable file.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn returns the driver's name for the file. path may contain any characters.
func dsn(path string, params ...string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // "C:/…" becomes "/C:/…", as URIs require
	}
	u := url.URL{Scheme: "file", Path: slashed}
	busy := fmt.Sprintf("_busy_timeout=%d", busyTimeout.Milliseconds())
	return u.String() + "?" + strings.Join(append([]string{busy, "_dqs=0"}, params...), "&")
}

func openPool(dsn string, size int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// patiently retries do while the file is locked. SQLite itself does not wait if two programs switch a new
// file to write-ahead logging at the same time.
func patiently(ctx context.Context, do func() error) error {
	const pause = 20 * time.Millisecond
	for start := time.Now(); ; {
		err := do()
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != code.SQLITE_BUSY || time.Since(start) > busyTimeout {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// create creates the tables of a new file, and refuses files of other applications.
func (d *database) create(ctx context.Context) error {
	return d.transact(ctx, func(tx *sql.Tx) error {
		var app, found, objects int
		err := tx.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &found, &objects)
		switch {
		case err != nil:
			return err
		case app == applicationID && found == version:
			return nil
		case app == applicationID && found == 1:
			_, err := tx.ExecContext(ctx, upgrade)
			return err
		case app != 0 || found != 0 || objects != 0:
			return fmt.Errorf("%w; choose another file", ErrForeign)
		}
		_, err = tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version))
		return err
	})
}

// transact runs fn in one transaction on the writing connection.
func (d *database) transact(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		// Return fn's error; SQLite may have rolled back already.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// insert writes all records or none.
func (d *database) insert(ctx context.Context, batch []LogRecord) error {
	return d.transact(ctx, func(tx *sql.Tx) error {
		st := tx.StmtContext(ctx, d.insertStmt)
		for i := range batch {
			r := &batch[i]
			_, err := st.ExecContext(ctx, r.At.UnixMicro(), r.Who, r.Profile, r.Transport, r.Tool, r.Source,
				r.Decision, r.Rule, r.Code, r.Approval, r.Duration.Microseconds(), r.ArgsHash, r.Args, r.Error,
				r.Session, r.NPC, r.Cached, r.Times, r.DecidedBy)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// purge deletes some of the records older than before, and reports whether there are more.
func (d *database) purge(ctx context.Context, before time.Time) (more bool, err error) {
	err = d.transact(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, purgeCalls, before.UnixMicro(), purgeSize)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		more = n == purgeSize
		return err
	})
	return more, err
}

// readRows calls row for every row of a query.
func (d *database) readRows(ctx context.Context, query string, args []any, row func(*sql.Rows) error) (err error) {
	conn, err := d.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if ctx.Err() != nil {
			// The interrupt may still be pending and must not hit the next user of the connection.
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
			return
		}
		err = errors.Join(err, conn.Close())
	}()
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (d *database) close() error {
	var errs []error
	if d.readers != nil {
		errs = append(errs, d.readers.Close())
	}
	if d.insertStmt != nil {
		errs = append(errs, d.insertStmt.Close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.Close())
	}
	return errors.Join(errs...)
}
