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

// LogQuery selects records. Empty fields select all.
type LogQuery struct {
	Who, Tool, Session string
	// Decision is one of [Decisions].
	Decision string
	// Denied selects what was refused: [Denied], [Rejected] and [Expired].
	Denied bool
	// Since is the earliest time of a call, Until the first too late.
	Since, Until time.Time
	// Cursor is where the page before ended; empty for the first page.
	Cursor string
	// Limit is the most records returned, 1 to [MaxLimit]; 0 means
	// [DefaultLimit].
	Limit int
}

// Decisions returns what a record's decision may be.
func Decisions() []string { return []string{Allowed, Denied, Pending, Granted, Rejected, Expired} }

// conditions collects what a row must fulfil.
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

// within selects a period, and nothing that has expired. Ids grow with time but
// for calls that overlap, so the index on time only finds where a scan by id
// may end; the plus signs keep SQLite from using it for more.
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

// LogQuery returns matching records, newest first, among them everything added
// before, and the cursor of the next page, empty if there is none. A cursor
// stays good while records come and go. Input that makes no sense wraps
// [mcp.ErrInvalidArguments].
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

// awaitWritten writes what was added. Records that the disk refuses are counted and
// logged as lost; that is no reason to withhold the others.
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
		// Said twice so that SQLite sees that the index of these fits.
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
	c.within(q.Since, q.Until, time.Now().Add(-l.keep))
	return c, limit, nil
}

// parseCursor returns the id before which the next page begins.
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
