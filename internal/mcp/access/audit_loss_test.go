package access_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

const (
	breakDisk  = `CREATE TRIGGER broken BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`
	repairDisk = `DROP TRIGGER broken`
)

func TestLossesAreCountedAndLoggedOnceAMinute(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l, err := access.OpenLog(t.Context(), path, access.LogOptions{Logger: slog.New(slog.NewTextHandler(&out, nil))})
		must(t, "Open", err)
		db := behind(t, path)
		l.Add(sample(), "")
		must(t, "Flush", l.Flush(t.Context()))
		script(t, db, breakDisk)
		for range 10 {
			for range 3 {
				l.Add(sample(), `{"password":"hunter2"}`)
			}
			if err := l.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "disk on fire") {
				t.Errorf("Flush = %v, want it to tell of the fire", err)
			}
		}
		if got := strings.Count(out.String(), "audit records lost"); got != 1 || !strings.Contains(out.String(), "lost=3 ") {
			t.Errorf("log within a minute = %q, want one line about 3 records", out.String())
		}
		if got := l.Lost(); got != 30 {
			t.Errorf("Lost = %d, want 30", got)
		}
		if got := all(t, l, access.LogQuery{}); len(got) != 1 {
			t.Errorf("%d records can be read, want the 1 that was kept", len(got))
		}

		time.Sleep(time.Minute)
		l.Add(sample(), "")
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		if !strings.Contains(out.String(), "lost=28 lost_in_all=31") {
			t.Errorf("log after a minute = %q, want a line about the 28 since", out.String())
		}

		script(t, db, repairDisk)
		l.Add(sample(), "")
		must(t, "Flush after repair", l.Flush(t.Context()))
		if got := all(t, l, access.LogQuery{}); len(got) != 2 || l.Lost() != 31 {
			t.Errorf("%d records and %d lost, want 2 and 31", len(got), l.Lost())
		}

		script(t, db, breakDisk)
		l.Add(sample(), "")
		must(t, "Close", l.Close())
		l.Add(sample(), "")
		if !strings.Contains(out.String(), "lost=1 lost_in_all=32") || l.Lost() != 33 {
			t.Errorf("Lost = %d, log after Close = %q, want 33 and a line about the last one in time", l.Lost(), out.String())
		}
		if strings.Contains(out.String(), "hunter2") {
			t.Errorf("log = %q tells of arguments", out.String())
		}
	})
}
