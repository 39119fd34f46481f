package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// Bounds on how many records a query returns.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// LogQuery selects records. An empty field matches every record.
type LogQuery struct {
	Who, Tool, Session string
	// Decision is one of [Decisions].
	Decision string
	// Denied selects refused calls: [Denied], [Rejected] and [Expired].
	Denied bool
	// Since is the earliest time of a call. Until is exclusive.
	Since, Until time.Time
	// Cursor is the next cursor of the previous page; empty for the first page.
	Cursor string
	// Limit is the maximum number of records, 1 to [MaxLimit]; 0 means [DefaultLimit].
	Limit int
}

// Decisions returns the possible decisions of a record.
func Decisions() []string { return []string{Allowed, Denied, Pending, Granted, Rejected, Expired} }

// conditions collects the conditions of a query.
type conditions struct {
	where []string
	args  []any
}

func (c *conditions) addCondition(condition string, arg any) {
	c.where = append(c.where, condition)
	c.args = append(c.args, arg)
}

func (c *conditions) equal(column, value string) {
	if value != "" {
		c.addCondition(column+" = ?", value)
	}
}

// within selects a period and excludes expired records. Ids grow with time, except for overlapping calls, so
// the index on time is used only to find where a scan by id may end. The plus signs keep SQLite from using
// the index for more.
func (c *conditions) within(since, until, expiry time.Time) {
	if since.After(expiry) {
		c.addCondition("id >= (SELECT min(+id) FROM calls INDEXED BY calls_by_at WHERE at >= ?)", since.UnixMicro())
	} else {
		since = expiry
	}
	c.addCondition("+at >= ?", since.UnixMicro())
	if !until.IsZero() {
		c.addCondition("+at < ?", until.UnixMicro())
	}
}

func (c *conditions) String() string { return " WHERE " + strings.Join(c.where, " AND ") }

// Query returns matching records, newest first, including all records added before, and the cursor of the
// next page, which is empty on the last. A cursor stays valid when records are added or deleted. For invalid
// input, the error wraps [mcp.ErrInvalidArguments].
func (l *Log) Query(ctx context.Context, q LogQuery) (records []LogRecord, next string, err error) {
	c, limit, err := l.conditions(q)
	if err != nil {
		return nil, "", err
	}
	if err := l.awaitWritten(ctx); err != nil {
		return nil, "", err
	}
	query := "SELECT id, " + columns + " FROM calls" + c.String() + " ORDER BY id DESC LIMIT ?"
	err = l.db.readRows(ctx, query, append(c.args, limit+1), func(rows *sql.Rows) error {
		r, err := scan(rows)
		records = append(records, r)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("querying audit log: %w", err)
	}
	if len(records) > limit {
		records = records[:limit]
		next = strconv.FormatInt(records[limit-1].ID, 10)
	}
	return records, next, nil
}

// awaitWritten waits until pending records have been written. If the disk rejects some, they are counted and
// logged as lost, and the query continues with the others.
func (l *Log) awaitWritten(ctx context.Context) error {
	err := l.Flush(ctx)
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrClosed)) {
		return err
	}
	return nil
}

func (l *Log) conditions(q LogQuery) (*conditions, int, error) {
	limit := q.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit < 1 || limit > MaxLimit {
		return nil, 0, fmt.Errorf("%w: limit is %d; use 1 to %d", mcp.ErrInvalidArguments, q.Limit, MaxLimit)
	}
	c := &conditions{}
	if q.Cursor != "" {
		id, err := parseCursor(q.Cursor)
		if err != nil {
			return nil, 0, err
		}
		c.addCondition("id < ?", id)
	}
	switch q.Decision {
	case "", Allowed:
		c.equal("decision", q.Decision)
	case Denied, Pending, Granted, Rejected, Expired:
		// The redundant condition makes SQLite use the partial index.
		c.where = append(c.where, "decision <> 'allowed'")
		c.equal("decision", q.Decision)
	default:
		return nil, 0, fmt.Errorf("%w: decision is %q; use one of %s", mcp.ErrInvalidArguments, q.Decision, strings.Join(Decisions(), ", "))
	}
	if q.Denied {
		c.where = append(c.where, "decision <> 'allowed'", "decision IN ('denied', 'rejected', 'expired')")
	}
	c.equal("who", q.Who)
	c.equal("tool", q.Tool)
	if q.Session != "" {
		c.where = append(c.where, "session <> ''")
		c.equal("session", q.Session)
	}
	c.within(q.Since, q.Until, time.Now().Add(-l.keepFor))
	return c, limit, nil
}

// parseCursor returns the id at which the previous page ended.
func parseCursor(s string) (int64, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != s {
		return 0, fmt.Errorf("%w: the cursor is not one this log gave; leave it out to begin anew", mcp.ErrInvalidArguments)
	}
	return id, nil
}

func scan(rows *sql.Rows) (LogRecord, error) {
	var r LogRecord
	var at, duration int64
	err := rows.Scan(&r.ID, &at, &r.Who, &r.Profile, &r.Transport, &r.Tool, &r.Source, &r.Decision, &r.Rule, &r.Code,
		&r.Approval, &duration, &r.ArgsHash, &r.Args, &r.Error, &r.Session, &r.NPC, &r.Cached, &r.Times, &r.DecidedBy)
	r.At = time.UnixMicro(at).UTC()
	r.Duration = time.Duration(duration) * time.Microsecond
	return r, err
}
