package mcpbench

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// callers is the number of clients in a log.
const callers = 50

// fillLog adds n calls, the newest last, one in a thousand of them refused.
func fillLog(t *testing.T, l *access.Log, n int) {
	t.Helper()
	for i := range n {
		r := access.LogRecord{
			At: time.Now().Add(-time.Minute), Who: fmt.Sprint("client_", i%callers), Profile: "player.full", Transport: "http", Tool: toolName(i % 97),
			Source: "builtin", Decision: access.Allowed, Duration: time.Millisecond,
		}
		if i%1000 == 0 {
			r.Decision = access.Denied
		}
		l.Add(r, `{"of":"it"}`)
	}
	must(t, "flushing", l.Flush(t.Context()))
}

// auditSteps are the steps measured on a log of that many calls.
func auditSteps(t *testing.T, size int) []step {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(ctx, path, access.LogOptions{})
	must(t, "opening the log", err)
	t.Cleanup(func() { must(t, "closing the log", l.Close()) })
	fillLog(t, l, size)
	query := func(q access.LogQuery, want int) func() {
		return func() {
			for range 20 {
				found, _, err := l.Query(ctx, q)
				if err != nil || len(found) != want {
					t.Errorf("%d records, %v, want %d", len(found), err, want)
				}
			}
		}
	}
	queried := func(name string, q access.LogQuery, want int) step {
		return step{name: "query: " + name, bound: flat, rounds: growthRounds, each: 20, work: query(q, want)}
	}
	return []step{
		{name: "start", bound: flat, rounds: growthRounds, work: func() {
			again, err := access.OpenLog(ctx, path, access.LogOptions{})
			must(t, "opening the log", err)
			must(t, "closing the log", again.Close())
		}},
		{name: "append", bound: flat, rounds: growthRounds, each: 1000, work: func() { fillLog(t, l, 1000) }},
		queried("newest", access.LogQuery{Limit: 20}, 20),
		queried("one client's", access.LogQuery{Who: "client_7", Limit: 20}, 20),
		queried("nobody's", access.LogQuery{Who: "nobody"}, 0),
		queried("refused", access.LogQuery{Denied: true, Limit: 2}, 2),
		{name: "clear out all", bound: straight, rounds: 1, work: func() { clearOut(t, l, path) }},
	}
}

// clearOut closes the log, whose calls are a minute old, and waits until a log
// that keeps nothing has deleted them.
func clearOut(t *testing.T, l *access.Log, path string) {
	t.Helper()
	must(t, "closing the log", l.Close())
	db, err := sql.Open("sqlite", path+"?_busy_timeout=5000")
	must(t, "opening the file", err)
	again, err := access.OpenLog(t.Context(), path, access.LogOptions{Keep: time.Second})
	must(t, "opening the log", err)
	var id int
	for err == nil {
		time.Sleep(time.Millisecond)
		err = db.QueryRowContext(t.Context(), "SELECT id FROM calls LIMIT 1").Scan(&id)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		t.Error("reading the file:", err)
	}
	must(t, "closing the file", db.Close())
	must(t, "closing the log", again.Close())
}

func TestGrowthOfAuditLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; make gate runs this without it")
	}
	holdGrowth(t, "audit records", atSizes(t, sizes(1000, 1_000_000), auditSteps))
}
