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

// readerCount bounds how many searches run at once; a table's turn needs two
// or three, and every connection costs a page cache.
const readerCount = 4

// prepareFile makes sure path is a file that can be written, because what the
// operating system says is clearer than what SQLite makes of it. Transcripts
// are private: a new file is readable by its owner only.
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

// dsn returns the driver's name for the file; a path may contain anything.
func dsn(path string, params ...string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // "C:/…" becomes "/C:/…", as URIs want it
	}
	u := url.URL{Scheme: "file", Path: slashed}
	params = append([]string{"_busy_timeout=5000", "_foreign_keys=1", "_error_rc=1", "_dqs=0"}, params...)
	return u.String() + "?" + strings.Join(params, "&")
}

// openWriter opens the pool of the one connection that writes. FULL makes every
// commit reach the disk before it returns: a line that was reported as kept
// survives a power cut. With secure_delete what is deleted is overwritten, and
// so are the copies that are left behind when the full text is merged.
func openWriter(path string) (*pool, error) {
	return openPool(dsn(path, "_journal_mode=WAL", "_synchronous=FULL", "_pragma=secure_delete(1)"), 1)
}

// openReaders opens the pool of connections that cannot write.
func openReaders(path string) (*pool, error) {
	return openPool(dsn(path, "_query_only=1"), readerCount)
}

// pool lends a fixed number of connections, each to one caller at a time. They
// connect when first lent and keep their statements prepared.
type pool struct {
	db    *sql.DB
	slots chan *conn // nil stands for a connection not yet made
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

// lendConn lends fn a connection, waiting for one until ctx is done.
func (p *pool) lendConn(ctx context.Context, fn func(c *conn) error) error {
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
		// An interrupt may still be pending and must not hit the next caller.
		err = errors.Join(err, c.close())
		c = nil
	}
	return err
}

// close closes all connections; none may be lent any more.
func (p *pool) close() error {
	var errs []error
	for range cap(p.slots) {
		if c := <-p.slots; c != nil {
			errs = append(errs, c.close())
		}
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// conn is a connection with its prepared statements. The set of queries is
// fixed, which bounds the cache. One goroutine uses it at a time.
type conn struct {
	raw   *sql.Conn
	stmts map[string]*sql.Stmt
	// spoilt marks a connection that must not be lent again.
	spoilt bool
}

// parameter is a parameter as statements have it, such as $1, and limit one that is a limit.
var (
	parameter = regexp.MustCompile(`\$(\d+)`)
	limit     = regexp.MustCompile(`LIMIT \?\d*`)
)

// translated is a query as SQLite has it, where $1 would be a name. SQLite compiles a statement
// anew whenever a bare parameter after LIMIT is bound, which doubles the cost of a quick query.
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

// bound are parameters as SQLite takes them: lists are JSON.
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

// Exec runs a statement and returns how many rows it changed.
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

// insert runs a statement and returns the id of the row that it inserted.
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

// ExecAll runs statements one after another.
func (c *conn) ExecAll(ctx context.Context, all []sqlstore.Statement) error {
	for _, s := range all {
		if _, err := c.Exec(ctx, s.Query, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// script runs statements that are used once.
func (c *conn) script(ctx context.Context, statements string) error {
	_, err := c.raw.ExecContext(ctx, statements)
	return err
}

// Row scans the first row into dest; [sqlstore.ErrNoRows] if there is none.
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

// transact runs fn between begin and commit, and rolls back if fn fails or
// panics.
func (c *conn) transact(ctx context.Context, begin string, fn func() error) (err error) {
	if _, err := c.Exec(ctx, begin); err != nil {
		return err
	}
	committed := false
	defer func() {
		if committed {
			return
		}
		// After a full disk SQLite has rolled back by itself: what matters then
		// is why.
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

// unsynced runs fn with commits that do not wait for the disk.
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
