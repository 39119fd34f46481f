package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"

	_ "modernc.org/sqlite"     // the driver
	_ "modernc.org/sqlite/vec" // vector search on every connection
)

// readerCount limits concurrent searches. A table's turn needs two or three, and every connection costs a
// page cache.
const readerCount = 4

// prepareFile ensures that path is a writable file, because the operating system's errors are clearer than
// those of SQLite. A new file is readable by its owner only, because transcripts are private.
func prepareFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("opening database %s: it is a directory; name a file in it", path)
	} else if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("opening database %s: it is no regular file; name another", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return explainFile(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return explainFile(path, err)
	}
	if err := f.Close(); err != nil {
		return explainFile(path, err)
	}
	return nil
}

// dsn returns the driver's data source name for the file. It escapes any characters in the path.
func dsn(path string, params ...string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // "C:/…" becomes "/C:/…", as URIs require
	}
	u := url.URL{Scheme: "file", Path: slashed}
	params = append([]string{"_busy_timeout=5000", "_foreign_keys=1", "_error_rc=1", "_dqs=0"}, params...)
	return u.String() + "?" + strings.Join(params, "&")
}

// openWriter opens the pool of the single writing connection. With synchronous=FULL, every commit reaches the
// disk before it returns, so that a stored line survives a power cut. With secure_delete, SQLite overwrites
// deleted content, including copies left behind when full-text segments are merged.
func openWriter(path string) (*pool, error) {
	return openPool(dsn(path, "_journal_mode=WAL", "_synchronous=FULL", "_pragma=secure_delete(1)"), 1)
}

// openReaders opens the pool of read-only connections.
func openReaders(path string) (*pool, error) {
	return openPool(dsn(path, "_query_only=1"), readerCount)
}

// pool lends a fixed number of connections, each to one caller at a time. A connection is opened when it is
// first lent and keeps its prepared statements.
type pool struct {
	db    *sql.DB
	slots chan *conn // nil is a connection that has not been opened yet
}

func openPool(dsn string, size int) (*pool, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p := &pool{db: db, slots: make(chan *conn, size)}
	for range size {
		p.slots <- nil
	}
	return p, nil
}

// withConn calls fn with a connection. It waits for a free one until ctx is done.
func (p *pool) withConn(ctx context.Context, fn func(c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var c *conn
	select {
	case c = <-p.slots:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.slots <- c }()
	if c == nil {
		raw, err := p.db.Conn(ctx)
		if err != nil {
			return err
		}
		c = &conn{raw: raw, stmts: make(map[string]*sql.Stmt)}
	}
	err := fn(c)
	if ctx.Err() != nil || c.spoilt {
		// An interrupt may still be pending and must not affect the next caller.
		err = errors.Join(err, c.close())
		c = nil
	}
	return err
}

// close closes all connections. No connection may be lent afterwards.
func (p *pool) close() error {
	var errs []error
	for range cap(p.slots) {
		if c := <-p.slots; c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// conn is a connection with its prepared statements. The set of queries is fixed, which bounds the cache.
// Only one goroutine may use it at a time.
type conn struct {
	raw   *sql.Conn
	stmts map[string]*sql.Stmt
	// spoilt marks a connection that must not be reused.
	spoilt bool
}

// parameter matches a parameter such as $1, and limit a parameter after LIMIT.
var (
	parameter = regexp.MustCompile(`\$(\d+)`)
	limit     = regexp.MustCompile(`LIMIT \?\d*`)
)

// translated returns a query with SQLite's numbered parameters, because $1 would be a name. It adds 0 to a
// parameter after LIMIT, because SQLite recompiles a statement whenever a bare parameter there is bound,
// which doubles the cost of a fast query.
func translated(query string) string {
	return limit.ReplaceAllString(parameter.ReplaceAllString(query, `?$1`), `$0 + 0`)
}

func (c *conn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := c.stmts[query]; ok {
		return st, nil
	}
	st, err := c.raw.PrepareContext(ctx, translated(query))
	if err != nil {
		return nil, err
	}
	c.stmts[query] = st
	return st, nil
}

// bound converts parameters for SQLite: lists become JSON.
func bound(args []any) ([]any, error) {
	out := args
	for i, arg := range args {
		var list []byte
		var err error
		switch arg := arg.(type) {
		case []string:
			list, err = json.Marshal(append([]string{}, arg...))
		case []int64:
			list, err = json.Marshal(append([]int64{}, arg...))
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if &out[0] == &args[0] {
			out = slices.Clone(args)
		}
		out[i] = string(list)
	}
	return out, nil
}

// Exec runs a statement and returns the number of changed rows.
func (c *conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	st, err := c.stmt(ctx, query)
	if err != nil {
		return 0, err
	}
	if args, err = bound(args); err != nil {
		return 0, err
	}
	res, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert runs a statement and returns the id of the inserted row.
func (c *conn) insert(ctx context.Context, query string, args ...any) (int64, error) {
	st, err := c.stmt(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// ExecAll runs statements in order.
func (c *conn) ExecAll(ctx context.Context, all []sqlstore.Statement) error {
	for _, s := range all {
		if _, err := c.Exec(ctx, s.Query, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// script runs statements without preparing them, for those that are used once.
func (c *conn) script(ctx context.Context, statements string) error {
	_, err := c.raw.ExecContext(ctx, statements)
	return err
}

// Row scans the first row into dest, or returns [sqlstore.ErrNoRows].
func (c *conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	st, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	if args, err = bound(args); err != nil {
		return err
	}
	return st.QueryRowContext(ctx, args...).Scan(dest...)
}

// Each calls scan with every row.
func (c *conn) Each(ctx context.Context, query string, args []any, scan func(sqlstore.Row) error) (err error) {
	st, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	if args, err = bound(args); err != nil {
		return err
	}
	rs, err := st.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rs.Close()) }()
	for rs.Next() {
		if err := scan(rs); err != nil {
			return err
		}
	}
	return rs.Err()
}

// transact runs fn between begin and COMMIT, and rolls back if fn fails or panics.
func (c *conn) transact(ctx context.Context, begin string, fn func() error) (err error) {
	if _, err := c.Exec(ctx, begin); err != nil {
		return err
	}
	committed := false
	defer func() {
		if committed {
			return
		}
		// After a full disk, SQLite has already rolled back. Then the original error matters.
		if _, rollbackErr := c.Exec(context.WithoutCancel(ctx), "ROLLBACK"); err == nil {
			err = rollbackErr
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

// unsynced runs fn so that its commits do not wait for the disk.
func (c *conn) unsynced(ctx context.Context, fn func() error) (err error) {
	if err := c.script(ctx, "PRAGMA synchronous = NORMAL"); err != nil {
		return err
	}
	defer func() {
		restored := c.script(ctx, "PRAGMA synchronous = FULL")
		c.spoilt = restored != nil
		err = errors.Join(err, restored)
	}()
	return fn()
}

func (c *conn) close() error {
	var errs []error
	for _, st := range c.stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, c.raw.Close())...)
}
