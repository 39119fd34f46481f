package access_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// behind opens a log's file directly.
func behind(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_busy_timeout=5000") // the log may be deleting old records at any time
	must(t, "opening behind the back", err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, "closing behind the back", db.Close()) })
	return db
}

func script(t testing.TB, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement)
	must(t, statement, err)
}

func count(t testing.TB, db *sql.DB) (n int) {
	t.Helper()
	must(t, "counting", db.QueryRowContext(t.Context(), "SELECT count(*) FROM calls").Scan(&n))
	return n
}

func TestFileIsPrivateAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "what? 50%#.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	l.Add(sample(), "")
	must(t, "Flush", l.Flush(t.Context()))
	modes := map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700}
	for name, want := range modes {
		info, err := os.Stat(name)
		must(t, "Stat", err)
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
	must(t, "Close", l.Close())
	again := open(t, path, access.LogOptions{})
	again.Add(sample(), "")
	if got := all(t, again, access.LogQuery{}); len(got) != 2 || got[0].ID != 2 {
		t.Errorf("records after opening again = %+v, want 2", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	rows := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    error
	}{
		{name: "directory", prepare: func(t *testing.T, path string) { must(t, "Mkdir", os.Mkdir(path, 0o755)) }},
		{name: "text", prepare: func(t *testing.T, path string) {
			must(t, "WriteFile", os.WriteFile(path, []byte(strings.Repeat("Dear diary, ", 1000)), 0o600))
		}},
		{name: "other_program", prepare: func(t *testing.T, path string) {
			script(t, behind(t, path), "CREATE TABLE recipes (x)")
		}, want: access.ErrForeign},
		{name: "newer", prepare: func(t *testing.T, path string) {
			l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
			must(t, "Open", err)
			must(t, "Close", l.Close())
			script(t, behind(t, path), "PRAGMA user_version = 99")
		}, want: access.ErrForeign},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.db")
			row.prepare(t, path)
			_, err := access.OpenLog(t.Context(), path, access.LogOptions{})
			if err == nil || !strings.Contains(err.Error(), path) || row.want != nil && !errors.Is(err, row.want) {
				t.Errorf("err = %v, want %v that names %s", err, row.want, path)
			}
		})
	}
	if _, err := access.OpenLog(t.Context(), "", access.LogOptions{}); err == nil {
		t.Error("an empty path was opened")
	}
}

// TestSeveralLogsShareAFile opens one new file in the way several programs would.
func TestSeveralLogsShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	const logs, each = 4, 100
	var wg sync.WaitGroup
	for range logs {
		wg.Go(func() {
			l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			for range each {
				l.Add(sample(), "")
			}
			if err := l.Close(); err != nil || l.Lost() != 0 {
				t.Errorf("Close = %v with %d records lost, want neither", err, l.Lost())
			}
		})
	}
	wg.Wait()
	if got := count(t, behind(t, path)); got != logs*each {
		t.Errorf("%d records, want %d", got, logs*each)
	}
}

func TestRecordsReachTheFileUnasked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	synctest.Test(t, func(t *testing.T) {
		l := open(t, path, access.LogOptions{})
		db := behind(t, path)
		l.Add(sample(), "")
		time.Sleep(51 * time.Millisecond)
		synctest.Wait()
		if got := count(t, db); got != 1 {
			t.Errorf("%d records after 51 ms, want 1", got)
		}
	})
}

func TestManyRecordsAreNotKeptWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	synctest.Test(t, func(t *testing.T) {
		l := open(t, path, access.LogOptions{})
		db := behind(t, path)
		start := time.Now()
		for range 1000 {
			l.Add(sample(), "")
		}
		must(t, "Flush", l.Flush(t.Context()))
		if got, took := count(t, db), time.Since(start); got != 1000 || took != 0 {
			t.Errorf("%d records after %v, want 1000 at once", got, took)
		}
	})
}

func TestExpiredRecordsGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	synctest.Test(t, func(t *testing.T) {
		l := open(t, path, access.LogOptions{Keep: 2 * time.Hour})
		synctest.Wait() // the first clean-up is done
		db := behind(t, path)
		for n := range 2500 { // more than one clean-up step
			l.Add(access.LogRecord{At: time.Now().Add(-3 * time.Hour), Who: "old", Tool: fmt.Sprint(n), Decision: access.Allowed}, "")
		}
		l.Add(access.LogRecord{Who: "new", Tool: "x", Decision: access.Allowed}, "")
		if got := all(t, l, access.LogQuery{}); len(got) != 1 || got[0].Who != "new" {
			t.Errorf("%d records are shown, want the 1 that has not expired", len(got))
		}
		if got := count(t, db); got != 2501 {
			t.Errorf("%d records in the file, want 2501 before the hour", got)
		}
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		if got := count(t, db); got != 1 {
			t.Errorf("%d records after an hour, want 1", got)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := count(t, db); got != 0 {
			t.Errorf("%d records after three hours, want none", got)
		}
		l.Add(access.LogRecord{Who: "next", Tool: "x", Decision: access.Allowed}, "")
		if got := all(t, l, access.LogQuery{}); len(got) != 1 || got[0].ID != 2502 {
			t.Errorf("records = %+v, want one with an id never used before", got)
		}
	})
}

func TestOpenClearsOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	for n := range 2100 {
		l.Add(access.LogRecord{At: time.Now().Add(-time.Duration(n) * time.Minute), Who: "x", Tool: "x", Decision: access.Allowed}, "")
	}
	must(t, "Close", l.Close())
	open(t, path, access.LogOptions{Keep: 90 * time.Second})
	db := behind(t, path)
	for count(t, db) > 2 { // in the background; the test's deadline bounds the loop
		time.Sleep(time.Millisecond)
	}
	if got := count(t, db); got != 2 {
		t.Errorf("%d records are left, want the 2 of the last 90 s", got)
	}
}

func TestFullQueueLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, access.LogOptions{})
	db := behind(t, path)
	script(t, db, "BEGIN IMMEDIATE") // blocks the writer
	const adders, each = 10, 600
	var wg sync.WaitGroup
	for n := range adders {
		wg.Go(func() {
			for range each {
				l.Add(access.LogRecord{Who: fmt.Sprint(n), Tool: "x", Decision: access.Allowed}, "")
			}
		})
	}
	for l.Queued() < 4096 {
		runtime.Gosched()
	}
	script(t, db, "COMMIT")
	wg.Wait()
	must(t, "Flush", l.Flush(t.Context()))
	if got := count(t, db); got != adders*each || l.Lost() != 0 {
		t.Errorf("%d records kept and %d lost, want all %d", got, l.Lost(), adders*each)
	}
}

func TestCloseKeepsWhatWasAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := access.OpenLog(t.Context(), path, access.LogOptions{})
	must(t, "Open", err)
	const adders = 8
	var wg sync.WaitGroup
	for range adders {
		wg.Go(func() {
			for range 200 {
				l.Add(sample(), "")
			}
		})
	}
	for l.Queued() < 10 {
		runtime.Gosched()
	}
	must(t, "Close", l.Close())
	wg.Wait()
	must(t, "Close again", l.Close())
	if got := count(t, behind(t, path)); int64(got)+l.Lost() != adders*200 {
		t.Errorf("%d records kept and %d counted as lost, want %d together", got, l.Lost(), adders*200)
	}
	if err := l.Flush(t.Context()); !errors.Is(err, access.ErrClosed) {
		t.Errorf("Flush after Close = %v, want ErrClosed", err)
	}
	if _, _, err := l.Query(t.Context(), access.LogQuery{}); !errors.Is(err, access.ErrClosed) {
		t.Errorf("Query after Close = %v, want ErrClosed", err)
	}
	if _, err := l.Usage(t.Context(), access.UsageQuery{}); !errors.Is(err, access.ErrClosed) {
		t.Errorf("Usage after Close = %v, want ErrClosed", err)
	}
}

func TestCancelledCallsLeaveTheLogUsable(t *testing.T) {
	l := fresh(t)
	l.Add(sample(), "")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, _, err := l.Query(gone, access.LogQuery{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled Query = %v, want context.Canceled", err)
		}
		if err := l.Flush(gone); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled Flush = %v, want context.Canceled or none", err)
		}
		if got := len(all(t, l, access.LogQuery{})); got != 1 {
			t.Errorf("%d records, want 1", got)
		}
	}
}
